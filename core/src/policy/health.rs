//! One synchronizer's clock of unhealthiness (B 3.2), and the health that recovery waits for
//! (B 3.4).

use crate::config::Timing;
use crate::time::Instant;

/// Runs from the start; a completed transfer stops it, the first trouble starts it again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Health {
    unhealthy_since: Option<Instant>,
    /// From when health counts, short interruptions included.
    healthy_from: Option<Instant>,
}

impl Health {
    pub(crate) fn new(started: Instant) -> Self {
        Self { unhealthy_since: Some(started), healthy_from: None }
    }

    pub(crate) fn on_completed(&mut self, now: Instant, timing: &Timing) {
        let Some(since) = self.unhealthy_since.take() else { return };
        let is_short = now.saturating_since(since) < timing.interruption_tolerated;
        if self.healthy_from.is_none() || !is_short {
            self.healthy_from = Some(now);
        }
    }

    pub(crate) fn on_trouble(&mut self, now: Instant) {
        self.unhealthy_since.get_or_insert(now);
    }

    pub(crate) fn unhealthy_since(&self) -> Option<Instant> {
        self.unhealthy_since
    }

    /// When health has lasted long enough to go back to a better source. Never during an
    /// interruption.
    pub(crate) fn recovery_due(&self, timing: &Timing) -> Option<Instant> {
        if self.unhealthy_since.is_some() {
            return None;
        }
        self.healthy_from.map(|from| from + timing.recovery_after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn at(seconds: u64) -> Instant {
        Instant::from_epoch(Duration::from_secs(seconds))
    }

    /// B 3.2: repeated trouble does not start the clock again.
    #[test]
    fn the_clock_runs_from_the_first_trouble() {
        let timing = Timing::default();
        let mut health = Health::new(at(0));
        assert_eq!(health.unhealthy_since(), Some(at(0)));
        health.on_completed(at(5), &timing);
        assert_eq!(health.unhealthy_since(), None);
        health.on_trouble(at(10));
        health.on_trouble(at(20));
        assert_eq!(health.unhealthy_since(), Some(at(10)));
    }

    /// B 3.4: interruptions under 30 s are included, longer ones start health again.
    #[test]
    fn short_interruptions_are_included_in_health() {
        let timing = Timing::default();
        let mut health = Health::new(at(0));
        health.on_completed(at(10), &timing);
        assert_eq!(health.recovery_due(&timing), Some(at(310)));
        health.on_trouble(at(100));
        assert_eq!(health.recovery_due(&timing), None);
        health.on_completed(at(129), &timing);
        assert_eq!(health.recovery_due(&timing), Some(at(310)));
        health.on_trouble(at(200));
        health.on_completed(at(230), &timing);
        assert_eq!(health.recovery_due(&timing), Some(at(530)));
    }
}

//! Delays that grow (B 8.1 to 8.3).

use std::time::Duration;

use crate::config::Timing;
use crate::rng::Rng;
use crate::time::Instant;

/// The bounds on what a stream's `retry:` may ask for (B 8.3).
const RETRY_BOUNDS: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(30));

/// The back-off of one source. It survives the source's connections, and switching away (B 3.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Backoff {
    initial: Duration,
    drops: u32,
    healthy_from: Option<Instant>,
}

impl Backoff {
    pub(crate) fn new(initial: Duration) -> Self {
        Self { initial, drops: 0, healthy_from: None }
    }

    /// The server asked for another initial delay (B 8.3).
    pub(crate) fn on_retry_field(&mut self, asked: Duration) {
        let (least, most) = RETRY_BOUNDS;
        self.initial = asked.clamp(least, most);
    }

    /// A transfer completed.
    pub(crate) fn on_health(&mut self, now: Instant) {
        self.healthy_from.get_or_insert(now);
    }

    /// Health ended, if there was any. If it had lasted, the next delay is the initial one.
    pub(crate) fn on_trouble(&mut self, now: Instant, timing: &Timing) {
        let lasted = self.healthy_from.take().map(|from| now.saturating_since(from));
        if lasted.is_some_and(|lasted| lasted >= timing.backoff_reset) {
            self.drops = 0;
        }
    }

    /// The delay before the next attempt, longer each time, up to half of it taken off at random.
    pub(crate) fn next_delay(&mut self, timing: &Timing, rng: &mut Rng) -> Duration {
        let factor = 1_u32.checked_shl(self.drops).unwrap_or(u32::MAX);
        self.drops = self.drops.saturating_add(1);
        let whole = self.initial.saturating_mul(factor).min(timing.max_retry_delay);
        rng.between(whole / 2, whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_epoch(Duration::from_secs(seconds))
    }

    /// B 8.1, and case F14: no overflow however many failures there are.
    #[test]
    fn delays_double_up_to_the_longest_and_lose_at_most_half() {
        let timing = Timing::default();
        let (mut backoff, mut rng) = (Backoff::new(Duration::from_secs(1)), Rng::new(3));
        for attempt in 0..200_u32 {
            let whole = Duration::from_secs(1 << attempt.min(5)).min(timing.max_retry_delay);
            let delay = backoff.next_delay(&timing, &mut rng);
            assert!((whole / 2..=whole).contains(&delay), "attempt {attempt}: {delay:?}");
        }
    }

    /// B 8.1: the counter resets after 60 s of health, not after less.
    #[test]
    fn only_lasting_health_resets_the_counter() {
        let timing = Timing::default();
        let (mut backoff, mut rng) = (Backoff::new(Duration::from_secs(1)), Rng::new(3));
        for _ in 0..10 {
            backoff.next_delay(&timing, &mut rng);
        }
        backoff.on_health(at(100));
        backoff.on_trouble(at(159), &timing);
        assert!(backoff.next_delay(&timing, &mut rng) >= Duration::from_secs(15));
        backoff.on_health(at(200));
        backoff.on_trouble(at(260), &timing);
        assert!(backoff.next_delay(&timing, &mut rng) <= Duration::from_secs(1));
    }

    /// B 8.3, and case S09.
    #[test]
    fn a_retry_field_is_clamped() {
        let timing = Timing::default();
        let mut rng = Rng::new(3);
        for (asked, whole) in [(0, 100), (3_600_000, 30_000), (2_000, 2_000)] {
            let mut backoff = Backoff::new(Duration::from_secs(1));
            backoff.on_retry_field(Duration::from_millis(asked));
            let delay = backoff.next_delay(&timing, &mut rng);
            let whole = Duration::from_millis(whole);
            assert!((whole / 2..=whole).contains(&delay), "{asked}: {delay:?}");
        }
    }
}

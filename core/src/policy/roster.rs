//! The list of synchronizers: who is available, and who is next (B 3.3, 3.6, 3.7).

use std::time::Duration;

use crate::config::Timing;
use crate::rng::Rng;
use crate::source::Backoff;

/// The synchronizers and the round that is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Roster {
    is_available: Vec<bool>,
    /// Some source completed a transfer in this round.
    is_fruitful: bool,
    pause: Backoff,
}

/// Who is next, and after which pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Next {
    pub(crate) index: usize,
    pub(crate) pause: Duration,
}

impl Roster {
    pub(crate) fn new(count: usize, timing: &Timing) -> Self {
        Self {
            is_available: vec![true; count],
            is_fruitful: false,
            pause: Backoff::new(timing.round_pause),
        }
    }

    /// The first one not removed.
    pub(crate) fn first(&self) -> Option<usize> {
        self.is_available.iter().position(|is_available| *is_available)
    }

    /// Whether there is one to go to from `index`.
    pub(crate) fn has_other(&self, index: usize) -> bool {
        self.is_available.iter().enumerate().any(|(other, is)| *is && other != index)
    }

    /// Never chosen again.
    pub(crate) fn remove(&mut self, index: usize) {
        if let Some(is_available) = self.is_available.get_mut(index) {
            *is_available = false;
        }
    }

    /// A transfer completed.
    pub(crate) fn on_completed(&mut self, timing: &Timing) {
        self.is_fruitful = true;
        self.pause = Backoff::new(timing.round_pause);
    }

    /// A new round begins, not by wrapping.
    pub(crate) fn begin_round(&mut self) {
        self.is_fruitful = false;
    }

    /// The next one behind `index`, wrapping at the end; with a pause if the round that ends so
    /// bore no fruit (B 3.7).
    pub(crate) fn next_after(
        &mut self,
        index: usize,
        timing: &Timing,
        rng: &mut Rng,
    ) -> Option<Next> {
        let behind = (index + 1..self.is_available.len()).find(|other| self.is(*other));
        if let Some(index) = behind {
            return Some(Next { index, pause: Duration::ZERO });
        }
        let index = self.first()?;
        let is_fruitful = std::mem::take(&mut self.is_fruitful);
        let pause = if is_fruitful { Duration::ZERO } else { self.pause.next_delay(timing, rng) };
        Some(Next { index, pause })
    }

    fn is(&self, index: usize) -> bool {
        self.is_available.get(index).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B 3.3, 3.6, 3.7.
    #[test]
    fn the_next_one_wraps_past_removed_ones_and_a_fruitless_round_pauses() {
        let timing = Timing::default();
        let mut rng = Rng::new(1);
        let mut roster = Roster::new(3, &timing);
        roster.remove(0);
        let next = roster.next_after(1, &timing, &mut rng).unwrap();
        assert_eq!(next, Next { index: 2, pause: Duration::ZERO });
        let next = roster.next_after(2, &timing, &mut rng).unwrap();
        assert_eq!(next.index, 1);
        assert!(next.pause >= Duration::from_millis(500));
        let longer = roster.next_after(2, &timing, &mut rng).unwrap();
        assert!(longer.pause >= Duration::from_secs(1));
        roster.on_completed(&timing);
        let next = roster.next_after(2, &timing, &mut rng).unwrap();
        assert_eq!(next, Next { index: 1, pause: Duration::ZERO });
    }

    /// B 3.8.
    #[test]
    fn with_all_removed_there_is_no_next_one() {
        let timing = Timing::default();
        let mut roster = Roster::new(1, &timing);
        assert!(!roster.has_other(0));
        roster.remove(0);
        assert_eq!(roster.first(), None);
        assert_eq!(roster.next_after(0, &timing, &mut Rng::new(1)), None);
    }
}

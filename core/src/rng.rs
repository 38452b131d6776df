//! The only randomness there is: a seed (B 8.1, 5.4).

use std::time::Duration;

/// SplitMix64. Ours, because a recording must replay the same numbers for ever, which no random
/// number crate promises across versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A duration from `[least, most]`.
    pub(crate) fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let share = (self.next() >> 11) as f64 / (1_u64 << 53) as f64;
        least + most.saturating_sub(least).mul_f64(share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_and_another_seed_others() {
        let draw = |seed| {
            let mut rng = Rng::new(seed);
            [(); 4].map(|()| rng.between(Duration::ZERO, Duration::from_secs(1)))
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn draws_stay_within_their_bounds_and_spread_over_them() {
        let (least, most) = (Duration::from_secs(1), Duration::from_secs(2));
        let mut rng = Rng::new(7);
        let draws: Vec<_> = (0..1_000).map(|_| rng.between(least, most)).collect();
        assert!(draws.iter().all(|draw| (least..=most).contains(draw)));
        assert!(draws.iter().any(|draw| *draw < Duration::from_millis(1_050)));
        assert!(draws.iter().any(|draw| *draw > Duration::from_millis(1_950)));
    }
}

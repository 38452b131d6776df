//! Random life against every invariant and the naive model.

use fdv2_tests::steps::{CONFIGURATIONS, Life, step};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 2,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Invariants 1 to 8, 10, 12 to 14, whatever the peers do.
    #[test]
    fn whatever_happens_the_invariants_hold(
        which in 0..CONFIGURATIONS,
        seed in any::<u64>(),
        cuts in prop::collection::vec(1..200_usize, 0..4),
        steps in prop::collection::vec(step(), 1..60),
    ) {
        let mut life = Life::start(which, seed, cuts);
        steps.iter().for_each(|step| life.step(step));
        life.recover();
    }
}

//! Random life against every invariant and the naive model.

use fdv2_tests::steps::plan;
use fdv2_tests::{made_up, ran};
use proptest::prelude::*;

proptest! {
    #![proptest_config(made_up::cases(ProptestConfig::default().cases / 2))]

    /// Invariants 1 to 14, whatever the peers do.
    #[test]
    fn whatever_happens_the_invariants_hold(plan in plan(60)) {
        ran::case();
        plan.live();
    }
}

//! Random life against every invariant and the naive model.

use fdv2_tests::ran;
use fdv2_tests::steps::plan;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

/// The variable that sets the seed of what is made up.
const SEED: &str = "FDV2_SEED";

/// Invariants 1 to 14, whatever the peers do.
#[test]
fn whatever_happens_the_invariants_hold() {
    let given = std::env::var(SEED).ok();
    let seed = given.map_or_else(rand_seed, |seed| seed.parse().expect("FDV2_SEED is a number"));
    let config = ProptestConfig {
        cases: ProptestConfig::default().cases / 2,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(seed),
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&plan(60), |plan| {
        ran::case();
        plan.live();
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}\n{SEED}={seed} makes up the same lives again");
    }
}

/// Another one each time.
fn rand_seed() -> u64 {
    any::<u64>().new_tree(&mut TestRunner::default()).expect("a number").current()
}

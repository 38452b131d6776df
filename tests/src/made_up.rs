//! Which cases property tests make up.

use std::env;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngSeed, TestRunner};

/// The variable that sets the seed of what is made up.
const SEED: &str = "FDV2_SEED";

/// So many cases, others each time. A test that fails shows the seed that makes up the same ones again.
///
/// # Panics
/// If `FDV2_SEED` is no number.
#[expect(clippy::print_stdout, reason = "what a test prints is shown when it fails")]
pub fn cases(cases: u32) -> ProptestConfig {
    let given = env::var(SEED).ok();
    let seed = given.map_or_else(any_seed, |seed| seed.parse().expect("FDV2_SEED is a number"));
    println!("{SEED}={seed} makes up the same cases again");
    let rng_seed = RngSeed::Fixed(seed);
    ProptestConfig { cases, failure_persistence: None, rng_seed, ..ProptestConfig::default() }
}

fn any_seed() -> u64 {
    any::<u64>().new_tree(&mut TestRunner::default()).expect("a number").current()
}

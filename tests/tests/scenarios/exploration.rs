//! Every sequence of a few steps, up to a depth.

#![allow(clippy::print_stdout, reason = "it says what it saw")]

use fdv2_tests::steps::explore;

/// As deep as takes some seconds.
const DEPTH: usize = 7;

/// Invariants 1 to 13 after each step, and 14 from some of the states. `FDV2_DEPTH` goes deeper.
#[test]
fn every_short_sequence_of_steps_keeps_the_invariants() {
    let given = std::env::var("FDV2_DEPTH").ok();
    let depth = given.map_or(DEPTH, |depth| depth.parse().expect("FDV2_DEPTH is a number"));
    let explored = explore(depth);
    println!("{explored:?}");
    assert!(explored.states > 10_000 || depth < DEPTH, "there is something to see");
}

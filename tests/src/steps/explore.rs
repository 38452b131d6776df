//! Every sequence of a few steps, up to a depth.

use std::collections::BTreeSet;

use super::fingerprint::fingerprint;
use super::{Head, Life, Step};
use crate::model::{Say, Thing};
use crate::ran;
use crate::sim::StoreHealth;

/// Configuration 8: the initializer `i` polls, then the stream `a` and polling of `b`, with FDv1 and
/// a store.
const CONFIGURATION: u8 = 8;
/// From one in so many states on all peers are good, for invariant 14.
const RECOVERED: usize = 97;

/// What an exploration has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explored {
    /// How many steps the longest sequences have.
    pub depth: usize,
    /// How many states were visited, each once.
    pub states: usize,
    /// How many steps led to them, or to one that was known.
    pub steps: usize,
}

/// The steps that sequences are made of. To hang is to let deadlines pass.
fn alphabet() -> Vec<Step> {
    let thing = Thing { is_flag: true, key: 1, version: 1, is_on: true, needs: None, uses: None };
    let head = |status, directive| {
        Step::Head(Head { status, is_typed: true, is_tagged: false, directive })
    };
    vec![
        Step::Refuse,
        Step::Deliver(vec![thing], 1),
        Step::Say(vec![Say::Goodbye]),
        head(200, Some(60)),
        head(503, Some(60)),
        head(401, None),
        Step::Deadline,
        Step::StoreFares(StoreHealth::Down),
        Step::StoreFares(StoreHealth::Hanging),
        Step::StoreFares(StoreHealth::Up),
        Step::Close(2_000),
    ]
}

/// Visits every state that at most `depth` steps lead to, once, and checks all invariants on the
/// way. Two states are one if they differ only in their clock, in generations and in errors told,
/// and in when something happened or will by less than a second, as jitter makes them differ.
///
/// # Panics
/// If an invariant breaks; the sequence of steps is in the message of a second panic.
pub fn explore(depth: usize) -> Explored {
    let alphabet = alphabet();
    let mut seen = BTreeSet::new();
    let start = Life::start(CONFIGURATION, 1, vec![]);
    seen.insert(state_of(&start));
    let mut frontier = vec![start];
    let mut steps = 0;
    for _ in 0..depth {
        let mut next = Vec::new();
        for life in frontier {
            for step in &alphabet {
                let mut life = life.fork();
                life.step(step);
                steps += 1;
                if seen.insert(state_of(&life)) {
                    if seen.len().is_multiple_of(RECOVERED) {
                        life.fork().recover();
                    }
                    next.push(life);
                }
            }
        }
        frontier = next;
    }
    ran::states(seen.len() as u64, depth);
    Explored { depth, states: seen.len(), steps }
}

fn state_of(life: &Life) -> u64 {
    let sim = life.sim();
    fingerprint(sim.now(), &format!("{:?} {:?}", sim.system(), sim.store().state()))
}

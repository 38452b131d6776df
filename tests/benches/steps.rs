//! How many steps a second the simulator takes on one core: calls of the core, each with what is
//! checked of it. Once with all invariants, and once without the systems that run beside the first
//! (invariants 2, 9 and 10). At least a quarter of the steps bring data.

#![expect(clippy::print_stdout, reason = "a bench tells its figures")]

use std::process::ExitCode;

use fdv2_tests::measure::thread_nanos;
use fdv2_tests::model::{Say, Thing};
use fdv2_tests::sim::StoreHealth;
use fdv2_tests::steps::{CONFIGURATIONS, Life, Step};

/// How many rounds of steps a life has.
const ROUNDS: u8 = 20;
/// How long is measured, in nanoseconds.
const TIME: f64 = 2e9;
/// The least share of the steps that bring data.
const SHARE: f64 = 0.25;

fn flag(key: u8, version: u8) -> Thing {
    let needs = (key > 0).then(|| key - 1);
    Thing { is_flag: true, key, version, is_on: version.is_multiple_of(2), needs, uses: Some(0) }
}

fn segment(version: u8) -> Thing {
    Thing { is_flag: false, key: 0, version, is_on: false, needs: None, uses: None }
}

/// Data, and trouble.
fn round(version: u8) -> Vec<Step> {
    let change = |key| Step::Say(vec![Say::Put(flag(key, version)), Say::Transferred(key)]);
    let heartbeat = || Step::Say(vec![Say::Noise(0)]);
    vec![
        Step::Deliver(vec![segment(version), flag(0, version), flag(1, version)], version % 8),
        change(0),
        heartbeat(),
        Step::Advance(700),
        Step::Say(vec![Say::Put(flag(1, version))]),
        heartbeat(),
        Step::Say(vec![Say::Put(segment(version + 1)), Say::Transferred(5)]),
        change(2),
        heartbeat(),
        Step::StoreFares(StoreHealth::Down),
        heartbeat(),
        change(3),
        heartbeat(),
        Step::StoreFares(StoreHealth::Up),
        Step::Deadline,
        Step::Say(vec![Say::Changes, Say::Delete(true, 3), Say::Transferred(6)]),
        Step::End,
        Step::Deadline,
        Step::Refuse,
        Step::Deadline,
        Step::Break,
        Step::Deadline,
        Step::Deliver(vec![segment(version), flag(2, version)], version % 8),
        heartbeat(),
        change(1),
        Step::Advance(20_000),
        heartbeat(),
    ]
}

/// What was measured.
#[derive(Default)]
struct Measured {
    steps: u64,
    data: usize,
    nanos: f64,
}

fn measure(is_light: bool) -> Measured {
    let rounds: Vec<Vec<Step>> = (0..ROUNDS).map(round).collect();
    let mut measured = Measured::default();
    let mut seed = 0;
    while measured.nanos < TIME {
        let begun = thread_nanos();
        for which in 0..CONFIGURATIONS {
            seed += 1;
            let mut life = Life::start(which, seed, vec![]);
            if is_light {
                life = life.lightly();
            }
            rounds.iter().flatten().for_each(|step| life.step(step));
            measured.steps += life.sim().steps();
            measured.data += life.sim().snapshots();
        }
        measured.nanos += thread_nanos() - begun;
    }
    measured
}

fn tell(name: &str, is_light: bool, target: f64) -> bool {
    let Measured { steps, data, nanos } = measure(is_light);
    let (speed, share) = (steps as f64 / nanos * 1e9, data as f64 / steps as f64);
    let is_reached = speed >= target && share >= SHARE;
    let verdict = if is_reached { "" } else { "  MISSED" };
    println!(
        "{name:<36}{speed:>10.0} steps/s, {:.0} % bring data  target {target:.0}{verdict}",
        share * 100.0
    );
    is_reached
}

fn main() -> ExitCode {
    let all = tell("all invariants", false, 50_000.0);
    let light = tell("without 2, 9 and 10", true, 200_000.0);
    if all && light { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

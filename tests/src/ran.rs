//! What a test run did, counted, so that the test command can say it.
//!
//! Each thread counts for itself. When it ends it adds one line to the file that the variable
//! `FDV2_RAN` names, if there is one; `tests/run.sh` sums them up.

use std::cell::RefCell;
use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;

#[derive(Default)]
struct Ran {
    cases: u64,
    steps: u64,
    simulated: Duration,
    executions: u64,
    states: u64,
    depth: usize,
}

thread_local! {
    static RAN: RefCell<Ran> = RefCell::default();
}

/// A case of a property test has run.
pub fn case() {
    count(|ran| ran.cases += 1);
}

/// A simulation has taken so many steps, for so long in virtual time.
pub fn steps(steps: u64, simulated: Duration) {
    count(|ran| {
        ran.steps += steps;
        ran.simulated += simulated;
    });
}

/// A fuzz target has run so often.
pub fn executions(executions: u64) {
    count(|ran| ran.executions += executions);
}

/// An exploration has visited so many states, with all sequences of so many steps.
pub fn states(states: u64, depth: usize) {
    count(|ran| {
        ran.states += states;
        ran.depth = ran.depth.max(depth);
    });
}

/// A thread that is ending has nothing to count any more.
fn count(add: impl FnOnce(&mut Ran)) {
    let _ = RAN.try_with(|ran| add(&mut ran.borrow_mut()));
}

impl Drop for Ran {
    fn drop(&mut self) {
        let Some(path) = env::var_os("FDV2_RAN") else { return };
        let Self { cases, steps, simulated, executions, states, depth } = self;
        let seconds = simulated.as_secs();
        let line = format!("{cases} {steps} {seconds} {executions} {states} {depth}\n");
        let file = OpenOptions::new().create(true).append(true).open(path);
        // One write, so that the lines of many threads stay whole. A summary is worth no panic.
        let _ = file.and_then(|mut file| file.write_all(line.as_bytes()));
    }
}

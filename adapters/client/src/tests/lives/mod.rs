//! The very loop that ships, in virtual time, through random lives: tasks run in any order and are
//! woken for no reason, bytes come in pieces with pauses between, whoever waits may give up at any
//! point, handles come and go, the store hangs and fails, the runtime is dropped. Whenever nothing
//! can run, everybody must wait for good reason.
//!
//! A failure prints the seed and the acts, and the same come to the same again. `PROPTEST_CASES`
//! sets how many lives are lived.

mod act;
mod check;
mod life;
mod line;
mod served;

use std::time::Duration;

use proptest::prelude::*;

use self::act::{Act, act};
use self::life::Life;
use self::line::{Head, Wakes};
use self::served::Served;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_nobody_waits_in_vain(
        seed in any::<u64>(),
        has_store in any::<bool>(),
        acts in prop::collection::vec(act(), 1..80),
    ) {
        let mut life = Life::start(seed, has_store, Wakes::Always);
        acts.iter().for_each(|act| life.act(act));
        life.rest();
        life.finish();
    }
}

/// The test can fail: what is caught here is caught there.
#[test]
#[should_panic(expected = "the driver was not woken for what has come")]
fn a_transport_that_forgets_to_wake_is_caught() {
    let mut life = Life::start(1, false, Wakes::Never);
    life.rest();
    life.act(&Act::Answer(Head::Fine));
    life.rest();
}

/// So is a runtime that loses a sleep.
#[test]
#[should_panic(expected = "no sleep is armed")]
fn a_clock_that_forgets_a_sleep_is_caught() {
    let mut life = Life::start(1, false, Wakes::Always);
    life.rest();
    life.sim.forget_sleeps();
    life.rest();
}

/// And data that is not what the server sent.
#[test]
#[should_panic(expected = "left == right")]
fn data_that_was_not_sent_is_caught() {
    let mut life = Life::start(1, false, Wakes::Always);
    life.rest();
    life.act(&Act::Answer(Head::Fine));
    life.act(&Act::Commit { flag: 1, is_removed: false });
    life.served = Served::new();
    life.act(&Act::WriteAll { has_pauses: false });
    life.served.commit(2, false);
    life.rest();
}

/// The same life with a transport that wakes.
#[test]
fn a_stream_that_is_answered_becomes_valid_and_ends_without_a_trace() {
    let mut life = Life::start(1, true, Wakes::Always);
    life.rest();
    life.act(&Act::Answer(Head::Fine));
    life.act(&Act::WriteAll { has_pauses: true });
    life.pass(Duration::from_secs(1));
    assert_eq!(life.seen(), *life.served.state(0));
    life.finish();
}

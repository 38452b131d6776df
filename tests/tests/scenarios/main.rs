//! The core's rules in virtual time. Each test names the rule of `behaviour.md` that it shows.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test may panic"
)]

mod cases;
mod chunks;
mod closing;
mod config;
mod custom;
mod directive;
mod directive_ttl;
mod exploration;
mod fallback;
mod faults;
mod flag_changes;
mod initializers;
mod instants;
mod interleavings;
mod items;
mod limits;
mod parsing;
mod polling;
mod polling_bodies;
mod random;
mod readiness;
mod recordings;
mod recovery;
mod redirects;
mod requests;
mod retry;
mod rounds;
mod saboteurs;
mod salvage;
mod selectors;
mod status;
mod store;
mod transfers;

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::{Reply, Sim};

/// The attempt ended as invalid data while data was held: nothing of it shows, and it is retried.
#[track_caller]
fn assert_invalid_and_retried(sim: &mut Sim) {
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData), "{sim:?}");
    assert_eq!(sim.state(), SourceState::Interrupted, "{sim:?}");
    assert_eq!(sim.live(), None, "the attempt goes on\n{sim:?}");
    sim.expect_quiet();
    sim.until_asked("a");
}

/// The stream `a` is asked again and answers; returns when the answer was given.
#[track_caller]
fn reconnect(sim: &mut Sim, reply: Reply) {
    sim.until_asked("a");
    sim.reply(reply);
}

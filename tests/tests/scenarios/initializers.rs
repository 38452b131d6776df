//! B 3.1: the phase before the first synchronizer.

use std::time::Duration;

use fdv2_core::ConfigBuilder;
use fdv2_core::status::{Availability, ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream};

fn two_initializers() -> ConfigBuilder {
    config().initializer(poll("i1")).initializer(poll("i2")).synchronizer(stream("a"))
}

/// The first initializer gets `reply`; returns the system and when the second was asked.
#[track_caller]
fn until_the_second(reply: Reply) -> (Sim, Duration) {
    let mut sim = Sim::new(two_initializers());
    sim.serve_always("i1", reply);
    sim.start();
    sim.expect("i1");
    let at = sim.until_asked("i2").at.since_epoch();
    assert_eq!(sim.asked_of("i1").len(), 1, "an initializer is tried once");
    (sim, at)
}

/// B 3.1.
#[test]
fn a_selector_ends_the_phase() {
    let mut sim = Sim::new(two_initializers());
    sim.serve_always("i1", Reply::poll(full("s1", [on("f1")])));
    sim.start();
    sim.expect("i1");
    sim.expect("a");
    sim.advance(secs(600));
    assert_eq!(sim.asked_of("i2").len(), 0);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 3.1: data without a selector (here a salvage, B 1.15) is applied, and the next runs.
#[test]
fn data_without_a_selector_is_applied_and_the_next_runs() {
    let salvage = Reply::poll(full("s1", [on("f1"), undecodable("f2")]));
    let (mut sim, at) = until_the_second(salvage);
    assert_eq!(at, secs(0));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.availability(), Availability::Cached);
    assert!(!sim.is_ready(), "the initializers are not through");
    assert_eq!(sim.asked_of("i2")[0].basis(), None);
    sim.reply(Reply::poll(full("s2", [off("f1"), on("f2")])));
    assert_eq!(sim.expect("a").basis(), Some("s2"));
    assert!(sim.is_ready());
}

/// B 3.1, 1.14, cases I05.
#[test]
fn none_moves_on_to_the_next() {
    let (mut sim, at) = until_the_second(Reply::poll(none()));
    assert_eq!(at, secs(0));
    assert!(!sim.is_ready());
    assert_eq!(sim.state(), SourceState::Initializing);
    sim.reply(Reply::poll(full("s1", [])));
    assert_eq!(sim.expect("a").basis(), Some("s1"));
}

/// B 3.1: a 304 to a request without tag is a failure (B 4.2).
#[test]
fn any_failure_moves_on_to_the_next() {
    let broken = Reply::head(200).bytes(poll_body(&full("s1", [on("f1")]))).break_off();
    for (reply, kind) in [
        (Reply::status(401), Some(ErrorKind::ErrorResponse)),
        (Reply::status(404), Some(ErrorKind::ErrorResponse)),
        (Reply::status(429), Some(ErrorKind::ErrorResponse)),
        (Reply::status(500), Some(ErrorKind::ErrorResponse)),
        (Reply::status(304), None),
        (Reply::refuse(), Some(ErrorKind::Network)),
        (broken, Some(ErrorKind::Network)),
        (Reply::body("{"), Some(ErrorKind::InvalidData)),
        (Reply::body("<html>"), Some(ErrorKind::InvalidData)),
        (Reply::poll(changes("s1", [on("f1")])), Some(ErrorKind::InvalidData)),
        (Reply::poll([intent("xfer-full"), put(on("f1"))]), Some(ErrorKind::InvalidData)),
    ] {
        let (mut sim, at) = until_the_second(reply);
        assert_eq!(at, secs(0));
        assert_eq!(sim.flags(), []);
        assert!(sim.last_error().is_some(), "{sim:?}");
        assert!(kind.is_none() || sim.error_kind() == kind, "{sim:?}");
        assert_eq!(sim.state(), SourceState::Initializing);
        sim.reply(Reply::status(503));
        assert_eq!(sim.expect("a").basis(), None);
    }
}

/// B 3.1 and 8.6: a hanging initializer is left after 10 s.
#[test]
fn a_hung_initializer_is_left_after_ten_seconds() {
    let (sim, at) = until_the_second(Reply::hang());
    assert_eq!(at, secs(10));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
}

/// B 3.1: a head is no progress.
#[test]
fn an_initializer_without_progress_is_left_after_ten_seconds() {
    let (_, at) = until_the_second(Reply::head(200).late(secs(5)));
    assert!(at >= secs(10) && at <= secs(15), "{at:?}");
}

/// B 3.1: progress keeps it, for five minutes.
#[test]
fn an_initializer_that_drips_is_left_after_five_minutes() {
    let drip = Reply::head(200).bytes(r#"{"events":["#).repeat(secs(9), 100, " ");
    let (_, at) = until_the_second(drip);
    assert_eq!(at, secs(300));
}

/// B 3.1: slow is not dead.
#[test]
fn a_slow_initializer_that_makes_progress_gets_through() {
    let body = poll_body(&full("s1", [on("f1")]));
    let (first, rest) = body.split_at(20);
    let slow = Reply::head(200)
        .late(secs(9))
        .bytes(first.to_owned())
        .repeat(secs(9), 20, " ")
        .bytes_after(secs(9), rest.to_owned());
    let mut sim = Sim::new(two_initializers());
    // Blanks between the members of the JSON: the cut lies behind `{"events":[{"event":`.
    sim.serve_always("i1", slow.end());
    sim.start().advance(secs(200));
    assert_eq!(sim.asked_of("i2").len(), 0, "{sim:?}");
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 3.1: both limits can be configured.
#[test]
fn the_limits_of_initializers_can_be_configured() {
    let configured = two_initializers().adjust_timing(|timing| {
        timing.initializer_idle = secs(3);
        timing.initializer_limit = secs(20);
    });
    let mut sim = Sim::new(configured);
    sim.serve_always("i1", Reply::head(200).repeat(secs(2), 100, " "));
    sim.serve_always("i2", Reply::hang());
    sim.start();
    sim.expect("i1");
    assert_eq!(sim.until_asked("i2").at.since_epoch(), secs(20));
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(23));
}

/// B 3.1 and 6.1: the phase ends without data, and says nothing of its own.
#[test]
fn the_first_synchronizer_starts_when_all_initializers_failed() {
    let mut sim = Sim::new(two_initializers());
    sim.serve_always("i1", Reply::status(503)).serve_always("i2", Reply::refuse());
    sim.start();
    sim.expect("i1");
    sim.expect("i2");
    sim.expect("a");
    assert_eq!(sim.elapsed(), secs(0));
    assert_eq!(sim.states(), [SourceState::Initializing]);
    sim.reply(Reply::stream(full("s1", [on("f1")])));
    assert!(sim.is_ready());
    assert_eq!(sim.states(), [SourceState::Initializing, SourceState::Valid]);
}

/// B 3.1, 5.4: initializers never run again.
#[test]
fn initializers_run_once() {
    let mut sim = Sim::new(two_initializers().synchronizer(stream("b")));
    sim.serve_always("i1", Reply::refuse()).serve_always("i2", Reply::refuse());
    sim.serve_always("a", Reply::hang()).serve_always("b", Reply::hang());
    sim.start().advance(secs(3600));
    assert_eq!(sim.asked_of("i1").len(), 1);
    assert_eq!(sim.asked_of("i2").len(), 1);
}

//! B 6.1 to 6.3 and 6.6: the data source's status, and the environment id.

use fdv2_core::effect::Update;
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, polling, secs, stream, streaming, two_streams};

use SourceState::{Initializing, Interrupted, Valid};

/// B 6.1.
#[test]
fn a_completed_transfer_is_valid_and_a_failure_interrupts() {
    let mut sim = streaming(full("s1", [on("f1")]));
    assert_eq!(sim.state(), Valid);
    sim.advance(secs(5)).break_off();
    assert_eq!(sim.state(), Interrupted);
    assert_eq!(sim.status().since.since_epoch(), secs(5));
    let error = sim.last_error().unwrap();
    assert_eq!((error.kind, error.status), (ErrorKind::Network, None));
    assert_eq!(error.at.since_epoch(), secs(5));
    assert!(!error.message.is_empty());
}

/// B 6.1, cases F04, I10: before the first data an error leaves INITIALIZING.
#[test]
fn errors_before_the_first_data_leave_initializing() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let good = Reply::stream(full("s1", [on("f1")]));
    sim.serve_in_turn("a", [Reply::status(503), Reply::status(502), Reply::refuse(), good]);
    sim.start();
    assert_eq!(sim.state(), Initializing);
    assert_eq!(sim.last_error().unwrap().status, Some(503));
    sim.advance(secs(20));
    assert_eq!(sim.states(), [Initializing, Valid]);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network), "the newest error is kept");
    assert!(sim.is_ready());
}

/// B 6.1, cases F06: the last error is kept when VALID returns.
#[test]
fn the_last_error_is_kept_when_valid_returns() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    let error = sim.last_error().cloned();
    sim.until_asked("a");
    sim.reply(Reply::stream(none()));
    assert_eq!(sim.state(), Valid);
    assert_eq!(sim.last_error(), error.as_ref());
}

/// B 6.1: *since* begins with the start.
#[test]
fn initializing_is_since_the_start() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::status(503));
    sim.advance(secs(5)).start();
    assert_eq!(sim.state(), Initializing);
    assert_eq!(sim.status().since.since_epoch(), secs(5));
}

/// B 6.1: *since* moves only with the state (that it does is an invariant).
#[test]
fn since_stays_while_the_state_stays() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.advance(secs(5)).break_off();
    sim.serve_always("a", Reply::status(503));
    sim.advance(secs(20));
    assert_eq!(sim.last_error().unwrap().status, Some(503));
    assert_eq!(sim.status().since.since_epoch(), secs(5));
    assert!(sim.last_error().unwrap().at.since_epoch() > secs(5));
}

/// B 6.1.
#[test]
fn each_kind_of_failure_has_its_kind_of_error() {
    for (reply, kind, status) in [
        (Reply::refuse(), ErrorKind::Network, None),
        (Reply::hang(), ErrorKind::Network, None),
        (Reply::stream([]).break_off(), ErrorKind::Network, None),
        (Reply::status(500), ErrorKind::ErrorResponse, Some(500)),
        (Reply::stream([event("server-intent", "{")]), ErrorKind::InvalidData, None),
    ] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", reply);
        sim.start().advance(secs(11));
        let error = sim.last_error().unwrap();
        assert_eq!((error.kind, error.status), (kind, status));
    }
}

/// B 6.1: a goodbye and a clean end interrupt; only the goodbye sets no error.
#[test]
fn a_goodbye_interrupts_without_an_error_and_a_clean_end_with_one() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.send([goodbye()]);
    assert_eq!(sim.state(), Interrupted);
    assert_eq!(sim.last_error(), None);

    let mut sim = streaming(full("s1", [on("f1")]));
    sim.end();
    assert_eq!(sim.state(), Interrupted);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
}

/// B 6.1: an `error` event is neither a failure nor an end.
#[test]
fn an_error_event_leaves_valid() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.send([put(off("f1")), error()]);
    assert_eq!(sim.state(), Valid);
}

/// B 6.1: from an initializer only a transfer with a selector is VALID.
#[test]
fn data_without_selector_from_an_initializer_is_not_valid() {
    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(stream("a")));
    sim.serve_always("i", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.start();
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_ne!(sim.state(), Valid);

    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(stream("a")));
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
    sim.start();
    assert_eq!(sim.state(), Valid);
}

/// B 6.1, cases F04: INITIALIZING is only ever the beginning.
#[test]
fn initializing_is_never_entered_again() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::refuse()]);
    sim.serve_always("b", Reply::stream(none()));
    sim.start().advance(secs(200));
    sim.serve_always("a", Reply::stream(none()));
    sim.advance(secs(400));
    sim.serve_always("a", Reply::refuse());
    sim.break_off().advance(secs(10));
    assert_eq!(sim.states(), [Initializing, Valid, Interrupted, Valid, Interrupted]);
}

/// B 6.1, cases F05: the end of the initializers sets nothing.
#[test]
fn the_end_of_the_initializers_sets_no_status() {
    let configured = config().initializer(poll("i1")).initializer(poll("i2"));
    let mut sim = Sim::new(configured.synchronizer(stream("a")));
    sim.serve_always("i1", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.serve_always("i2", Reply::status(503));
    sim.serve_always("a", Reply::hang());
    sim.start();
    assert_ne!(sim.state(), Valid);
    assert_eq!(sim.last_error().unwrap().status, Some(503));
}

/// B 6.2, cases F07.
#[test]
fn a_stream_that_waits_to_reconnect_is_interrupted() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.serve_in_turn("a", [Reply::refuse(), Reply::refuse(), Reply::stream(none())]);
    sim.end();
    assert_eq!(sim.state(), Interrupted);
    while sim.asked().len() < 4 {
        assert_eq!(sim.state(), Interrupted);
        sim.advance(secs(1));
    }
    assert_eq!(sim.state(), Valid);
}

/// B 6.2, cases F07: a server that answers and closes at once.
#[test]
fn a_stream_that_closes_at_once_each_time_is_not_valid() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.serve_always("a", Reply::stream([]).end());
    sim.end().advance(secs(100));
    assert_eq!(sim.states(), [Initializing, Valid, Interrupted]);
}

/// B 6.3 (the order itself is an invariant): everything in one step.
#[test]
fn one_step_tells_everything_in_order() {
    let whole = full("s1", [on("f1")]);
    assert_eq!(ranks_of(Reply::poll(whole).header("x-ld-envid", "env")), [1, 2, 3, 4, 5]);
    let salvage = full("s1", [on("f1"), undecodable("f2")]);
    assert_eq!(ranks_of(Reply::poll(salvage)), [2, 3, 4, 5]);
}

/// What the first answer of a poll leads to, as places in the order.
fn ranks_of(reply: Reply) -> Vec<u8> {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", reply);
    sim.start();
    sim.updates()
        .filter_map(|update| match update {
            Update::EnvironmentId(_) => Some(1),
            Update::Snapshot(_) => Some(2),
            Update::SourceStatus(status) if status.state != Initializing => Some(3),
            Update::Readiness(_) => Some(4),
            Update::FlagsChanged(_) => Some(5),
            _ => None,
        })
        .collect()
}

/// B 6.6.
#[test]
fn the_environment_id_comes_with_valid_data() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.start().reply(Reply::stream([]).header("X-LD-EnvID", "env-1"));
    assert_eq!(sim.environment_id(), None, "no valid data yet");
    sim.send(full("s1", [on("f1")]));
    assert_eq!(sim.environment_id(), Some("env-1"));
}

/// B 6.6: `none` and 304 are valid data, and the newest counts.
#[test]
fn the_newest_environment_id_counts() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.overlook().break_off();
    sim.until_asked("a");
    sim.reply(Reply::stream(none()).header("X-LD-EnvID", "env-1"));
    assert_eq!(sim.environment_id(), Some("env-1"));
    sim.break_off();
    sim.until_asked("a");
    sim.reply(Reply::stream(none()).header("x-ld-envid", "env-2"));
    assert_eq!(sim.environment_id(), Some("env-2"));

    let tagged = Reply::poll(full("s1", [])).header("etag", "1").header("x-ld-envid", "env-1");
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", [tagged, Reply::status(304).header("x-ld-envid", "env-2")]);
    sim.start();
    assert_eq!(sim.environment_id(), Some("env-1"));
    sim.advance(secs(30));
    assert_eq!(sim.environment_id(), Some("env-2"));
}

/// B 6.6.
#[test]
fn responses_without_valid_data_leave_the_environment_id() {
    for later in [
        Reply::status(503).header("x-ld-envid", "other"),
        Reply::status(401).header("x-ld-envid", "other"),
        Reply::body("{").header("x-ld-envid", "other"),
        Reply::poll(none()).header("x-ld-envid", ""),
        Reply::poll(none()),
    ] {
        let mut sim = Sim::new(config().synchronizer(poll("a")));
        let first = Reply::poll(full("s1", [])).header("x-ld-envid", "env");
        sim.serve_in_turn("a", [first, later]);
        sim.start().advance(secs(30));
        assert_eq!(sim.asked().len(), 2);
        assert_eq!(sim.environment_id(), Some("env"));
    }
}

/// B 6.6: the same id is told once.
#[test]
fn the_same_environment_id_is_told_once() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", Reply::poll(full("s1", [])).header("x-ld-envid", "env"));
    sim.start().advance(secs(300));
    let told = sim.updates().filter(|told| matches!(told, Update::EnvironmentId(_))).count();
    assert_eq!(told, 1);
}

/// B 6.6: an initializer's counts too.
#[test]
fn an_initializers_environment_id_counts() {
    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(stream("a")));
    sim.serve_always("i", Reply::poll(full("s1", [])).header("x-ld-envid", "env"));
    sim.start();
    assert_eq!(sim.environment_id(), Some("env"));
}

/// B 6.1: a transfer that changes nothing in the status tells no status.
#[test]
fn a_second_transfer_tells_no_status() {
    let mut sim = polling(full("s1", [on("f1")]));
    sim.serve_always("a", Reply::poll(full("s1", [on("f1")])));
    let told = |sim: &Sim| {
        sim.updates().filter(|update| matches!(update, Update::SourceStatus(_))).count()
    };
    let before = told(&sim);
    sim.advance(secs(300));
    assert_eq!(told(&sim), before);
}

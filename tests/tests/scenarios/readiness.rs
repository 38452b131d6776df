//! B 6.4, 6.5, 6.8: when flags can be trusted, and how good they are.

use fdv2_core::Update;
use fdv2_core::config::Config;
use fdv2_core::status::{Availability, Readiness, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, streaming};

/// B 6.4, 6.5.
#[test]
fn a_change_set_with_a_selector_makes_ready() {
    let mut sim = streaming([intent("xfer-full"), put(on("f1"))]);
    assert_eq!(*sim.readiness(), Readiness::Pending);
    assert_eq!(sim.availability(), Availability::Defaults);
    sim.send([transferred("s1", 1)]);
    assert!(sim.is_ready());
    assert_eq!(sim.availability(), Availability::Refreshed);
}

/// B 6.4: an empty one too.
#[test]
fn an_empty_change_set_makes_ready() {
    let sim = streaming(full("s1", []));
    assert!(sim.is_ready());
    assert_eq!(sim.availability(), Availability::Refreshed);
}

/// B 6.4: ready is told once.
#[test]
fn ready_is_told_once() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.send(full("s2", [off("f1")])).break_off();
    sim.until_asked("a");
    sim.reply(Reply::stream(full("s3", [on("f1")])));
    let told = sim.updates().filter(|update| matches!(update, Update::Readiness(_))).count();
    assert_eq!(told, 1);
}

/// B 6.4: data without a selector counts once the initializers are through.
#[test]
fn data_without_a_selector_makes_ready_when_the_initializers_are_through() {
    let configured = config().initializer(poll("i1")).initializer(poll("i2"));
    let mut sim = Sim::new(configured.synchronizer(stream("a")));
    sim.serve_always("i1", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.start();
    assert!(!sim.is_ready());
    sim.reply(Reply::status(503));
    assert!(sim.is_ready(), "{sim:?}");
    assert_eq!(sim.availability(), Availability::Cached);
    assert_ne!(sim.state(), SourceState::Valid);
}

/// B 6.4: FDv1 data has no selector, and the initializers are through.
#[test]
fn fdv1_data_makes_ready() {
    let configured = config().initializer(poll("i")).synchronizer(stream("a")).fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i", Reply::status(500).directive());
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start();
    assert!(sim.is_ready());
    assert_eq!(sim.availability(), Availability::Cached);
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.asked_of("a").len(), 0);
}

/// B 6.4: a success after giving up turns failed to ready.
#[test]
fn a_later_success_turns_failed_to_ready() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_in_turn(
        "a",
        [Reply::status(500).directive_for(60), Reply::stream(full("s1", [on("f1")]))],
    );
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(matches!(sim.readiness(), Readiness::Failed(Some(_))), "{sim:?}");
    sim.advance(secs(60));
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 6.4: retryable failures are no end of the wait.
#[test]
fn retryable_failures_leave_the_wait_open() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::status(503));
    sim.start().advance(secs(3600));
    assert_eq!(*sim.readiness(), Readiness::Pending);
}

/// B 6.4, 3.8: giving up with data is no failure.
#[test]
fn giving_up_with_data_stays_ready() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).end(), Reply::status(401)]);
    sim.start().advance(secs(2));
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.is_ready());
}

/// B 6.8.
#[test]
fn offline_is_ready_and_valid_at_once_and_asks_nobody() {
    let offline = config().synchronizer(stream("a")).initializer(poll("i")).set_offline(true);
    for configured in [Config::offline(), config(), offline] {
        let mut sim = Sim::new(configured).idle_is_fine();
        sim.start();
        assert!(sim.is_ready());
        assert_eq!(sim.state(), SourceState::Valid);
        assert_eq!(sim.availability(), Availability::Defaults);
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.system().next_deadline(), None);
        sim.advance(secs(3600)).expect_quiet();
        sim.close();
        assert_eq!(sim.state(), SourceState::Off);
        assert!(sim.is_stopped());
    }
}

/// B 6.8.
#[test]
fn initializers_only_are_valid_when_they_brought_data() {
    let mut sim = Sim::new(config().initializer(poll("i1")).initializer(poll("i2")));
    sim = sim.idle_is_fine();
    sim.serve_always("i1", Reply::refuse());
    sim.serve_always("i2", Reply::poll(full("s1", [on("f1")])));
    sim.start();
    assert_eq!(sim.state(), SourceState::Valid);
    assert!(sim.is_ready());
    assert_eq!(sim.running(), None);
    sim.overlook().advance(secs(3600)).expect_quiet();
}

/// B 6.8: data held is enough, a salvage too.
#[test]
fn initializers_only_are_valid_when_data_is_held_without_a_selector() {
    let mut sim = Sim::new(config().initializer(poll("i"))).idle_is_fine();
    sim.serve_always("i", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.start();
    assert_eq!(sim.state(), SourceState::Valid);
    assert!(sim.is_ready());
    assert_eq!(sim.availability(), Availability::Cached);
}

/// B 6.8.
#[test]
fn initializers_only_are_off_when_they_brought_nothing() {
    let mut sim = Sim::new(config().initializer(poll("i1")).initializer(poll("i2")));
    sim = sim.idle_is_fine();
    sim.serve_always("i1", Reply::refuse()).serve_always("i2", Reply::status(500));
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert_eq!(sim.last_error().unwrap().status, Some(500));
    assert!(matches!(sim.readiness(), Readiness::Failed(Some(_))));
    assert_eq!(sim.system().next_deadline(), None);
    sim.overlook().advance(secs(3600)).expect_quiet();
}

/// B 6.7, as far as the core decides it: whether each flag gives its default is what the snapshot
/// says, ready or not, and no later state takes it back.
#[test]
fn data_is_held_from_the_first_change_set_on() {
    let mut sim = streaming([]);
    assert!(!sim.system().snapshot().is_held());
    sim.send(full("s1", []));
    assert!(sim.system().snapshot().is_held(), "an empty one too");
    sim.break_off();
    assert!(sim.system().snapshot().is_held());
    sim.close();
    assert!(sim.system().snapshot().is_held());
}

/// B 6.7: data of an initializer without a selector is served before anything is ready.
#[test]
fn data_is_held_before_it_makes_ready() {
    let mut sim = Sim::new(config().initializer(poll("i1")).initializer(poll("i2")));
    sim.serve_always("i1", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.start();
    assert!(!sim.is_ready());
    assert!(sim.system().snapshot().is_held());
}

/// B 6.8: a store and no source is ready and VALID at once, and the core asks the store nothing.
#[test]
fn daemon_mode_is_ready_at_once() {
    let mut sim = Sim::new(Config::daemon()).idle_is_fine();
    sim.start();
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
    sim.advance(secs(3600)).expect_quiet();
    assert!(sim.store().writes().is_empty());
    assert_eq!(sim.system().next_deadline(), None);
}

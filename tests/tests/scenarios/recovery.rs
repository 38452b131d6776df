//! B 3.4: back to the first available synchronizer.

use fdv2_core::ConfigBuilder;
use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::SourceState;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, secs, stream, two_streams};

const A: Option<SourceId> = Some(SourceId::Synchronizer(0));
const B: Option<SourceId> = Some(SourceId::Synchronizer(1));

/// `a` brings data and breaks for good at 0 s; `b` takes over at 120 s and is healthy.
fn on_b(config: ConfigBuilder) -> Sim {
    let mut sim = Sim::new(config);
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).break_off(), Reply::refuse()]);
    sim.serve_always("b", Reply::stream(none()));
    sim.start().advance(secs(120));
    assert_eq!(sim.state(), SourceState::Valid, "{sim:?}");
    assert_eq!(sim.running(), B);
    sim.overlook();
    sim
}

/// B 3.4: an exact deadline, also when the stream is silent.
#[test]
fn after_five_minutes_of_health_the_first_available_one_is_tried() {
    let mut sim = on_b(two_streams());
    sim.serve_always("a", Reply::stream(changes("s2", [off("f1")])));
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(420));
    assert_eq!(sim.running(), A);
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Recovery);
    assert_eq!(sim.is_on("f1"), Some(false));
    sim.advance(secs(1000));
    assert_eq!(sim.running(), A);
}

/// B 3.4.
#[test]
fn the_time_to_recovery_can_be_configured() {
    let mut sim = on_b(two_streams().adjust_timing(|timing| timing.recovery_after = secs(40)));
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(160));
}

/// B 3.4: interruptions under 30 s are part of the health.
#[test]
fn a_short_interruption_does_not_put_recovery_off() {
    let mut sim = on_b(two_streams());
    sim.advance(secs(100)).break_off();
    sim.until_asked("b");
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(420));
}

/// B 3.4.
#[test]
fn a_long_interruption_puts_recovery_off() {
    let mut sim = on_b(two_streams());
    sim.advance(secs(100));
    sim.serve_always("b", Reply::refuse());
    sim.break_off().advance(secs(45));
    sim.serve_always("b", Reply::stream(none()));
    while sim.state() != SourceState::Valid {
        sim.advance(secs(1));
    }
    let healthy_again = sim.overlook().status().since;
    assert_eq!(sim.until_asked("a").at, healthy_again + secs(300));
}

/// B 3.4: never during an interruption.
#[test]
fn recovery_waits_for_the_end_of_an_interruption() {
    let mut sim = on_b(two_streams());
    sim.advance(secs(295));
    sim.serve_always("b", Reply::hang());
    sim.break_off().advance(secs(8));
    assert_eq!(sim.running(), B, "due at 420 s, and `b` is interrupted");
    sim.overlook().reply(Reply::stream(none()));
    assert!(sim.elapsed() > secs(420));
    sim.advance(secs(1));
    sim.expect("a");
}

/// B 3.4.
#[test]
fn a_first_one_without_progress_is_left_after_ten_seconds() {
    for silent in [Reply::hang(), Reply::stream([]), Reply::refuse(), Reply::status(503)] {
        let mut sim = on_b(two_streams());
        sim.serve_always("a", silent);
        assert_eq!(sim.until_asked("a").at.since_epoch(), secs(420));
        sim.advance(secs(10));
        assert_eq!(sim.asked_of("b").last().unwrap().at.since_epoch(), secs(430));
        assert_eq!(sim.running(), B);
        assert_eq!(sim.switches().last().unwrap().why, SwitchReason::RecoveryFailed);
        // Health begins anew, and so does the time to the next trial.
        sim.overlook();
        assert_eq!(sim.until_asked("a").at.since_epoch(), secs(730));
    }
}

/// B 3.4: it returns to the one that it left, not to the next.
#[test]
fn a_failed_recovery_returns_to_the_one_left() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    let first = Reply::stream(full("s1", [on("f1")])).break_off();
    sim.serve_in_turn("a", [first, Reply::hang()]).serve_always("b", Reply::hang());
    sim.serve_always("c", Reply::stream(none()));
    sim.start().advance(secs(240 + 299)).overlook();
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(540));
    assert_eq!(sim.until_asked("c").at.since_epoch(), secs(550));
}

/// B 3.4: a trial that shows progress is kept, and then the usual deadlines hold.
#[test]
fn a_first_one_that_makes_progress_gets_its_time() {
    let mut sim = on_b(two_streams());
    let slow = Reply::stream([intent("xfer-changes")])
        .then_after(secs(8), [put(off("f1"))])
        .then_after(secs(8), [transferred("s2", 2)]);
    sim.serve_always("a", slow);
    sim.until_asked("a");
    sim.advance(secs(17));
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.running(), A);
}

/// B 3.6: recovery goes to the first that was not removed.
#[test]
fn a_removed_first_one_is_not_recovered_to() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    sim.serve_always("a", Reply::status(401)).serve_always("b", Reply::hang());
    sim.serve_always("c", Reply::stream(full("s1", [on("f1")])));
    sim.start().advance(secs(11)).overlook();
    sim.serve_always("b", Reply::stream(changes("s2", [off("f1")])));
    assert_eq!(sim.until_asked("b").at.since_epoch(), secs(310));
    let switches = sim.switches().len();
    sim.advance(secs(2000));
    assert_eq!(sim.running(), B);
    assert_eq!(sim.asked_of("a").len(), 1);
    assert_eq!(sim.switches().len(), switches, "it is the first available one itself");
}

/// B 3.4, 3.6: removed in its trial, it is gone at once.
#[test]
fn a_first_one_removed_in_its_trial_is_left_at_once() {
    let mut sim = on_b(two_streams());
    sim.serve_always("a", Reply::status(403));
    sim.until_asked("a");
    assert_eq!(sim.expect("b").at.since_epoch(), secs(420));
    sim.advance(secs(2000));
    assert_eq!(
        sim.asked().iter().rfind(|asked| asked.host == "a").unwrap().at.since_epoch(),
        secs(420)
    );
    assert_eq!(sim.running(), B);
}

/// Cases F01: a long interruption of the second leads to the third, not back to the first.
#[test]
fn the_third_source_is_reached() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    let first = Reply::stream(full("s1", [off("f1")])).break_off();
    sim.serve_in_turn("a", [first, Reply::status(503)]);
    sim.serve_always("b", Reply::status(503));
    sim.serve_always("c", Reply::stream(changes("s2", [on("f1")])));
    sim.start().advance(secs(245));
    assert_eq!(sim.is_on("f1"), Some(true));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert!(hosts.is_sorted(), "no way back before `c`: {hosts:?}");
}

/// B 3.4: the synchronizer that comes first by itself has nothing to recover to.
#[test]
fn the_first_one_reached_by_wrapping_is_not_left() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::hang(), Reply::stream(full("s1", [on("f1")]))]);
    sim.serve_always("b", Reply::hang());
    sim.start().advance(secs(22)).overlook();
    assert_eq!(sim.running(), A);
    sim.advance(secs(299)).expect_quiet();
}

//! B 3.11: what goes first on one instant.

use fdv2_core::ConfigBuilder;
use fdv2_core::config::{Custom, Source};
use fdv2_core::effect::{SourceId, SourceUpdate, SwitchReason};
use fdv2_core::status::SourceState;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, two_streams};

/// All that can be waited for takes ten seconds.
fn in_ten_seconds(configured: ConfigBuilder) -> ConfigBuilder {
    configured.adjust_timing(|timing| {
        timing.stream_silence = secs(10);
        timing.poll_silence = secs(10);
        timing.poll_limit = secs(10);
        timing.transfer_stall = secs(10);
    })
}

/// What the last error says.
fn last_words(sim: &Sim) -> &str {
    sim.last_error().map_or("", |error| &error.message)
}

/// B 3.11: what has arrived goes before the fallback.
#[test]
fn what_arrives_on_the_instant_of_the_fallback_goes_first() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::stream([]).then_after(secs(10), full("s1", [on("f1")])));
    sim.start().advance(secs(60));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.11: a pending directive goes before the timeouts, so that none of them leaves an error.
#[test]
fn a_pending_directive_goes_before_a_timeout() {
    for events in [vec![], vec![intent("xfer-full")]] {
        let mut sim = Sim::new(in_ten_seconds(two_streams()));
        sim.serve_always("a", Reply::stream(events).directive());
        sim.serve_always("v1", Reply::fdv1([on("f1")]));
        sim.start().advance(secs(10));
        assert_eq!(sim.running(), Some(SourceId::Fdv1), "{sim:?}");
        assert_eq!(sim.last_error(), None);
    }
}

/// B 3.11: and before the limit of an initializer.
#[test]
fn a_pending_directive_goes_before_the_limit_of_an_initializer() {
    let configured = config().initializer(Custom::new("c")).synchronizer(stream("a"));
    let mut sim = Sim::new(configured.fdv1(poll("v1")));
    sim.serve_always("c", Reply::custom([SourceUpdate::Directive(None)]));
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(10));
    assert_eq!(sim.running(), Some(SourceId::Fdv1), "{sim:?}");
    assert_eq!(sim.last_error(), None);
}

/// B 3.11: the end of a TTL goes before the timeouts of FDv1 and before its polls.
#[test]
fn the_end_of_a_directive_goes_before_what_is_due_of_fdv1() {
    let dripping = Reply::head(200).repeat(secs(1), 100, " ");
    for second in [Reply::hang(), Reply::head(200), dripping, Reply::fdv1([on("f1")])] {
        let configured = two_streams().adjust_timing(|timing| {
            timing.head = secs(30);
            timing.poll_limit = secs(30);
        });
        let mut sim = Sim::new(configured);
        sim.serve_always("a", Reply::stream(full("s1", [])).directive_for(60));
        sim.serve_in_turn("v1", [Reply::fdv1([]), second]);
        sim.start().advance(secs(59));
        sim.serve_always("a", Reply::hang()).advance(secs(1));
        assert_eq!(sim.running(), Some(SourceId::Synchronizer(0)), "{sim:?}");
        assert_eq!(sim.last_error(), None, "{sim:?}");
        assert_eq!(sim.asked_of("v1").len(), 2);
    }
}

/// B 3.11: fallback goes before the timeout of the head, so `a` shows no error of its own.
#[test]
fn fallback_goes_before_a_timeout() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::hang());
    sim.start().advance(secs(10));
    assert_eq!(sim.asked_of("b").len(), 1);
    assert_eq!(sim.asked_of("a").len(), 1);
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Fallback);
    assert_eq!(last_words(&sim), "the source brought no data in time");
}

/// B 3.11: and before the timeouts of the body.
#[test]
fn fallback_goes_before_the_timeouts_of_a_body() {
    for (source, reply) in [
        (Source::from(stream("a")), Reply::stream([])),
        (stream("a").into(), Reply::stream([intent("xfer-full")])),
        (poll("a").into(), Reply::head(200)),
    ] {
        let configured = config().synchronizer(source).synchronizer(stream("b"));
        let mut sim = Sim::new(in_ten_seconds(configured));
        sim.serve_always("a", reply);
        sim.start().advance(secs(10));
        assert_eq!(sim.running(), Some(SourceId::Synchronizer(1)), "{sim:?}");
        assert_eq!(last_words(&sim), "the source brought no data in time");
    }
}

/// B 3.11: the limit of an initializer goes before the timeouts.
#[test]
fn the_limit_of_an_initializer_goes_before_a_timeout() {
    for reply in [Reply::hang(), Reply::head(200)] {
        let configured = config().initializer(poll("i")).synchronizer(stream("a"));
        let mut sim = Sim::new(in_ten_seconds(configured));
        sim.serve_always("i", reply);
        sim.start().advance(secs(10));
        assert_eq!(sim.running(), Some(SourceId::Synchronizer(0)));
        assert_eq!(last_words(&sim), "the initializer made too little progress");
    }
}

/// B 3.11: at 310 s both the recovery and a poll of the one left are due.
#[test]
fn recovery_goes_before_a_poll_of_the_same_instant() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(poll("b")));
    sim.serve_always("a", Reply::hang());
    sim.serve_always("b", Reply::poll(full("s1", [on("f1")])));
    sim.start().advance(secs(310));
    assert_eq!(sim.asked_of("a").len(), 2);
    assert_eq!(sim.asked_of("b").last().unwrap().at.since_epoch(), secs(280));
}

/// B 3.11: and before the timeouts: `b` is left as healthy as it was, and nothing is said of it.
#[test]
fn recovery_goes_before_a_timeout() {
    let once = || Reply::poll(full("s1", [on("f1")]));
    let open = Reply::stream(full("s1", [on("f1")])).then_after(secs(20), [intent("xfer-full")]);
    for (source, replies) in [
        (Source::from(stream("b")), vec![open]),
        (poll("b").into(), vec![once(), Reply::hang()]),
        (poll("b").into(), vec![once(), Reply::head(200)]),
    ] {
        let configured = config().synchronizer(stream("a")).synchronizer(source);
        let mut sim = Sim::new(configured.adjust_timing(|timing| {
            timing.recovery_after = secs(60);
            timing.stream_silence = secs(40);
            timing.transfer_stall = secs(40);
            timing.poll_silence = secs(30);
            timing.poll_limit = secs(30);
            timing.head = secs(30);
        }));
        sim.serve_always("a", Reply::hang()).serve_in_turn("b", replies);
        sim.start().advance(secs(10 + 60));
        assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Recovery, "{sim:?}");
        assert_eq!(sim.state(), SourceState::Valid, "{sim:?}");
    }
}

/// B 3.11: after a sleep through everything, what is overdue is made up for without a storm.
#[test]
fn overdue_deadlines_are_no_storm() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(poll("b")));
    sim.serve_always("a", Reply::hang());
    sim.serve_always("b", Reply::poll(full("s1", [on("f1")])));
    sim.start().advance(secs(11)).overlook();
    sim.sleep_through(secs(100_000));
    assert!(sim.asked().len() <= 4, "{sim:?}");
    assert_eq!(sim.asked_of("a").len(), 2);
}

/// B 3.11, cases C10: what a source delivers after it was left is dropped. (That the outcome of a
/// dead effect changes nothing is an invariant; here a whole read is queued.)
#[test]
fn what_a_left_source_has_queued_is_dropped() {
    let mut sim = Sim::new(two_streams());
    let queued = Reply::stream([]).then_after(secs(11), full("late", [on("late")]));
    sim.serve_always("a", queued);
    sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
    sim.start().advance(secs(30));
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
}

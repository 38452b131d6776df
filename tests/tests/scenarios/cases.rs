//! Cases of other systems, and scenarios of the public contract tests, that go through several rules
//! at once.

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, millis, poll, secs, stream, streaming, two_streams};

use super::reconnect;

/// Cases P10: a goodbye is a rotation. The next source is never asked.
#[test]
fn a_goodbye_never_leads_to_the_next_source() {
    let mut sim = Sim::new(two_streams());
    let bye = Reply::stream(full("s1", [on("f1")])).then_after(secs(70), [goodbye()]).end();
    sim.serve_in_turn("a", [bye, Reply::stream(none())]);
    sim.start().advance(secs(300));
    assert_eq!(sim.asked_of("b").len(), 0);
    assert_eq!(sim.asked_of("a").len(), 2);
    assert_eq!(sim.last_error(), None);
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// Cases F16: one fault is one failure and one request, however much comes with it.
#[test]
fn an_error_and_a_reset_of_one_connection_are_one_failure() {
    let mut sim = streaming(full("s1", [on("f1")]));
    for _ in 0..50 {
        let before = sim.asked().len();
        sim.reply(Reply::default().then([error()]).bytes("data: half").break_off());
        assert_eq!(sim.live(), None);
        assert_eq!(sim.asked().len(), before, "no request before the delay");
        reconnect(&mut sim, Reply::stream(none()));
        assert_eq!(sim.asked().len(), before + 1);
        sim.advance(secs(1));
    }
}

/// Cases I03: late is not never.
#[test]
fn a_late_answer_still_initializes() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).late(secs(9)));
    sim.start().advance(secs(8));
    assert!(!sim.is_ready());
    assert_eq!(sim.flags(), []);
    sim.advance(secs(1));
    assert!(sim.is_ready());
}

/// Cases I01: 5xx for ever, then a server that recovers.
#[test]
fn a_server_that_recovers_initializes() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::status(500));
    sim.start().advance(secs(3600));
    assert_eq!(sim.last_error().unwrap().status, Some(500));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
    sim.advance(secs(30));
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
}

/// Cases I05: with data held, `none` confirms it, and there is nothing to announce.
#[test]
fn no_change_confirms_what_is_held() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.announced(), [["f1"]]);
    reconnect(&mut sim, Reply::stream(none()));
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.announced(), Vec::<Vec<String>>::new());
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// Cases P08: from source to source, the newest selector always goes along.
#[test]
fn the_selector_goes_along_through_every_switch() {
    let mut sim = Sim::new(two_streams());
    let first = Reply::stream(full("s1", [off("f1")]))
        .then_after(secs(1), changes("s2", [on("f1")]))
        .then_after(secs(1), [put(off("f1")), transferred("s3", 3)])
        .break_off();
    sim.serve_in_turn("a", [first, Reply::refuse()]);
    sim.serve_always("b", Reply::stream(changes("s4", [on("f2")])));
    sim.start().advance(secs(123));
    sim.serve_always("a", Reply::stream(none()));
    sim.advance(secs(301));
    let basis: Vec<_> = sim.asked().iter().map(|asked| asked.basis().unwrap_or("-")).collect();
    assert_eq!(basis.first(), Some(&"-"));
    assert_eq!(basis.last(), Some(&"s4"));
    assert!(basis[1..basis.len() - 1].iter().all(|basis| *basis == "s3"), "{basis:?}");
}

/// Contract 2.4: the first hangs once, the second always; the third is settled on, and after five
/// minutes the first is found well.
#[test]
fn recoverable_fallback_with_recovery() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    let beat = sse(&[heartbeat()]);
    sim.serve_in_turn("a", [Reply::hang(), Reply::stream(full("a", [on("f1")]))]);
    sim.serve_always("b", Reply::hang());
    sim.serve_always("c", Reply::stream(full("c", [off("f1")])).repeat(secs(120), 9, &beat));
    sim.start().advance(secs(20));
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.asked().len(), 3);
    sim.advance(secs(299));
    assert_eq!(sim.is_on("f1"), Some(false));
    sim.advance(secs(1));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked().len(), 4);
}

/// Contract 2.4: the first is gone for good, so recovery goes to the second.
#[test]
fn permanent_fallback_with_recovery() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    sim.serve_always("a", Reply::status(401));
    sim.serve_in_turn("b", [Reply::hang(), Reply::stream(full("b", [on("f1")]))]);
    sim.serve_always("c", Reply::stream(full("c", [off("f1")])));
    sim.start().advance(secs(10));
    assert_eq!(sim.is_on("f1"), Some(false));
    sim.advance(secs(300));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked_of("a").len(), 1);
}

/// Contract 2.4: 403 with the directive on a stream, then silence towards FDv2.
#[test]
fn a_directive_on_a_streams_error_engages_fdv1() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("a", Reply::status(403).directive());
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(1799));
    assert_eq!(sim.asked_of("a").len(), 1);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// Contract 2.8: a first initializer with `none`, a second with an empty payload, a stream with
/// `none`.
#[test]
fn an_initializer_with_none_does_not_stall_the_start() {
    let configured = config().initializer(poll("i1")).initializer(poll("i2"));
    let mut sim = Sim::new(configured.synchronizer(stream("a")));
    sim.serve_always("i1", Reply::poll(none()));
    sim.serve_always("i2", Reply::poll(full("initial", [])));
    sim.serve_always("a", Reply::stream(none()));
    sim.start();
    assert_eq!(sim.elapsed(), secs(0));
    assert_eq!(sim.asked().len(), 3);
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.last_error(), None);
}

/// Contract 2.2: a delay of 1 ms, two broken connections, then a stream that stays.
#[test]
fn a_stream_is_reached_after_two_broken_connections() {
    let quick = stream("a").initial_retry_delay(millis(1));
    for bad in [Reply::refuse(), Reply::status(400), Reply::status(408), Reply::status(429)] {
        let mut sim = Sim::new(config().synchronizer(quick.clone()));
        sim.serve_in_turn("a", [bad.clone(), bad, Reply::stream(full("s1", [on("f1")]))]);
        sim.start().advance(secs(5));
        assert_eq!(sim.asked().len(), 3);
        assert_eq!(sim.is_on("f1"), Some(true));
    }
}

/// Contract 2.3: after the first data a malformed intent makes it reconnect and take what comes.
#[test]
fn a_malformed_intent_leads_to_a_reconnect() {
    let quick = stream("a").initial_retry_delay(millis(1));
    let mut sim = Sim::new(config().synchronizer(quick));
    let bad = event("server-intent", r#"{"data":{"flags":true,"segments":{}}}"#);
    let first = Reply::stream(full("s1", [off("f1")])).then_after(secs(1), [bad]);
    sim.serve_in_turn("a", [first, Reply::stream(full("s1", [on("f1")]))]);
    sim.start().advance(secs(2));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// Contract 2.11: the stream repeats the initializer's payload, and one change gives one call.
#[test]
fn the_same_payload_after_the_initializer_announces_nothing() {
    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(stream("a")));
    let both = || full("initial", [on("flag1"), on("flag2")]);
    sim.serve_always("i", Reply::poll(both())).serve_always("a", Reply::stream(both()));
    sim.start();
    assert_eq!(sim.announced(), [["flag1", "flag2"]]);
    sim.send([put(on("flag1").version(2)), transferred("updated", 2)]);
    assert_eq!(sim.announced(), [["flag1"]]);
}

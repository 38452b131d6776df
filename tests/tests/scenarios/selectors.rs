//! B 2: the selector describes the data held, and travels as `basis`.

use fdv2_core::status::SourceState;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, polling, secs, stream, streaming};

use super::reconnect;

/// B 2.1, cases P11.
#[test]
fn a_full_change_set_without_selector_empties_it() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("v1", Reply::fdv1([off("f1")]));
    sim.start();
    sim.expect("a");
    sim.reply(Reply::stream(full("s1", [on("f1"), on("f2")])).directive_for(5));
    assert_eq!(sim.expect("v1").basis(), None);
    assert_eq!(sim.flags(), [("f1".to_owned(), false)]);
    assert_eq!(sim.selector(), None);
    sim.advance(secs(5));
    assert_eq!(sim.expect("a").basis(), None);
}

/// B 2.1.
#[test]
fn none_and_304_leave_the_selector() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    reconnect(&mut sim, Reply::stream(none()));
    assert_eq!(sim.selector(), Some("s1"));

    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let tagged = Reply::poll(full("s1", [on("f1")])).header("etag", "\"v1\"");
    sim.serve_in_turn("a", [tagged, Reply::status(304)]);
    sim.start().advance(secs(60));
    let basis: Vec<_> = sim.asked().iter().map(|asked| asked.basis()).collect();
    assert_eq!(basis, [None, Some("s1"), Some("s1")]);
}

/// B 2.2, cases P08.
#[test]
fn a_reconnect_carries_the_newest_selector() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send(changes("s2", [on("f1")])).send([put(off("f1")), transferred("s3", 3)]);
    sim.break_off();
    assert_eq!(sim.until_asked("a").basis(), Some("s3"));
}

/// B 2.2, cases P07.
#[test]
fn a_poll_carries_the_newest_selector() {
    let mut sim = polling(full("(p:p1:3)", [off("f1")]));
    assert!(!sim.asked()[0].url.as_ref().unwrap().as_str().contains("basis"));
    sim.advance(secs(30));
    let asked = sim.expect("a");
    assert_eq!(asked.basis(), Some("(p:p1:3)"));
    assert_eq!(asked.query("selector"), None);
}

/// B 2.2, cases P08: whichever source brought it.
#[test]
fn a_source_after_a_switch_carries_the_newest_selector() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(stream("b")));
    sim.serve_in_turn("a", [Reply::stream(full("s1", [off("f1")])).break_off(), Reply::refuse()]);
    sim.serve_always("b", Reply::stream(changes("s2", [on("f1")])));
    sim.start().advance(secs(121));
    assert_eq!(sim.asked_of("b")[0].basis(), Some("s1"));
    assert_eq!(sim.selector(), Some("s2"));
    sim.serve_always("a", Reply::stream(none()));
    sim.advance(secs(301));
    assert_eq!(sim.asked_of("a").last().unwrap().basis(), Some("s2"));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 2.2: an initializer's selector goes out with the first synchronizer.
#[test]
fn a_synchronizer_carries_the_selector_of_an_initializer() {
    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(stream("a")));
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
    sim.start();
    sim.expect("i");
    assert_eq!(sim.expect("a").basis(), Some("s1"));
}

/// B 2.2, cases P09.
#[test]
fn a_selector_survives_byte_for_byte() {
    for state in ["a b&c=d/é+(p:x:1)#%25", "?&=;,+%%%", "\u{1}\u{7f}\"<>\\^`{|}", "雪😀", "%2B"]
    {
        let mut sim = streaming(full(state, [on("f1")]));
        assert_eq!(sim.selector(), Some(state));
        sim.break_off();
        assert_eq!(sim.until_asked("a").basis(), Some(state));

        let mut sim = polling(full(state, [on("f1")]));
        sim.advance(secs(30));
        assert_eq!(sim.expect("a").basis(), Some(state));
    }
}

/// B 2.2: there is no `basis` parameter at all without a selector.
#[test]
fn the_first_request_has_no_basis_parameter() {
    let sim = streaming([]);
    let url = sim.asked()[0].url.clone().unwrap();
    assert_eq!(url.query(), None);
}

/// B 2.3.
#[test]
fn two_full_transfers_with_one_selector_are_both_applied() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.break_off();
    reconnect(&mut sim, Reply::stream(full("s1", [on("f2")])));
    assert_eq!(sim.flags(), [("f2".to_owned(), true)]);
    sim.send(full("s1", [on("f3")]));
    assert_eq!(sim.flags(), [("f3".to_owned(), true)]);
}

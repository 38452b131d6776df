//! B 1.15: one bad flag cannot take every flag down at start.

use fdv2_core::Event;
use fdv2_core::effect::StoreRead;
use fdv2_core::status::{Availability, ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, streaming};

/// B 1.15.
#[test]
fn the_good_objects_of_a_first_full_transfer_are_applied() {
    let mut sim = streaming([intent("xfer-full"), put(on("f1")), put(undecodable("bad"))]);
    assert_eq!(sim.flags(), [], "it is read to its end");
    sim.send([put(off("f2")), transferred("s1", 1)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f2".to_owned(), false)]);
    assert_eq!(sim.selector(), None);
    assert_eq!(sim.availability(), Availability::Cached);
    assert!(sim.is_ready());
    assert_ne!(sim.state(), SourceState::Valid);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    assert!(sim.last_error().unwrap().message.contains("bad"));
    assert_eq!(sim.live(), None, "for retry it is invalid data");
    assert_eq!(sim.until_asked("a").basis(), None);
}

/// B 1.15: without ETag.
#[test]
fn a_salvaged_poll_leaves_no_etag() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let salvage = Reply::poll(full("s1", [on("f1"), undecodable("f2")])).header("etag", "\"1\"");
    sim.serve_always("a", salvage);
    sim.start().advance(secs(60));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    assert!(sim.asked().len() > 1);
    for asked in sim.asked() {
        assert_eq!(asked.header("if-none-match"), None);
        assert_eq!(asked.basis(), None);
    }
}

/// B 1.15: over an earlier salvage another one is applied, and a whole transfer ends it.
#[test]
fn a_salvage_can_follow_a_salvage() {
    let mut sim = streaming(full("s1", [off("f1"), undecodable("f2")]));
    sim.until_asked("a");
    sim.reply(Reply::stream(full("s2", [on("f1"), undecodable("f2"), on("f3")])));
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f3".to_owned(), true)]);
    sim.until_asked("a");
    sim.reply(Reply::stream(full("s3", [on("f2")])));
    assert_eq!(sim.flags(), [("f2".to_owned(), true)]);
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.selector(), Some("s3"));
    // Whole data is held now: nothing is salvaged any more.
    sim.send(full("s4", [on("f4"), undecodable("f5")]));
    assert_eq!(sim.flags(), [("f2".to_owned(), true)]);
}

/// B 1.15, 3.2: it is no health, so the source is left.
#[test]
fn a_salvage_is_no_health() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(stream("b")));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1"), undecodable("f2")])));
    sim.start().advance(secs(119));
    assert_eq!(sim.asked_of("b").len(), 0);
    sim.advance(secs(1));
    assert_eq!(sim.asked_of("b").len(), 1, "{sim:?}");
}

/// B 1.15: what is only text that is no flag is salvaged, anything worse is not.
#[test]
fn worse_faults_are_never_salvaged() {
    let start = sse(&[intent("xfer-full"), put(on("f1"))]);
    let end = sse(&[transferred("s1", 1)]);
    let not_utf8 = b"event: put-object\ndata: {\"version\":1,\"kind\":\"flag\",\"key\":\"f2\",\
        \"object\":{\"salt\":\"\xff\"}}\n\n";
    let no_json = sse(&[put(Item { object: "{sorry}".into(), ..on("f2") })]);
    let no_key = sse(&[event("put-object", r#"{"kind":"flag","object":{}}"#)]);
    for bad in [&not_utf8[..], no_json.as_bytes(), no_key.as_bytes()] {
        let mut sim = streaming([]);
        sim.send_bytes([start.as_bytes(), bad, end.as_bytes()].concat());
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
        assert_eq!(sim.state(), SourceState::Initializing);
        assert!(!sim.is_ready());
    }
}

/// B 1.15, 9.2: with an initialized store behind, its data is better than half of the new.
#[test]
fn with_an_initialized_store_behind_nothing_is_salvaged() {
    let mut sim = streaming([]);
    sim.tell(Event::StoreRead(StoreRead::Initialized)).break_off();
    sim.until_asked("a");
    sim.reply(Reply::stream(full("s1", [on("f1"), undecodable("f2")])));
    assert_eq!(sim.flags(), []);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// B 1.15: only an `xfer-full` is salvaged.
#[test]
fn changes_over_a_salvage_are_not_salvaged() {
    let mut sim = streaming(full("s1", [off("f1"), undecodable("f2")]));
    sim.until_asked("a");
    sim.reply(Reply::stream(changes("s2", [on("f1")])));
    assert_eq!(sim.is_on("f1"), Some(false), "without a base (B 1.14)");
    assert_eq!(sim.selector(), None);
}

/// B 1.15 for FDv1, which also is a full transfer.
#[test]
fn fdv1_data_is_salvaged_too() {
    let configured = config().synchronizer(stream("a")).fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("a", Reply::status(500).directive());
    sim.serve_always("v1", Reply::fdv1([on("f1"), undecodable("f2")]));
    sim.start();
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert_ne!(sim.state(), SourceState::Valid);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    assert!(sim.is_ready());
}

/// B 1.14, cases I05.
#[test]
fn none_and_changes_without_a_base_are_invalid_data() {
    for events in [none(), changes("s1", [on("f1")]), changes("s1", [])] {
        let sim = streaming(events);
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.selector(), None);
        assert_eq!(sim.snapshots(), 0);
        assert!(!sim.is_ready());
        assert_eq!(sim.state(), SourceState::Initializing);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
        assert_eq!(sim.live(), None);
    }
}

/// B 1.14: a transfer that has completed on the connection is a base.
#[test]
fn a_transfer_on_the_connection_is_a_base() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send(none()).send(changes("s2", [on("f1")]));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.last_error(), None);
}

/// B 1.14: data without selector is no base for a request that carried no `basis`.
#[test]
fn data_without_selector_is_no_base() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_in_turn(
        "a",
        [Reply::status(500).directive_for(10), Reply::stream(changes("s1", [on("f2")]))],
    );
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(10));
    assert_eq!(sim.asked_of("a").len(), 2);
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

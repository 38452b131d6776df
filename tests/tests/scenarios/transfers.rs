//! B 1.1 to 1.7: what opens, fills, ends and discards a transfer on a stream.

use fdv2_core::status::SourceState;
use fdv2_core::{Oddity, Update};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, secs, streaming};
use serde_json::json;

use super::{assert_invalid_and_retried, reconnect};

/// B 1.1.
#[test]
fn a_full_transfer_replaces_everything() {
    let mut sim = streaming(full("s1", [on("f1"), on("f2"), segment("g1", &["u"])]));
    sim.send(full("s2", [off("f3")]));
    assert_eq!(sim.flags(), [("f3".to_owned(), false)]);
    assert!(!sim.has_segment("g1"));
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 1.1.
#[test]
fn a_transfer_of_changes_merges() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2"), off("f3")]));
    sim.send([intent("xfer-changes"), put(on("f1")), delete("f2", 2), transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f3".to_owned(), false)]);
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 1.1.
#[test]
fn the_intent_none_says_that_the_data_is_current() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    assert_eq!(sim.state(), SourceState::Interrupted);
    let snapshots = sim.snapshots();
    reconnect(&mut sim, Reply::stream(none()));
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.snapshots(), snapshots);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 1.1.
#[test]
fn only_the_intent_code_of_the_first_payload_is_needed() {
    let bare = event("server-intent", json!({"payloads": [{"intentCode": "xfer-full"}]}));
    let sim = streaming([bare, put(on("f1")), transferred("s1", 1)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 1.1.
#[test]
fn payloads_after_the_first_are_ignored() {
    let payloads = json!([{"intentCode": "xfer-full"}, {"intentCode": "none"}, {"other": 1}, 7]);
    let several = event("server-intent", json!({ "payloads": payloads }));
    let sim = streaming([several, put(on("f1")), transferred("s1", 1)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.last_error(), None);
}

/// B 1.1.
#[test]
fn an_intent_without_a_usable_payload_is_invalid_data() {
    for data in [
        json!({}),
        json!({"payloads": []}),
        json!({"payloads": null}),
        json!({"payloads": {}}),
        json!({"payloads": [{}]}),
        json!({"payloads": [["xfer-full"]]}),
        json!({"payloads": ["xfer-full"]}),
        json!([[{"intentCode": "xfer-full"}]]),
        json!({"payloads": [{"intentCode": "xfer-none"}]}),
        json!({"payloads": [{"intentCode": 1}]}),
        json!({"data": {"flags": true, "segments": {}}}),
        json!([]),
        json!("xfer-full"),
        json!(null),
    ] {
        let mut sim = streaming(full("s1", [on("f1")]));
        sim.send([event("server-intent", &data), put(off("f1")), transferred("s2", 2)]);
        assert_eq!(sim.is_on("f1"), Some(true), "{data}");
        assert_eq!(sim.selector(), Some("s1"), "{data}");
        assert_invalid_and_retried(&mut sim);
    }
}

/// B 1.1.
#[test]
fn an_intent_that_is_not_json_is_invalid_data() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.send([event("server-intent", "{sorry")]);
    assert_invalid_and_retried(&mut sim);
}

/// B 1.2.
#[test]
fn nothing_is_visible_before_the_payload_is_transferred() {
    let mut sim = streaming([intent("xfer-full"), put(on("f1")), put(on("f2"))]);
    assert_eq!(sim.snapshots(), 0);
    assert_eq!(sim.state(), SourceState::Initializing);
    sim.send([transferred("s1", 1)]);
    assert_eq!(sim.snapshots(), 1, "all in one snapshot");
    assert_eq!(sim.flags().len(), 2);
    assert_eq!(sim.selector(), Some("s1"));

    sim.send([delete("f1", 2), put(on("f3"))]);
    assert_eq!(sim.snapshots(), 1);
    assert_eq!(sim.selector(), Some("s1"));
    sim.send([transferred("s2", 2)]);
    assert_eq!(sim.snapshots(), 2);
    assert_eq!(sim.flags(), [("f2".to_owned(), true), ("f3".to_owned(), true)]);
}

/// B 1.3, cases P12.
#[test]
fn after_a_transfer_changes_need_no_new_intent() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    sim.send([put(on("f1")), transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f2".to_owned(), false)]);
    assert_eq!(sim.selector(), Some("s2"));
    sim.send([delete("f2", 3), transferred("s3", 3)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert_eq!(sim.selector(), Some("s3"));
}

/// B 1.3, cases P12.
#[test]
fn after_none_changes_need_no_new_intent() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    sim.break_off();
    reconnect(&mut sim, Reply::stream(none()));
    sim.send([put(on("f2")), transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), true)]);
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 1.3.
#[test]
fn an_empty_implicit_transfer_moves_the_selector_alone() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.announced();
    sim.send([transferred("s2", 2)]);
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.announced(), Vec::<Vec<String>>::new());
    sim.break_off();
    assert_eq!(sim.until_asked("a").basis(), Some("s2"));
}

/// B 1.4.
#[test]
fn puts_and_deletes_before_the_first_intent_are_ignored() {
    let mut events = vec![put(on("early")), delete("f1", 9), put(segment("g", &[]))];
    events.extend(full("s1", [on("f1")]));
    let sim = streaming(events);
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert!(!sim.has_segment("g"));
    assert_eq!(sim.last_error(), None);
}

/// B 1.4: each connection has a first intent of its own.
#[test]
fn puts_before_the_first_intent_of_a_later_connection_are_ignored() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.break_off();
    reconnect(&mut sim, Reply::stream([put(on("f1"))]));
    sim.send(none());
    sim.send([transferred("s2", 2)]);
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 1.4.
#[test]
fn a_payload_transferred_before_the_first_intent_is_invalid_data() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    reconnect(&mut sim, Reply::stream([transferred("s2", 2)]));
    assert_eq!(sim.selector(), Some("s1"));
    assert_invalid_and_retried(&mut sim);
}

/// B 1.4.
#[test]
fn a_new_intent_discards_what_was_collected() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    sim.send([put(on("f1")), intent("xfer-changes"), put(on("f2")), transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), true)]);
    sim.send([intent("xfer-full"), put(on("f9")), intent("none"), transferred("s3", 3)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), true)]);
    assert_eq!(sim.selector(), Some("s3"));
}

/// B 1.5, cases P02.
#[test]
fn an_error_discards_what_was_collected_and_keeps_the_connection() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    let live = sim.live();
    let changes = [intent("xfer-changes"), put(on("f1")), error(), put(on("f2"))];
    sim.send(changes).send([transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), true)]);
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.live(), live);
    sim.advance(secs(100)).expect_quiet();
}

/// B 1.5, cases P02.
#[test]
fn an_aborted_full_transfer_wipes_nothing() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    sim.send([intent("xfer-full"), put(on("f3")), error(), put(on("f2")), transferred("s2", 2)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), true)]);
}

/// B 1.5.
#[test]
fn a_payload_transferred_with_nothing_collected_since_the_error_is_ignored() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send([intent("xfer-changes"), put(on("f1")), error(), transferred("s2", 2)]);
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.last_error().map(|error| error.kind), None, "the connection is good");
    sim.send([put(on("f1")), transferred("s3", 3)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.selector(), Some("s3"));
}

/// B 1.5.
#[test]
fn after_an_error_a_new_intent_says_what_follows() {
    let mut sim = streaming(full("s1", [off("f1"), off("f2")]));
    sim.send([put(on("f1")), error()]).send(full("s2", [on("f3")]));
    assert_eq!(sim.flags(), [("f3".to_owned(), true)]);
}

/// B 1.5 with 1.14: an aborted first transfer is no base for the changes that follow.
#[test]
fn changes_after_an_error_in_the_first_transfer_have_no_base() {
    let sim = streaming([
        intent("xfer-full"),
        put(on("f1")),
        error(),
        put(on("f2")),
        transferred("s1", 1),
    ]);
    assert_eq!(sim.flags(), []);
    assert_eq!(sim.selector(), None);
    assert_eq!(sim.live(), None);
}

/// B 1.6, cases P10.
#[test]
fn a_goodbye_discards_the_open_transfer_and_reconnects() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send([put(on("f1")), goodbye(), transferred("s2", 2)]);
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.live(), None);
    sim.expect_quiet();
    assert_eq!(sim.last_error(), None, "a goodbye is not a failure");
    assert_eq!(sim.until_asked("a").basis(), Some("s1"));
    sim.reply(Reply::stream(none()));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 1.6, cases P10.
#[test]
fn the_data_of_a_goodbye_need_not_be_json() {
    for data in ["<<not json>>", "", "{", "[1]", "null"] {
        let mut sim = streaming(full("s1", [on("f1")]));
        sim.send([event("goodbye", data)]);
        assert_eq!(sim.live(), None, "{data}");
        assert_eq!(sim.last_error(), None, "{data}");
        sim.until_asked("a");
    }
}

/// B 1.7, cases P06.
#[test]
fn heartbeats_and_unknown_things_are_skipped_without_parsing_them() {
    let unknown = |name: &str| {
        event(name, r#"{"version":1,"kind":"experiment","key":"x","object":[1,2,{"a":[}]}"#)
    };
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send([
        heartbeat(),
        event("heart-beat", ""),
        event("brand-new", "not json {{{"),
        put(on("f1")),
        event("patch", r#"{"path":"/cats/Jack","data":{}}"#),
        heartbeat(),
        event("put-object", r#"{"version":1,"kind":"experiment","key":"x","object":[1,2]}"#),
        event("delete-object", r#"{"version":1,"kind":"experiment","key":"x"}"#),
        unknown("message"),
        transferred("s2", 2),
    ]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.states(), [SourceState::Initializing, SourceState::Valid]);
    assert_eq!(sim.last_error(), None);
}

fn told(sim: &Sim, oddity: Oddity) -> usize {
    sim.updates().filter(|update| **update == Update::Odd(oddity)).count()
}

/// B 1.1, 1.4: what makes no sense is told once a client and counted, however often it happens.
#[test]
fn what_makes_no_sense_is_told_once() {
    let payloads = json!([{"intentCode": "xfer-full"}, {"intentCode": "none"}]);
    let several = event("server-intent", json!({ "payloads": payloads }));
    let odd = || [put(on("early")), delete("early", 1), several.clone(), transferred("s1", 1)];
    let mut sim = streaming(odd());
    for _ in 0..3 {
        sim.break_off();
        reconnect(&mut sim, Reply::stream(odd()));
    }
    assert_eq!(told(&sim, Oddity::MorePayloads), 1);
    assert_eq!(told(&sim, Oddity::ObjectBeforeIntent), 1);
    let counted: Vec<_> = sim.system().oddities().collect();
    assert_eq!(counted, [(Oddity::MorePayloads, 4), (Oddity::ObjectBeforeIntent, 8)]);
}

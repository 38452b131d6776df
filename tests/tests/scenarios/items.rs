//! B 1.8 and 1.9: what an item is, and which one spoils its transfer.

use fdv2_core::status::SourceState;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, polling, secs, streaming};
use serde_json::{Value, json};

use super::assert_invalid_and_retried;

/// B 1.8, cases P04.
#[test]
fn versions_are_never_compared() {
    let mut sim = streaming(full("s1", [on("f1").version(100), on("f2").version(100)]));
    sim.send(full("s2", [off("f1").version(3)]));
    assert_eq!(sim.flags(), [("f1".to_owned(), false)]);
    sim.send(changes("s3", [on("f1").version(2)]));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.flag_version("f1"), Some(2));
    sim.send([intent("xfer-changes"), delete("f1", 1), transferred("s4", 1)]);
    assert_eq!(sim.is_on("f1"), None);
}

/// B 1.8, cases P03.
#[test]
fn the_objects_own_version_goes_first() {
    let own = on("f1").version(7).envelope_version(42);
    let envelope = on("f2").without("version").envelope_version(42);
    let sim = streaming(full("s1", [own, envelope]));
    assert_eq!(sim.flag_version("f1"), Some(7));
    assert_eq!(sim.flag_version("f2"), Some(42));
}

/// B 1.8, cases P03.
#[test]
fn the_key_is_the_envelopes() {
    let sim = streaming(full("s1", [on("f1").with("key", json!("other"))]));
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    let text: Value = serde_json::from_str(&sim.flag_text("f1").unwrap()).unwrap();
    assert_eq!(text["key"], "f1");
    assert_eq!(text["variations"], json!([false, true]));
}

/// B 1.8.
#[test]
fn an_object_is_kept_byte_for_byte() {
    let object = r#"{ "key":"f1" ,"version" : 3,  "on":true, "variations":[1.50,"é\u00e9"],"new":{"b":1,"a":[ ]}, "salt":"s" }"#;
    let sim = streaming(full("s1", [Item { object: object.to_owned(), ..on("f1") }]));
    assert_eq!(sim.flag_text("f1").as_deref(), Some(object));
}

/// B 1.8: what is missing is set, and nothing else changes its meaning.
#[test]
fn a_missing_version_is_set_in_the_text() {
    let item = on("f1").without("version").with("new", json!({"a": [1, 2]})).envelope_version(5);
    let sim = streaming(full("s1", [item.clone()]));
    let mut wanted: Value = serde_json::from_str(&item.object).unwrap();
    wanted["version"] = json!(5);
    let text: Value = serde_json::from_str(&sim.flag_text("f1").unwrap()).unwrap();
    assert_eq!(text, wanted);
}

/// B 1.8.
#[test]
fn a_missing_version_is_zero() {
    let object = on("f1").without("version").object;
    let bare_put =
        event("put-object", format!(r#"{{"kind":"flag","key":"f1","object":{object}}}"#));
    let bare_delete = event("delete-object", json!({"kind": "flag", "key": "f2"}));
    let bare_transferred = event("payload-transferred", json!({"state": "s2"}));
    let mut sim = streaming(full("s1", [on("f2")]));
    sim.send([bare_put, bare_delete, bare_transferred]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true)]);
    assert_eq!(sim.flag_version("f1"), Some(0));
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 1.8.
#[test]
fn an_object_that_says_deleted_is_a_deletion() {
    let mut sim = streaming(full("s1", [on("f1"), on("f2")]));
    sim.send(changes("s2", [on("f1").with("deleted", json!(true))]));
    assert_eq!(sim.flags(), [("f2".to_owned(), true)]);
    sim.send(full("s3", [on("f2").with("deleted", json!(true)), on("f3")]));
    assert_eq!(sim.flags(), [("f3".to_owned(), true)]);

    let gone = on("f1").with("deleted", json!(true));
    assert_eq!(polling(full("s1", [gone, on("f2")])).flags(), [("f2".to_owned(), true)]);
}

/// B 1.8.
#[test]
fn a_known_event_that_lacks_a_field_is_invalid_data() {
    for bad in [
        event("put-object", json!({"version": 1, "kind": "flag", "object": {}})),
        event("put-object", json!({"version": 1, "key": "f1", "object": {}})),
        event("put-object", json!({"version": 1, "kind": "flag", "key": "f1"})),
        event("put-object", json!([])),
        event("put-object", "{"),
        event("delete-object", json!({"version": 1, "kind": "flag"})),
        event("delete-object", json!({"version": 1, "key": "f1"})),
        event("payload-transferred", json!({"version": 1})),
        event("payload-transferred", json!({"state": "", "version": 1})),
        event("payload-transferred", json!({"state": null, "version": 1})),
        event("payload-transferred", ""),
    ] {
        let mut sim = streaming(full("s1", [off("f1")]));
        sim.send([put(on("f1")), bad.clone(), transferred("s2", 2)]);
        assert_eq!(sim.is_on("f1"), Some(false), "{bad:?}");
        assert_eq!(sim.selector(), Some("s1"), "{bad:?}");
        assert_invalid_and_retried(&mut sim);
    }
}

/// What is no flag: not an object, or a known field of the wrong type.
fn undecodable_objects() -> Vec<String> {
    let wrong = |field: &str, value: Value| on("f1").with(field, value).object;
    vec![
        "[1]".to_owned(),
        "7".to_owned(),
        r#""flag""#.to_owned(),
        wrong("on", json!("yes")),
        wrong("variations", json!({})),
        wrong("rules", json!("none")),
        wrong("salt", json!(7)),
        wrong("prerequisites", json!([7])),
        wrong("targets", json!(true)),
        wrong("offVariation", json!("0")),
        wrong("fallthrough", json!([])),
        wrong("fallthrough", json!([1])),
        wrong("rules", json!([["r", 1]])),
        wrong("prerequisites", json!([["f2", 1]])),
        wrong("targets", json!([[["u"], 1]])),
        wrong("version", json!("1")),
    ]
}

/// B 1.9.
#[test]
fn one_undecodable_object_makes_its_whole_transfer_invalid() {
    for object in undecodable_objects() {
        let bad = Item { object: object.clone(), ..on("bad-key") };
        let mut sim = streaming(full("s1", [off("f1")]));
        sim.send(changes("s2", [on("f1"), bad]));
        assert_eq!(sim.flags(), [("f1".to_owned(), false)], "{object}");
        assert_eq!(sim.selector(), Some("s1"), "{object}");
        let message = sim.last_error().expect("an error").message.to_string();
        assert!(message.contains("flag") && message.contains("bad-key"), "{message}");
        assert_invalid_and_retried(&mut sim);
    }
}

/// B 1.9: while data is held the attempt does not wait for the end of the transfer.
#[test]
fn an_undecodable_object_ends_the_attempt_at_once() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send([intent("xfer-full"), put(undecodable("f1"))]);
    assert_invalid_and_retried(&mut sim);
}

/// B 1.9.
#[test]
fn an_undecodable_segment_is_named() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send(changes("s2", [segment("bad-key", &[]).with("included", json!(1))]));
    let message = sim.last_error().expect("an error").message.to_string();
    assert!(message.contains("segment") && message.contains("bad-key"), "{message}");
    assert_invalid_and_retried(&mut sim);
}

/// B 1.9, cases M03, M05, M09: what only makes no sense costs its own flag at evaluation.
#[test]
fn what_only_makes_no_sense_is_decoded() {
    let clause = |op: &str, values: Value| json!([{"variation": 1, "clauses": [{"attribute": "a", "op": op, "values": values}]}]);
    for item in [
        on("f").with("rules", Value::Null),
        on("f").with("prerequisites", Value::Null),
        on("f").with("offVariation", Value::Null),
        on("f").with("targets", Value::Null),
        on("f").with("debugEventsUntilDate", Value::Null),
        on("f").with("fallthrough", json!({"variation": 1, "rollout": null})),
        on("f").with("fallthrough", json!({})),
        on("f").without("salt").without("rules").without("targets"),
        on("f").with("unknown", json!({"deep": [1]})),
        on("f").with("fallthrough", json!({"variation": 99})),
        on("f").with("fallthrough", json!({"variation": -1})),
        on("f").with("rules", clause("futureOp", json!(["x"]))),
        on("f").with("rules", clause("matches", json!(["(("]))),
        on("f").with("rules", clause("semVerEqual", json!(["not a version"]))),
        on("f").with("rules", clause("before", json!(["not a date"]))),
        Item { object: r#"{"version":5e0,"on":true,"offVariation":1.0}"#.into(), ..on("f") },
        Item { object: "{}".into(), ..on("f") },
    ] {
        let sim = streaming(full("s1", [item.clone(), on("f1")]));
        assert_eq!(sim.state(), SourceState::Valid, "{}", item.object);
        assert_eq!(sim.flags().len(), 2, "{}", item.object);
    }
}

/// B 1.9: an empty key is legal.
#[test]
fn an_empty_key_is_decoded() {
    let sim = streaming(full("s1", [on(""), on("f1")]));
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 1.9 holds for polls and FDv1 too.
#[test]
fn an_undecodable_object_in_a_poll_applies_nothing() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let bad = Reply::poll(changes("s2", [on("f1"), undecodable("f2")]));
    sim.serve_in_turn("a", [Reply::poll(full("s1", [off("f1")])), bad]);
    sim.start().advance(secs(30));
    assert_eq!(sim.asked().len(), 2);
    assert_eq!(sim.flags(), [("f1".to_owned(), false)]);
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.state(), SourceState::Interrupted);
}

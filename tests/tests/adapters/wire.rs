//! Flags and transfers as they are on the wire.

use std::fmt::Write as _;

use fdv2_client::{Client, ContextBuilder};
use serde_json::{Value, json};

/// A flag that is on and gives `value`; off, it would give null.
pub(crate) fn flag(key: &str, value: impl Into<Value>) -> Value {
    json!({
        "key": key, "version": 1, "on": true, "salt": "s", "variations": [null, value.into()],
        "fallthrough": {"variation": 1}, "offVariation": 0,
        "targets": [], "rules": [], "prerequisites": [],
    })
}

/// What the client gives for a flag made by [`flag`].
pub(crate) fn value(client: &Client, key: &str) -> Option<Value> {
    let somebody = ContextBuilder::new("somebody").build().unwrap();
    match client.json_variation(&somebody, key, Value::Null) {
        Value::Null => None,
        value => Some(value),
    }
}

/// The events of a transfer that replaces everything.
pub(crate) fn full(selector: &str, flags: &[Value]) -> Vec<(&'static str, Value)> {
    transfer("xfer-full", selector, flags)
}

/// The events of a transfer of this intent.
pub(crate) fn transfer(
    intent: &str,
    selector: &str,
    flags: &[Value],
) -> Vec<(&'static str, Value)> {
    let payload = json!({"id": "p1", "target": 1, "intentCode": intent, "reason": "r"});
    let mut events = vec![("server-intent", json!({"payloads": [payload]}))];
    events.extend(flags.iter().map(|flag| {
        let object =
            json!({"version": 1, "kind": "flag", "key": flag["key"].clone(), "object": flag});
        ("put-object", object)
    }));
    events.push(("payload-transferred", json!({"state": selector, "version": 1})));
    events
}

/// As a stream has them.
pub(crate) fn sse(events: &[(&str, Value)]) -> String {
    events.iter().fold(String::new(), |mut text, (name, data)| {
        let _ = write!(text, "event: {name}\ndata: {data}\n\n");
        text
    })
}

/// As a poll's body has them.
pub(crate) fn poll(events: &[(&str, Value)]) -> String {
    let events: Vec<_> =
        events.iter().map(|(name, data)| json!({"event": name, "data": data})).collect();
    json!({ "events": events }).to_string()
}

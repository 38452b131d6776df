//! Flags, segments and payloads as the contract has them on the wire (C 1.6, 1.7).

use serde_json::{Value, json};

/// A flag that is off and gives `value`, with every member that the wire has.
pub(crate) fn flag(key: &str, version: u64, value: impl Into<Value>) -> Value {
    json!({
        "key": key, "on": false, "prerequisites": [], "targets": [], "contextTargets": [],
        "rules": [], "fallthrough": {}, "offVariation": 0, "variations": [value.into(), "other"],
        "clientSide": false, "salt": "", "trackEvents": false, "trackEventsFallthrough": false,
        "debugEventsUntilDate": null, "version": version, "deleted": false,
    })
}

/// A segment that holds these keys.
pub(crate) fn segment(key: &str, version: u64, included: &[&str]) -> Value {
    json!({
        "key": key, "included": included, "excluded": [], "includedContexts": [],
        "excludedContexts": [], "salt": "", "rules": [], "version": version, "generation": null,
        "deleted": false,
    })
}

/// The same item under another key.
pub(crate) fn rename(mut item: Value, key: &str) -> Value {
    item["key"] = key.into();
    item
}

/// What a server replays on each connection.
#[derive(Clone)]
pub(crate) struct Payload {
    intent: &'static str,
    reason: &'static str,
    state: String,
    objects: Vec<(&'static str, Value)>,
}

impl Payload {
    /// Replaces everything by these flags.
    pub(crate) fn full(flags: &[Value]) -> Self {
        Self::new("xfer-full", "initial", flags)
    }

    /// Replaces everything by nothing.
    pub(crate) fn empty() -> Self {
        Self::new("xfer-full", "payload-missing", &[])
    }

    /// Changes these flags.
    pub(crate) fn changes(flags: &[Value]) -> Self {
        Self::new("xfer-changes", "stale", flags)
    }

    /// Says that the data held is current.
    pub(crate) fn none() -> Self {
        Self::new("none", "up-to-date", &[])
    }

    pub(crate) fn new(intent: &'static str, reason: &'static str, flags: &[Value]) -> Self {
        let objects = flags.iter().map(|flag| ("flag", flag.clone())).collect();
        Self { intent, reason, state: "initial".to_owned(), objects }
    }

    pub(crate) fn state(mut self, state: &str) -> Self {
        state.clone_into(&mut self.state);
        self
    }

    pub(crate) fn segments(mut self, segments: &[Value]) -> Self {
        self.objects.extend(segments.iter().map(|segment| ("segment", segment.clone())));
        self
    }

    /// The events, the objects in an order that `seed` decides: no order is promised. The envelope
    /// says version 1 whatever the object says, and the selector's version is always 1.
    pub(crate) fn events(&self, seed: u64) -> Vec<(&'static str, Value)> {
        let mut objects = self.objects.clone();
        shuffle(&mut objects, seed);
        let mut events = vec![("server-intent", intent(self.intent, self.reason))];
        events.extend(objects.iter().map(|(kind, object)| ("put-object", put(kind, 1, object))));
        events.push(("payload-transferred", json!({ "state": self.state, "version": 1 })));
        events
    }
}

pub(super) fn intent(code: &str, reason: &str) -> Value {
    let payload = json!({"id": "payloadID", "target": 1, "intentCode": code, "reason": reason});
    json!({ "payloads": [payload] })
}

pub(super) fn put(kind: &str, version: u64, object: &Value) -> Value {
    json!({"version": version, "kind": kind, "key": object["key"], "object": object})
}

/// As a stream has an event.
pub(super) fn sse(name: &str, data: &str) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// By Fisher and Yates, with a generator that is good enough for a few objects.
fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    for end in (1..items.len()).rev() {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = (state >> 33) as usize % (end + 1);
        items.swap(end, other);
    }
}

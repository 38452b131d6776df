//! What servers write: the events of the protocol, on a stream and in a body.

use serde_json::{Map, Value, json};

/// One event, for a stream or for a poll body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Its name.
    pub name: String,
    /// Its data, as text.
    pub data: String,
}

/// An event of this name and data, whatever they are.
pub fn event(name: &str, data: impl ToString) -> Wire {
    Wire { name: name.to_owned(), data: data.to_string() }
}

/// `server-intent` with this code.
pub fn intent(code: &str) -> Wire {
    let payload = format!(r#"{{"id":"p1","target":1,"intentCode":{},"reason":"r"}}"#, json!(code));
    event("server-intent", format!(r#"{{"payloads":[{payload}]}}"#))
}

/// `put-object` of this item.
pub fn put(item: Item) -> Wire {
    // The object is written as it is: its text may be no JSON at all.
    event(
        "put-object",
        format!(
            r#"{{"version":{},"kind":"{}","key":{},"object":{}}}"#,
            item.version,
            item.kind,
            json!(item.key),
            item.object
        ),
    )
}

/// `delete-object` of a flag.
pub fn delete(key: &str, version: u64) -> Wire {
    event("delete-object", json!({"version": version, "kind": "flag", "key": key}))
}

/// `delete-object` of a segment.
pub fn delete_segment(key: &str, version: u64) -> Wire {
    event("delete-object", json!({"version": version, "kind": "segment", "key": key}))
}

/// `payload-transferred` with this state.
pub fn transferred(state: &str, version: u64) -> Wire {
    let data = format!(r#"{{"state":{},"version":{version}}}"#, json!(state));
    event("payload-transferred", data)
}

/// `goodbye`.
pub fn goodbye() -> Wire {
    event("goodbye", json!({"reason": "rotate"}))
}

/// `goodbye` that carries `protocolFallbackTTL`.
pub fn goodbye_to_fdv1(ttl: Value) -> Wire {
    event("goodbye", json!({"reason": "rotate", "protocolFallbackTTL": ttl}))
}

/// `error`.
pub fn error() -> Wire {
    event("error", json!({"id": "p1", "payloadId": "p1", "reason": "oops"}))
}

/// `heartbeat`.
pub fn heartbeat() -> Wire {
    event("heartbeat", json!({}))
}

/// One whole `xfer-full` transfer.
pub fn full(state: &str, items: impl IntoIterator<Item = Item>) -> Vec<Wire> {
    transfer("xfer-full", state, items)
}

/// One whole `xfer-changes` transfer.
pub fn changes(state: &str, items: impl IntoIterator<Item = Item>) -> Vec<Wire> {
    transfer("xfer-changes", state, items)
}

fn transfer(code: &str, state: &str, items: impl IntoIterator<Item = Item>) -> Vec<Wire> {
    let mut events = vec![intent(code)];
    events.extend(items.into_iter().map(put));
    events.push(transferred(state, 1));
    events
}

/// The data held is current.
pub fn none() -> Vec<Wire> {
    vec![intent("none")]
}

/// A flag or segment as it is put.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// `flag`, `segment`, or something unknown.
    pub kind: &'static str,
    /// The envelope's key.
    pub key: String,
    /// The envelope's version.
    pub version: u64,
    /// The object's text.
    pub object: String,
}

impl Item {
    /// Another version, in the envelope and in the object.
    pub fn version(self, version: u64) -> Self {
        let own: Value = json!(version);
        Self { version, ..self.with("version", own) }
    }

    /// Another version in the envelope alone.
    pub fn envelope_version(self, version: u64) -> Self {
        Self { version, ..self }
    }

    /// One field of the object set.
    pub fn with(self, field: &str, value: Value) -> Self {
        self.change(|object| {
            object.insert(field.to_owned(), value);
        })
    }

    /// One field of the object taken out.
    pub fn without(self, field: &str) -> Self {
        self.change(|object| {
            object.remove(field);
        })
    }

    fn change(self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let mut object: Map<String, Value> = serde_json::from_str(&self.object).expect("an object");
        change(&mut object);
        Self { object: Value::Object(object).to_string(), ..self }
    }

    /// A flag that needs these other flags.
    pub fn needs(self, flags: &[&str]) -> Self {
        let prerequisites: Value =
            flags.iter().map(|key| json!({"key": key, "variation": 1})).collect();
        self.with("prerequisites", prerequisites)
    }

    /// A flag with a rule on these segments.
    pub fn uses(self, segments: &[&str]) -> Self {
        let clause = json!({"attribute": "", "op": "segmentMatch", "values": segments});
        self.with("rules", json!([{"id": "r", "variation": 1, "clauses": [clause]}]))
    }
}

/// A flag that gives `true`.
pub fn on(key: &str) -> Item {
    flag(key, true)
}

/// A flag that gives `false`.
pub fn off(key: &str) -> Item {
    flag(key, false)
}

fn flag(key: &str, is_on: bool) -> Item {
    let object = json!({
        "key": key, "version": 1, "on": is_on, "variations": [false, true],
        "fallthrough": {"variation": 1}, "offVariation": 0, "salt": "s",
        "targets": [], "rules": [], "prerequisites": [],
    });
    Item { kind: "flag", key: key.to_owned(), version: 1, object: object.to_string() }
}

/// A segment with these members.
pub fn segment(key: &str, included: &[&str]) -> Item {
    let object = json!({
        "key": key, "version": 1, "included": included, "excluded": [], "rules": [], "salt": "s",
    });
    Item { kind: "segment", key: key.to_owned(), version: 1, object: object.to_string() }
}

/// A flag that is well-formed JSON and no flag.
pub fn undecodable(key: &str) -> Item {
    on(key).with("variations", json!("none"))
}

/// The events as a stream writes them.
pub fn sse<'a>(events: impl IntoIterator<Item = &'a Wire>) -> String {
    events
        .into_iter()
        .map(|Wire { name, data }| format!("event: {name}\ndata: {data}\n\n"))
        .collect()
}

/// The events as the body of a poll.
pub fn poll_body<'a>(events: impl IntoIterator<Item = &'a Wire>) -> String {
    let members: Vec<String> = events
        .into_iter()
        .map(|Wire { name, data }| format!(r#"{{"event":{},"data":{data}}}"#, json!(name)))
        .collect();
    format!(r#"{{"events":[{}]}}"#, members.join(","))
}

/// The items as the body of an FDv1 poll.
pub fn fdv1_body(items: impl IntoIterator<Item = Item>) -> String {
    let items: Vec<Item> = items.into_iter().collect();
    let members = |kind: &str| {
        let of_kind = items.iter().filter(|item| item.kind == kind);
        of_kind
            .map(|item| format!("{}:{}", json!(item.key), item.object))
            .collect::<Vec<_>>()
            .join(",")
    };
    format!(r#"{{"flags":{{{}}},"segments":{{{}}}}}"#, members("flag"), members("segment"))
}

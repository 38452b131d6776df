//! A stream, which a test writes on as it goes (C 1.6).

use std::sync::{Arc, Mutex};
use std::time::Duration;

use fdv2_tests::server::{Live, Script};
use serde_json::{Value, json};

use super::data::{intent, put, sse};
use super::handlers::get;
use super::{Handler, Payload, soon};

const HEADERS: [(&str, &str); 2] =
    [("Content-Type", "text/event-stream; charset=utf-8"), ("Transfer-Encoding", "chunked")];

/// Serves a payload at `/sdk/stream` on each connection, and on the newest what a test pushes.
/// Clones are the same.
#[derive(Clone)]
pub(crate) struct Stream(Arc<Inner>);

struct Inner {
    payload: Option<Payload>,
    headers: Vec<(&'static str, &'static str)>,
    connections: Mutex<Connections>,
}

#[derive(Default)]
struct Connections {
    /// What was pushed before there was one.
    queued: Vec<String>,
    newest: Option<Live>,
    /// What the gate holds back.
    held_back: Option<Vec<(Live, String)>>,
}

impl Stream {
    pub(crate) fn new(payload: Payload) -> Self {
        Self::with(payload, &[])
    }

    /// With headers beside its own.
    pub(crate) fn with(payload: Payload, headers: &[(&'static str, &'static str)]) -> Self {
        Self::made(Some(payload), headers)
    }

    /// Says nothing after its head.
    pub(crate) fn silent() -> Self {
        Self::made(None, &[])
    }

    fn made(payload: Option<Payload>, headers: &[(&'static str, &'static str)]) -> Self {
        let headers = [&HEADERS, headers].concat();
        Self(Arc::new(Inner { payload, headers, connections: Mutex::default() }))
    }

    /// Says nothing at all before the gate is opened.
    pub(crate) fn gated(self) -> Self {
        self.0.connections.lock().unwrap().held_back = Some(Vec::new());
        self
    }

    pub(crate) fn open_gate(&self) {
        let held_back = self.0.connections.lock().unwrap().held_back.take();
        for (live, begin) in held_back.expect("a gate that is shut") {
            live.write(begin);
        }
    }

    pub(crate) fn handler(&self) -> Handler {
        let inner = Arc::clone(&self.0);
        get("/sdk/stream", move |asked| {
            let live = asked.live();
            let mut connections = inner.connections.lock().unwrap();
            connections.newest = Some(live.clone());
            let mut text = String::new();
            if let Some(payload) = &inner.payload {
                for (name, data) in payload.events(asked.number as u64) {
                    text.push_str(&sse(name, &data.to_string()));
                }
            }
            text.extend(connections.queued.drain(..));
            let head = Script::new().head(200, &inner.headers);
            match &mut connections.held_back {
                None if text.is_empty() => head.live(&live),
                None => head.chunk(&text).live(&live),
                Some(held_back) => {
                    held_back.push((live.clone(), inner.begin(&text)));
                    Script::new().live(&live)
                }
            }
        })
    }

    /// Pushes an event with data that need not be JSON.
    pub(crate) fn push_text(&self, name: &str, data: &str) {
        let mut connections = self.0.connections.lock().unwrap();
        let event = sse(name, data);
        match &connections.newest {
            Some(live) => live.chunk(&event),
            None => connections.queued.push(event),
        }
    }

    pub(crate) fn push(&self, name: &str, data: &Value) {
        self.push_text(name, &data.to_string());
    }

    pub(crate) fn intent(&self, code: &str, reason: &str) {
        self.push("server-intent", &intent(code, reason));
    }

    /// Puts a flag. The envelope has its version.
    pub(crate) fn put(&self, flag: &Value) {
        let version = flag["version"].as_u64().expect("a version");
        self.push("put-object", &put("flag", version, flag));
    }

    pub(crate) fn delete(&self, key: &str, version: u64) {
        let data = json!({"version": version, "kind": "flag", "key": key});
        self.push("delete-object", &data);
    }

    pub(crate) fn transferred(&self, state: &str, version: u64) {
        self.push("payload-transferred", &json!({ "state": state, "version": version }));
    }

    /// Puts a flag, and completes the transfer.
    pub(crate) fn update(&self, flag: &Value) {
        self.put(flag);
        self.transferred("updated", flag["version"].as_u64().expect("a version"));
    }

    /// Ends the newest connection, as streams should end.
    pub(crate) fn end(&self) {
        self.live().end();
    }

    /// Waits until the client has closed the newest connection.
    #[track_caller]
    pub(crate) fn is_closed(&self, within: Duration) {
        let live = self.live();
        soon("the end of the stream's connection", within, || live.is_over().then_some(()));
    }

    fn live(&self) -> Live {
        let connections = self.0.connections.lock().unwrap();
        connections.newest.clone().expect("a connection")
    }
}

impl Inner {
    /// A response's head and the first chunk.
    fn begin(&self, text: &str) -> String {
        let headers: String =
            self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        format!("HTTP/1.1 200 OK\r\n{headers}\r\n{:x}\r\n{text}\r\n", text.len())
    }
}

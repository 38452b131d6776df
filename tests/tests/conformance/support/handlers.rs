//! What endpoints do (C 1.8 to 1.10).

use std::sync::Arc;

use fdv2_tests::server::{Script, gzip};
use serde_json::{Map, Value, json};

use super::{Asked, Handler, Payload};

const DIRECTIVE: (&str, &str) = ("X-LD-FD-Fallback", "true");

/// Answers with a status.
pub(crate) fn status(status: u16) -> Handler {
    Arc::new(move |_| Script::status(status))
}

/// Answers with a status and the order to fall back to FDv1.
pub(crate) fn directive(status: u16) -> Handler {
    Arc::new(move |_| Script::response(status, &[DIRECTIVE], b""))
}

/// Closes the connection without a word.
pub(crate) fn broken() -> Handler {
    Arc::new(|_| Script::new())
}

/// Never says anything.
pub(crate) fn hanging() -> Handler {
    Arc::new(|_| Script::new().hang())
}

/// Handles one request after another, the last handler all that follow.
pub(crate) fn in_turn(handlers: impl Into<Vec<Handler>>) -> Handler {
    let handlers = handlers.into();
    Arc::new(move |asked| {
        let handler = handlers.get(asked.number).or(handlers.last()).expect("a handler");
        handler(asked)
    })
}

/// Serves a payload at `/sdk/poll`, compressed, and only to those who can read that.
pub(crate) fn poll(payload: Payload) -> Handler {
    poll_with(payload, &[])
}

/// The same, with headers.
pub(crate) fn poll_with(
    payload: Payload,
    headers: &'static [(&'static str, &'static str)],
) -> Handler {
    get("/sdk/poll", move |asked| {
        let offered = asked.request.header("accept-encoding").unwrap_or_default();
        if !offered.contains("gzip") {
            return Script::status(400);
        }
        let events: Vec<_> = payload
            .events(asked.number as u64)
            .into_iter()
            .map(|(name, data)| json!({ "event": name, "data": data }))
            .collect();
        let body = gzip([json!({ "events": events }).to_string().as_bytes()]).concat();
        let own = [("Content-Type", "application/json"), ("Content-Encoding", "gzip")];
        Script::response(200, &[&own, headers].concat(), &body)
    })
}

/// Has no data: says 404 once and then nothing any more.
pub(crate) fn unavailable_poll() -> Handler {
    in_turn([status(404), hanging()])
}

/// Serves these flags by the old protocol.
pub(crate) fn fdv1(flags: &[Value]) -> Handler {
    let flags: Map<_, _> = flags
        .iter()
        .map(|flag| (flag["key"].as_str().expect("a key").to_owned(), flag.clone()))
        .collect();
    let body = json!({ "flags": flags, "segments": {} }).to_string();
    Arc::new(move |asked| match asked.request.path() {
        "/sdk/latest-all" => Script::json(&body),
        _ => Script::status(404),
    })
}

/// Handles GET of one path.
pub(super) fn get(
    path: &'static str,
    handler: impl Fn(&Asked) -> Script + Send + Sync + 'static,
) -> Handler {
    Arc::new(move |asked| match (asked.request.method.as_str(), asked.request.path()) {
        ("GET", asked_for) if asked_for == path => handler(asked),
        ("GET", _) => Script::status(404),
        _ => Script::status(405),
    })
}

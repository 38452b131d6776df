//! What is written reads back as it was.

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Message, fdv1_body, poll_body, write_comment};
use crate::model::Kind;
use crate::protocol::event::IntentCode;
use crate::protocol::{Fdv1Body, PollBody};
use crate::sse::{Frame, Parser};

const NASTY: &str = "a\"\\\n\r\u{2028}\0é😀</script>";

fn messages() -> Vec<(Message<'static>, &'static str, Value)> {
    let object = "{\r\n  \"a\": [1,\n\r\n2]\r}";
    vec![
        (
            Message::ServerIntent {
                payload: "p",
                target: 7,
                code: IntentCode::Changes,
                reason: NASTY,
            },
            "server-intent",
            json!({"payloads": [{"id": "p", "target": 7, "intentCode": "xfer-changes", "reason": NASTY}]}),
        ),
        (
            Message::PutObject { kind: Kind::Flag, key: NASTY, version: u64::MAX, object },
            "put-object",
            json!({"kind": "flag", "key": NASTY, "version": u64::MAX, "object": {"a": [1, 2]}}),
        ),
        (
            Message::DeleteObject { kind: Kind::Segment, key: "", version: 0 },
            "delete-object",
            json!({"kind": "segment", "key": "", "version": 0}),
        ),
        (
            Message::PayloadTransferred { state: NASTY, version: 3 },
            "payload-transferred",
            json!({"state": NASTY, "version": 3}),
        ),
        (Message::Heartbeat, "heartbeat", json!({})),
        (
            Message::Error { payload: NASTY, reason: "r" },
            "error",
            json!({"payloadId": NASTY, "reason": "r"}),
        ),
        (
            Message::Goodbye { reason: "r", protocol_fallback_ttl: None },
            "goodbye",
            json!({"reason": "r", "silent": false, "catastrophe": false}),
        ),
        (
            Message::Goodbye { reason: "r", protocol_fallback_ttl: Some(0) },
            "goodbye",
            json!({"reason": "r", "silent": false, "catastrophe": false, "protocolFallbackTTL": 0}),
        ),
    ]
}

#[test]
fn frames_read_back_as_they_were() {
    let mut out = Vec::new();
    for (message, ..) in messages() {
        message.write_frame(&mut out);
        write_comment(&mut out, "alive\n\ndata: smuggled\n\n");
    }
    let mut parser = Parser::new(10_000);
    parser.push(Bytes::from(out));
    for (_, expected, value) in messages() {
        let Ok(Some(Frame::Event { name, data })) = parser.next() else { panic!("{expected}") };
        assert_eq!((name, serde_json::from_str(data).ok()), (expected, Some(value)));
        assert_eq!(parser.next(), Ok(Some(Frame::Comment)));
    }
    assert_eq!(parser.next(), Ok(None));
}

#[test]
fn a_poll_body_reads_back_as_it_was() {
    let mut body = PollBody::new(10_000);
    body.push(poll_body(messages().into_iter().map(|(message, ..)| message)).into());
    for (_, expected, value) in messages() {
        let event = body.next().unwrap().unwrap();
        assert_eq!(event.name, expected);
        assert_eq!(serde_json::from_str::<Value>(event.data).unwrap(), value);
    }
    assert_eq!(body.next(), Ok(None));
    assert_eq!(body.finish(), Ok(()));
}

#[test]
fn an_fdv1_body_reads_back_as_it_was() {
    let mut body = Fdv1Body::new(10_000);
    body.push(fdv1_body([(NASTY, "{}"), ("b", "[\n1]")], [("s", "2")]).into());
    let mut items = Vec::new();
    while let Some(item) = body.next().unwrap() {
        items.push((item.kind, item.key.into_owned(), item.object.to_owned()));
    }
    let expected =
        [(Kind::Flag, NASTY, "{}"), (Kind::Flag, "b", "[\n1]"), (Kind::Segment, "s", "2")];
    assert_eq!(items, expected.map(|(kind, key, text)| (kind, key.to_owned(), text.to_owned())));
    assert_eq!(body.finish(), Ok(()));
}

#[test]
fn empty_bodies_are_whole() {
    assert_eq!(poll_body([]), br#"{"events":[]}"#);
    assert_eq!(fdv1_body([], []), br#"{"flags":{},"segments":{}}"#);
}

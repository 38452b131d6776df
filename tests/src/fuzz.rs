//! What fuzzing feeds with bytes, and what has to hold whatever they are. `fuzz/` has a target for
//! each function, and the test `fuzz` runs them on damaged samples.

use std::fmt::Display;
use std::sync::Arc;

use bytes::Bytes;
use fdv2_core::context::{Context, ContextBuilder};
use fdv2_core::eval::{Lookup, evaluate};
use fdv2_core::model::Kind;
use fdv2_core::protocol::{Fdv1Body, InvalidData, PollBody};
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::sse::{Frame, Parser, SseError};
use fdv2_core::{Limits, Snapshot};

/// Small, so that the limit is met.
const EVENT_LIMIT: usize = 4 << 10;

/// A function to feed.
pub type Target = fn(&[u8]);

/// All of them, each with good input to begin with.
pub const TARGETS: [(Target, &[u8]); 4] = [
    (event_stream, EVENT_STREAM),
    (poll_body, POLL_BODY),
    (fdv1_body, FDV1_BODY),
    (evaluation, FLAG),
];

const EVENT_STREAM: &[u8] = "\u{feff}: hello\r\nretry: 20\r\nid: 7\r\nevent: put-object\r\n\
    data: {\"kind\":\"flag\",\rdata:\"key\":\"é\"}\n\n\ndata\n\n"
    .as_bytes();

const POLL_BODY: &[u8] = br#" {"x":[1,{"y":"\u00e9"}],"events":[
    {"event":"server-intent","data":{"payloads":[{"intentCode":"xfer-full"}]}},
    {"data":{"kind":"flag","key":"a","object":{"on":true}},"event":"put-object"}, {"z":-1.5e3}
    ]} "#;

const FDV1_BODY: &[u8] =
    br#"{"flags":{"a":{"on":true},"\"b":{}},"more":null,"segments":{"s":{"included":["u"]}}}"#;

const FLAG: &[u8] = br#"{"on":true,"version":1.0,"variations":[true,{"a":[null]},"x"],"salt":"s",
    "prerequisites":[{"key":"other","variation":0}],
    "targets":[{"values":["ben"],"variation":1}],"contextTargets":[{"contextKind":"org"}],
    "rules":[{"id":"r","variation":2,"clauses":[
        {"attribute":"plan","op":"matches","values":["^p.*o$"],"negate":true},
        {"attribute":"/age","op":"semVerLessThan","values":["1.2","x"]},
        {"attribute":"at","op":"before","values":["2020-01-01T00:00:00Z",5e4]},
        {"op":"segmentMatch","values":["a","other"]}]}],
    "included":["anna"],"excludedContexts":[{"contextKind":"org","values":["acme"]}],
    "fallthrough":{"rollout":{"kind":"experiment","seed":7,"bucketBy":"plan",
        "variations":[{"variation":0,"weight":60000},{"variation":9,"weight":40000}]}},
    "offVariation":1,"unbounded":true,"generation":3}"#;

/// What was read, in words; a fault is the last of it.
type Seen = Vec<Result<String, String>>;

/// An event stream reads the same wherever it is cut, and keeps no more than its limit.
pub fn event_stream(input: &[u8]) {
    everywhere_the_same(input, |pieces| {
        let mut parser = Parser::new(EVENT_LIMIT);
        let mut seen = Seen::new();
        for piece in pieces {
            parser.push(piece);
            pull(&mut seen, || Ok::<_, SseError>(parser.next()?.map(|frame| describe(&frame))));
        }
        seen
    });
}

fn describe(frame: &Frame<'_>) -> String {
    if let Frame::Event { data, .. } = frame {
        assert!(data.len() <= EVENT_LIMIT);
    }
    format!("{frame:?}")
}

/// A poll body reads the same wherever it is cut; one that is not JSON is refused.
pub fn poll_body(input: &[u8]) {
    let seen = everywhere_the_same(input, |pieces| {
        let mut body = PollBody::new(EVENT_LIMIT);
        let mut seen = Seen::new();
        for piece in pieces {
            body.push(piece);
            pull(&mut seen, || {
                Ok::<_, InvalidData>(body.next()?.map(|event| format!("{event:?}")))
            });
        }
        pull(&mut seen, || body.finish().map(|()| None));
        seen
    });
    only_json_is_whole(input, &seen);
}

/// An FDv1 body reads the same wherever it is cut; one that is not JSON is refused.
pub fn fdv1_body(input: &[u8]) {
    let seen = everywhere_the_same(input, |pieces| {
        let mut body = Fdv1Body::new(EVENT_LIMIT);
        let mut seen = Seen::new();
        for piece in pieces {
            body.push(piece);
            pull(&mut seen, || Ok::<_, InvalidData>(body.next()?.map(|item| format!("{item:?}"))));
        }
        pull(&mut seen, || body.finish().map(|()| None));
        seen
    });
    only_json_is_whole(input, &seen);
}

/// Pulls until there is no more, or a fault, after which nothing is pulled any more.
fn pull<E: Display>(seen: &mut Seen, mut next: impl FnMut() -> Result<Option<String>, E>) {
    while !matches!(seen.last(), Some(Err(_))) {
        match next() {
            Ok(Some(text)) => seen.push(Ok(text)),
            Ok(None) => return,
            Err(error) => seen.push(Err(error.to_string())),
        }
    }
}

/// An object becomes a flag and a segment that refer to each other as it says; evaluating them ends,
/// with the same result each time.
pub fn evaluation(input: &[u8]) {
    let Ok(object) = std::str::from_utf8(input) else { return };
    let mut builder = ChangeSetBuilder::full();
    for kind in [Kind::Flag, Kind::Segment] {
        for key in ["a", "other"] {
            // What is undecodable is refused, and that is all.
            let _ = builder.put(kind, key, 1, object);
        }
    }
    let commit = Snapshot::apply(&Arc::default(), builder.finish(None), &Limits::default());
    let snapshot = commit.expect("within the limits").snapshot;
    for context in contexts() {
        let Some(flag) = snapshot.flag("a") else { return };
        let lookup: &dyn Lookup = &*snapshot;
        let detail = evaluate(lookup, flag, &context).expect("everything is loaded");
        assert_eq!(evaluate(lookup, flag, &context), Ok(detail));
    }
}

fn contexts() -> [Context; 2] {
    let build = |kind: &str, key: &str| {
        let mut builder = ContextBuilder::new(key);
        builder.kind(kind).set_string("plan", "pro").set_float("age", 7.5).build()
    };
    [build("user", "anna"), build("org", "acme")].map(|context| context.expect("a context"))
}

/// Reads the input whole and in pieces, and makes sure that this makes no difference.
fn everywhere_the_same(
    input: &[u8],
    read: impl Fn(&mut dyn Iterator<Item = Bytes>) -> Seen,
) -> Seen {
    let whole = read(&mut std::iter::once(Bytes::copy_from_slice(input)));
    for size in [1, 2, 3, 7, 64] {
        let in_pieces = read(&mut input.chunks(size).map(Bytes::copy_from_slice));
        assert_eq!(whole, in_pieces, "in pieces of {size}");
    }
    whole
}

/// A body without fault is JSON. The other way round it need not be: it may have another form.
fn only_json_is_whole(input: &[u8], seen: &[Result<String, String>]) {
    if seen.iter().all(Result::is_ok) {
        let json = serde_json::from_slice::<serde::de::IgnoredAny>(input);
        assert!(json.is_ok(), "not JSON, and yet accepted: {json:?}");
    }
}

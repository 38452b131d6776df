//! What is written reads back as it was, however it is spelled and cut (B 1.16, 4.5, 5.7).

use bytes::Bytes;
use fdv2_core::model::Kind;
use fdv2_core::protocol::{Fdv1Body, PollBody};
use fdv2_tests::fuzz::{TARGETS, told};
use fdv2_tests::{made_up, ran};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// An event as a server may spell it.
#[derive(Clone, Debug)]
struct Spelled {
    name: String,
    lines: Vec<String>,
    line_end: &'static str,
    comment: Option<String>,
}

impl Spelled {
    fn text(&self) -> String {
        let end = self.line_end;
        let comment = self.comment.iter().map(|comment| format!(":{comment}{end}"));
        let lines = self.lines.iter().map(|line| format!("data: {line}{end}"));
        let body: String = lines.chain(comment).collect();
        format!("event: {}{end}{body}{end}", self.name)
    }

    fn told(&self) -> (String, String, String) {
        let name = if self.name.is_empty() { "message" } else { &self.name };
        (name.to_owned(), self.lines.join("\n"), String::new())
    }
}

fn spelled() -> impl Strategy<Value = Spelled> {
    let line_end = prop::sample::select(vec!["\n", "\r", "\r\n"]);
    let comment = prop::option::of("[^\r\n]{0,20}");
    ("[a-z-]{0,12}", vec("[^\r\n]{0,30}", 1..4), line_end, comment)
        .prop_map(|(name, lines, line_end, comment)| Spelled { name, lines, line_end, comment })
}

/// Cuts the bytes into pieces of these lengths, over and over.
fn cut(bytes: &[u8], lengths: &[usize]) -> Vec<Bytes> {
    let (mut pieces, mut rest) = (Vec::new(), bytes);
    for length in lengths.iter().cycle() {
        let (piece, after) = rest.split_at((*length).min(rest.len()));
        pieces.push(Bytes::copy_from_slice(piece));
        rest = after;
        if rest.is_empty() {
            break;
        }
    }
    pieces
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            btree_map(any::<String>(), inner, 0..4)
                .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into()),
        ]
    })
}

fn spell(body: &Value, is_pretty: bool) -> Vec<u8> {
    let text = if is_pretty { serde_json::to_vec_pretty(body) } else { serde_json::to_vec(body) };
    text.expect("a value can be written")
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("what was cut out is JSON")
}

proptest! {
    #![proptest_config(made_up::cases(ProptestConfig::default().cases))]

    #[test]
    fn a_stream_tells_its_events_however_they_are_spelled_and_cut(
        events in vec(spelled(), 0..5),
        lengths in vec(1..40_usize, 1..5),
    ) {
        ran::case();
        let stream: String = events.iter().map(Spelled::text).collect();
        let told = told(1 << 20, cut(stream.as_bytes(), &lengths));
        prop_assert_eq!(told.error, None);
        prop_assert_eq!(told.events, events.iter().map(Spelled::told).collect::<Vec<_>>());
        let comments = events.iter().filter(|event| event.comment.is_some()).count();
        prop_assert_eq!(told.comments, comments);
    }

    #[test]
    fn a_poll_body_gives_its_events_however_it_is_spelled_and_cut(
        events in vec((any::<String>(), value()), 0..5),
        more in value(),
        is_pretty in any::<bool>(),
        lengths in vec(1..40_usize, 1..5),
    ) {
        ran::case();
        let elements: Vec<_> =
            events.iter().map(|(name, data)| json!({"event": name, "data": data})).collect();
        let text = spell(&json!({"a": more, "events": elements, "z": more}), is_pretty);
        let mut body = PollBody::new(1 << 20);
        let mut found = Vec::new();
        for piece in cut(&text, &lengths) {
            body.push(piece);
            while let Some(event) = body.next().expect("a good body") {
                found.push((event.name.into_owned(), json(event.data)));
            }
        }
        prop_assert_eq!(found, events);
        prop_assert_eq!(body.finish(), Ok(()));
    }

    #[test]
    fn an_fdv1_body_gives_its_items_however_it_is_spelled_and_cut(
        flags in btree_map(any::<String>(), value(), 0..5),
        segments in btree_map(any::<String>(), value(), 0..3),
        is_pretty in any::<bool>(),
        lengths in vec(1..40_usize, 1..5),
    ) {
        ran::case();
        let text = spell(&json!({"flags": flags, "more": segments, "segments": segments}), is_pretty);
        let mut body = Fdv1Body::new(1 << 20);
        let mut found = Vec::new();
        for piece in cut(&text, &lengths) {
            body.push(piece);
            while let Some(item) = body.next().expect("a good body") {
                found.push((item.kind, item.key.into_owned(), json(item.object)));
            }
        }
        let of_kind = |kind| move |(key, object)| (kind, key, object);
        let expected = flags.into_iter().map(of_kind(Kind::Flag));
        let expected = expected.chain(segments.into_iter().map(of_kind(Kind::Segment)));
        prop_assert_eq!(found, expected.collect::<Vec<_>>());
        prop_assert_eq!(body.finish(), Ok(()));
    }
}

proptest! {
    #![proptest_config(made_up::cases(ProptestConfig::default().cases / 4))]

    #[test]
    fn every_target_holds_on_any_bytes(input in vec(any::<u8>(), 0..200)) {
        ran::case();
        TARGETS.iter().for_each(|target| (target.run)(&input));
    }
}

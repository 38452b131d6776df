//! Any bytes as a poll body (B 1.10, 1.13, 4.5).

use bytes::Bytes;
use fdv2_core::protocol::{InvalidData, PollBody};
use serde_json::Value;
use serde_json::value::RawValue;

use super::cuts::Input;

type Events = Vec<(String, String)>;

/// The events that a body gives, and whether it was whole.
fn read(
    limit: usize,
    pieces: impl IntoIterator<Item = Bytes>,
) -> (Events, Result<(), InvalidData>) {
    let mut body = PollBody::new(limit);
    let mut events = Events::new();
    for piece in pieces {
        body.push(piece);
        loop {
            match body.next() {
                Ok(None) => break,
                Ok(Some(event)) => events.push((event.name.into_owned(), event.data.to_owned())),
                Err(error) => {
                    assert_eq!(body.finish(), Err(error.clone()), "an error stays");
                    return (events, Err(error));
                }
            }
        }
    }
    let held = format!("{body:?}").len();
    assert!(held <= 2000 + 24 * limit, "the reader holds {held} characters");
    (events, body.finish())
}

/// However it is cut, a body gives the same; what is accepted is JSON, and gives what serde_json
/// finds in it.
///
/// # Panics
/// If it does not.
pub fn poll_body(input: &[u8]) {
    let input = Input::new(input);
    let (events, outcome) = read(input.limit, input.whole());
    assert_eq!(read(input.limit, input.pieces()), (events.clone(), outcome.clone()));
    if outcome.is_err() {
        return;
    }
    serde_json::from_slice::<&RawValue>(input.body).expect("an accepted body is JSON");
    // Refuses more than the grammar does: lone surrogates, numbers out of range, deep nesting.
    if let Ok(body) = serde_json::from_slice::<Value>(input.body) {
        let expected = body.get("events").and_then(Value::as_array).expect("`events` is a list");
        let expected: Vec<_> = expected.iter().map(named).collect();
        let events: Vec<_> = events.iter().map(|(name, data)| (name.clone(), json(data))).collect();
        assert_eq!(events, expected);
    }
}

fn named(element: &Value) -> (String, Value) {
    let name = element.get("event").and_then(Value::as_str).unwrap_or_default();
    (name.to_owned(), element.get("data").cloned().unwrap_or_default())
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("data is JSON")
}

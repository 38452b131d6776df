//! Any bytes as an FDv1 body (B 1.10, 1.13, 5.7).

use bytes::Bytes;
use fdv2_core::model::Kind;
use fdv2_core::protocol::{Fdv1Body, InvalidData};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::cuts::Input;

type Items = Vec<(Kind, String, String)>;

/// The items that a body gives, and whether it was whole.
fn read(limit: usize, pieces: impl IntoIterator<Item = Bytes>) -> (Items, Result<(), InvalidData>) {
    let mut body = Fdv1Body::new(limit);
    let mut items = Items::new();
    for piece in pieces {
        body.push(piece);
        loop {
            match body.next() {
                Ok(None) => break,
                Ok(Some(item)) => {
                    items.push((item.kind, item.key.into_owned(), item.object.to_owned()));
                }
                Err(error) => {
                    assert_eq!(body.finish(), Err(error.clone()), "an error stays");
                    return (items, Err(error));
                }
            }
        }
    }
    let held = format!("{body:?}").len();
    assert!(held <= 2000 + 24 * limit, "the reader holds {held} characters");
    (items, body.finish())
}

/// However it is cut, a body gives the same; what is accepted is JSON, and gives what serde_json
/// finds in it.
///
/// # Panics
/// If it does not.
pub fn fdv1_body(input: &[u8]) {
    let input = Input::new(input);
    let (items, outcome) = read(input.limit, input.whole());
    assert_eq!(read(input.limit, input.pieces()), (items.clone(), outcome.clone()));
    if outcome.is_err() {
        return;
    }
    serde_json::from_slice::<&RawValue>(input.body).expect("an accepted body is JSON");
    // Refuses more than the grammar does: lone surrogates, numbers out of range, deep nesting.
    if let Ok(body) = serde_json::from_slice::<Value>(input.body) {
        for (kind, name) in [(Kind::Flag, "flags"), (Kind::Segment, "segments")] {
            let expected = body.get(name).and_then(Value::as_object).cloned();
            assert_eq!(of_kind(&items, kind), expected.unwrap_or_default());
        }
    }
}

/// The items of one kind. As in serde_json, the last of a name counts.
fn of_kind(items: &Items, kind: Kind) -> Map<String, Value> {
    let of_kind = items.iter().filter(|(item, ..)| *item == kind);
    let json = |text: &String| serde_json::from_str(text).expect("an item is JSON");
    of_kind.map(|(_, key, object)| (key.clone(), json(object))).collect()
}

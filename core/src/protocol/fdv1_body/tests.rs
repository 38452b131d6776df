//! B 5.7, 1.10, 1.13 for FDv1 bodies.

use bytes::Bytes;

use super::Fdv1Body;
use crate::model::Kind::{self, Flag, Segment};

type Items = Vec<(Kind, String, String)>;

fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> (Items, Option<String>) {
    let mut body = Fdv1Body::new(limit);
    let mut items = Items::new();
    for piece in pieces {
        body.push(Bytes::copy_from_slice(piece));
        loop {
            match body.next() {
                Ok(None) => break,
                Ok(Some(item)) => {
                    items.push((item.kind, item.key.into_owned(), item.object.to_owned()));
                }
                Err(error) => {
                    assert_eq!(body.next(), Err(error.clone()), "an error stays");
                    assert_eq!(body.finish(), Err(error.clone()));
                    return (items, Some(error.to_string()));
                }
            }
        }
    }
    (items, body.finish().err().map(|error| error.to_string()))
}

fn read_at_every_split(text: impl AsRef<[u8]>) -> (Items, Option<String>) {
    let text = text.as_ref();
    let whole = read(1000, [text]);
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let pieces = [&text[..first], &text[first..second], &text[second..]];
            assert_eq!(read(1000, pieces), whole, "cut at {first} and {second}");
        }
    }
    whole
}

fn items(text: &str) -> Items {
    let (items, fault) = read_at_every_split(text);
    assert_eq!(fault, None);
    items
}

fn owned(items: &[(Kind, &str, &str)]) -> Items {
    items.iter().map(|&(kind, key, text)| (kind, key.to_owned(), text.to_owned())).collect()
}

#[test]
fn flags_and_segments_come_with_their_keys_unescaped() {
    let text =
        r#"{"segments":{"s":{"a":1}},"other":[{}],"flags":{"é\n\"\u00e9\ud83d\ude00":{ },"":2}}"#;
    let expected = [(Segment, "s", r#"{"a":1}"#), (Flag, "é\n\"é😀", "{ }"), (Flag, "", "2")];
    assert_eq!(items(text), owned(&expected));
}

#[test]
fn b_5_7_one_of_the_two_may_be_missing_or_empty() {
    assert_eq!(items(r#"{"flags":{"f":1}}"#), owned(&[(Flag, "f", "1")]));
    assert_eq!(items(r#"{"segments":{"s":1}}"#), owned(&[(Segment, "s", "1")]));
    assert_eq!(items(r#"{"flags":{},"segments":{}}"#), []);
}

#[test]
fn b_5_7_anything_else_is_invalid() {
    let bodies = [
        "",
        "{}",
        "[]",
        "null",
        r#"{"flags":null}"#,
        r#"{"flags":[]}"#,
        r#"{"flags":{},"segments":null}"#,
        r#"{"flags":{},"flags":{}}"#,
        r#"{"flags":{"a":1,}}"#,
        r#"{"flags":{"\ud800":1}}"#,
        r#"{"flags":{}}]"#,
    ];
    for body in bodies {
        assert!(read_at_every_split(body).1.is_some(), "{body}");
    }
}

#[test]
fn b_1_10_bytes_that_are_not_utf8_are_invalid_wherever_they_stand() {
    for text in [
        &b"{\"flags\":{\"f\":{\"salt\":\"AB\xffCD\"}}}"[..],
        b"{\"flags\":{\"f\xff\":{}}}",
        b"{\"flags\":{},\"x\xff\":{}}",
    ] {
        assert!(read_at_every_split(text).1.unwrap().contains("not UTF-8"));
    }
}

#[test]
fn b_1_13_a_key_counts_as_part_of_its_item() {
    let (found, fault) = read(8, [&br#"{"flags":{"123456":12,"123456":123}}"#[..]]);
    assert_eq!(found, owned(&[(Flag, "123456", "12")]));
    assert!(fault.unwrap().contains("limit of 8"));
}

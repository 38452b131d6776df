use std::sync::Arc;

use super::{CorruptRecord, Record, read_record, read_version};
use crate::model::{Decoded, Flag, Item, Kind, Segment};

fn flag(text: &str) -> Result<Decoded<Flag>, CorruptRecord> {
    read_record(b"f1", text.as_bytes())
}

fn live(text: &str) -> Arc<Item<Flag>> {
    match flag(text) {
        Ok(Decoded::Live(item)) => Arc::new(item),
        other => panic!("not live: {other:?}"),
    }
}

/// B 9.7, C 4.5.
#[test]
fn a_tombstone_without_a_key_is_read() {
    assert_eq!(flag(r#"{"version":100,"deleted":true}"#), Ok(Decoded::Deleted { version: 100 }));
}

/// B 9.7, C 4.5.
#[test]
fn a_tombstone_with_the_key_of_its_item_is_read() {
    let text = r#"{"key":"f1","version":100,"deleted":true}"#;
    assert_eq!(flag(text), Ok(Decoded::Deleted { version: 100 }));
}

/// B 9.7, C 4.5.
#[test]
fn a_tombstone_that_is_a_whole_object_keyed_deleted_is_read() {
    let text = r#"{"key":"$deleted","version":100,"deleted":true,"included":["user"],
        "excluded":[],"salt":"","rules":[],"unbounded":false}"#;
    let read = read_record::<Segment>(b"s1", text.as_bytes());
    assert_eq!(read, Ok(Decoded::Deleted { version: 100 }));
}

/// B 9.7.
#[test]
fn a_tombstone_with_a_field_that_cannot_be_decoded_is_still_one() {
    let text = r#"{"key":"$deleted","version":7,"deleted":true,"variations":5}"#;
    assert_eq!(flag(text), Ok(Decoded::Deleted { version: 7 }));
}

/// C 4.4.
#[test]
fn a_tombstone_is_written_with_key_version_and_deleted() {
    let record = Record::tombstone(Kind::Flag, r#"a"b\"#.into(), 9);
    assert_eq!(&**record.text(), r#"{"key":"a\"b\\","version":9,"deleted":true}"#);
    assert_eq!((record.kind(), record.version()), (Kind::Flag, 9));
    assert_eq!(flag(record.text()), Ok(Decoded::Deleted { version: 9 }));
}

/// B 9.4: byte for byte, unknown fields included.
#[test]
fn an_item_is_written_as_it_came() {
    let text = r#"{ "key":"f1" ,"version":5e1,  "later":{"a":[1.0]} }"#;
    let record = Record::item(&*live(text));
    assert_eq!(&**record.text(), text);
    assert_eq!((&**record.key(), record.version()), ("f1", 50));
}

/// C 4.5: never depend on the body's key.
#[test]
fn the_key_of_the_database_counts() {
    assert_eq!(&**live(r#"{"key":"other","version":1}"#).key(), "f1");
}

/// B 9.7.
#[test]
fn a_corrupt_record_says_which_it_is() {
    for text in ["", "null", "[]", "{", r#"{"version":"1"}"#, "\u{0}"] {
        let error = flag(text).expect_err(text).to_string();
        assert!(error.contains("\"f1\""), "{error}");
    }
    let error = read_record::<Flag>(b"f1", b"{\"key\":\"\xff\"}").expect_err("not UTF-8");
    assert_eq!(error.to_string(), "what the store holds as flag \"f1\" is not UTF-8");
    let error = read_record::<Segment>(b"\xff", b"{}").expect_err("not UTF-8");
    assert_eq!(error.to_string(), "the store holds a segment whose key is not UTF-8");
}

/// B 9.4: the version check of stores that keep the text alone.
#[test]
fn the_version_is_read_from_the_text_alone() {
    assert_eq!(read_version(br#"{"key":"f1","rules":[{"version":3}],"version":7}"#), Some(7));
    assert_eq!(read_version(br#"{"version":1e3,"deleted":true}"#), Some(1000));
    assert_eq!(read_version(br#"{"version":-1}"#), Some(0));
    assert_eq!(read_version(br#"{"version":null}"#), Some(0));
    assert_eq!(read_version(b"{}"), Some(0));
    for corrupt in [&b""[..], b"{", b"7", b"\xff", br#"{"version":"7"}"#] {
        assert_eq!(read_version(corrupt), None);
    }
}

//! Records to write.

use fdv2_client::store::{Kind, Record};
use fdv2_core::model::{Decoded, Flag, Item, Model, Segment};

/// A flag's record of this version.
pub fn flag(key: &str, version: u64) -> Record {
    padded::<Flag>(key, version, 0)
}

/// A segment's record of this version.
pub fn segment(key: &str, version: u64) -> Record {
    padded::<Segment>(key, version, 0)
}

/// A deleted flag's record of this version.
pub fn tombstone(key: &str, version: u64) -> Record {
    Record::tombstone(Kind::Flag, key.into(), version)
}

/// A record with an unknown field of so many bytes.
pub fn padded<T: Model>(key: &str, version: u64, padding: usize) -> Record {
    let name = serde_json::Value::from(key);
    let padding = "x".repeat(padding);
    record::<T>(key, &format!(r#"{{"key":{name},"version":{version},"padding":"{padding}"}}"#))
}

/// A record of this text.
pub fn record<T: Model>(key: &str, text: &str) -> Record {
    match Item::<T>::decode(key.into(), 0, text) {
        Ok(Decoded::Live(item)) => Record::item(&item),
        other => panic!("not an item: {other:?}"),
    }
}

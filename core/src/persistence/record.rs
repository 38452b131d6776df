//! One record of a database, as it is written and as it is read.

use std::str;
use std::sync::Arc;

use crate::model::{DecodeError, Decoded, Head, Item, Kind, Model};

/// What a database is to hold under one key: an item as its source sent it, or a tombstone.
///
/// A store keeps the text byte for byte and compares versions. That a record is a tombstone only
/// readers see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    kind: Kind,
    key: Arc<str>,
    version: u64,
    text: Arc<str>,
}

impl Record {
    /// A live item, as it came (B 1.8).
    pub fn item<T: Model>(item: &Item<T>) -> Self {
        Self {
            kind: T::KIND,
            key: Arc::clone(item.key()),
            version: item.version(),
            text: Arc::clone(item.text()),
        }
    }

    /// What a deletion leaves: an object with the key, the version and `deleted: true`.
    pub fn tombstone(kind: Kind, key: Arc<str>, version: u64) -> Self {
        let quoted = serde_json::Value::from(&*key);
        let text = format!(r#"{{"key":{quoted},"version":{version},"deleted":true}}"#);
        Self { kind, key, version, text: text.into() }
    }

    /// Flag or segment.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The key, under which it is stored.
    pub fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// The version, which a newer one has to exceed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The JSON text to store.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }
}

/// How much of a key an error repeats, in bytes.
const QUOTED: usize = 100;

/// Reads what a database holds under `key`, whichever program wrote it (B 9.7).
///
/// The key that counts is the database's, whatever the object says. A tombstone is any object that
/// says `deleted: true`: with its own key, with `$deleted`, or with none.
///
/// # Errors
/// The record cannot be read. It is lost, and no other.
pub fn read_record<T: Model>(key: &[u8], value: &[u8]) -> Result<Decoded<T>, CorruptRecord> {
    let Ok(key) = str::from_utf8(key) else {
        return Err(CorruptRecord::Key { kind: T::KIND });
    };
    let Ok(text) = simdutf8::basic::from_utf8(value) else {
        let shown = key.get(..key.floor_char_boundary(QUOTED)).unwrap_or_default();
        return Err(CorruptRecord::Encoding { kind: T::KIND, key: shown.into() });
    };
    Item::decode(key.into(), 0, text).or_else(|error| match Head::read(text) {
        Some(Head { version, is_deleted: true }) => Ok(Decoded::Deleted { version }),
        _ => Err(CorruptRecord::Object(error)),
    })
}

/// The version of what a database holds, for stores that keep nothing but the text. `None` if the
/// text cannot be read: any version is newer than that of a corrupt record.
pub fn read_version(value: &[u8]) -> Option<u64> {
    let text = simdutf8::basic::from_utf8(value).ok()?;
    Head::read(text).map(|head| head.version)
}

/// A record that cannot be read (B 9.7).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CorruptRecord {
    /// Its key is not UTF-8, so nobody can ask for it.
    #[error("the store holds a {kind} whose key is not UTF-8")]
    Key {
        /// The collection that it is in.
        kind: Kind,
    },
    /// Its text is not UTF-8.
    #[error("what the store holds as {kind} {key:?} is not UTF-8")]
    Encoding {
        /// The collection that it is in.
        kind: Kind,
        /// Its key, cut if it is very long.
        key: Box<str>,
    },
    /// Its text is not an object of its kind.
    #[error("in the store, {0}")]
    Object(DecodeError),
    /// As somebody else said it, a recording for one.
    #[error("{0}")]
    Said(Box<str>),
}

#[cfg(test)]
mod tests;

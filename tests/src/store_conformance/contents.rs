//! All that a store holds.

use std::collections::BTreeMap;

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, read_version};

/// The texts of a store by kind and key, and its marker. Comparable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contents {
    /// The texts.
    pub texts: BTreeMap<(Kind, String), String>,
    /// Whether there is a marker.
    pub is_initialized: bool,
}

impl Contents {
    /// Reads them.
    ///
    /// # Errors
    /// The store's.
    pub fn read(store: &dyn PersistentStore) -> Result<Self, StoreError> {
        let is_initialized = store.is_initialized()?;
        let mut texts = BTreeMap::new();
        for kind in [Kind::Flag, Kind::Segment] {
            texts.extend(read(store, kind)?.into_iter().map(|(key, text)| ((kind, key), text)));
        }
        Ok(Self { texts, is_initialized })
    }

    /// What they are after a full write.
    pub fn of(records: &[Record]) -> Self {
        let texts = records
            .iter()
            .map(|record| ((record.kind(), record.key().to_string()), record.text().to_string()))
            .collect();
        Self { texts, is_initialized: true }
    }

    /// The version of a flag's record.
    pub fn version(&self, key: &str) -> Option<u64> {
        read_version(self.texts.get(&(Kind::Flag, key.to_owned()))?.as_bytes())
    }
}

fn read(store: &dyn PersistentStore, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
    let mut found = Vec::new();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("it was UTF-8");
    store.all(kind, &mut |key, value| found.push((text(key), text(value))))?;
    Ok(found)
}

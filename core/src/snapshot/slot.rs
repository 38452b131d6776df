//! What stands in the place of one key.

use std::sync::Arc;

use crate::model::Item;

/// A live item, or what a deletion left.
#[derive(Clone, Debug, PartialEq)]
pub enum Slot<T> {
    /// The item that readers see.
    Live(Arc<Item<T>>),
    /// A deletion since the last full change set. Readers do not see it (B 9.6).
    Tombstone {
        /// The version of the deletion.
        version: u64,
    },
}

impl<T> Slot<T> {
    /// The item, if it is live.
    pub fn live(&self) -> Option<&Arc<Item<T>>> {
        match self {
            Self::Live(item) => Some(item),
            Self::Tombstone { .. } => None,
        }
    }

    /// The version of the item or of its deletion.
    pub fn version(&self) -> u64 {
        match self {
            Self::Live(item) => item.version(),
            Self::Tombstone { version } => *version,
        }
    }

    /// How many bytes of text it holds: an item's JSON, or what is left of it, its key.
    pub(super) fn text_bytes(&self, key: &str) -> usize {
        match self {
            Self::Live(item) => item.text().len(),
            Self::Tombstone { .. } => key.len(),
        }
    }
}

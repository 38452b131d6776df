//! The data of one moment.

use std::sync::Arc;

use super::collection::Collection;
use super::items::Items;
use super::slot::Slot;
use crate::model::{Flag, Item, Segment};
use crate::protocol::Selector;
use crate::status::Availability;

/// All flags and segments of one moment, immutable.
///
/// Equality is cheap for snapshots that share their structure.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    pub(super) items: Items,
    pub(super) selector: Option<Selector>,
    pub(super) held: Held,
    pub(super) revision: u64,
}

/// What a snapshot holds of its environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// No source brought anything yet.
    Nothing,
    /// The good objects of a full transfer that had bad ones (B 1.15).
    Salvaged,
    /// A full change set, and the changes since.
    Whole,
}

impl Snapshot {
    /// Nothing, with hashes that depend on `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self { items: Items::seeded(seed), selector: None, held: Held::Nothing, revision: 0 }
    }

    /// The flag of this key.
    pub fn flag(&self, key: &str) -> Option<&Arc<Item<Flag>>> {
        self.items.live(key)
    }

    /// The segment of this key.
    pub fn segment(&self, key: &str) -> Option<&Arc<Item<Segment>>> {
        self.items.live(key)
    }

    /// All flags, in key order.
    pub fn flags(&self) -> impl Iterator<Item = &Arc<Item<Flag>>> {
        self.items.flags.iter().filter_map(|(_, slot)| slot.live())
    }

    /// All segments, in key order.
    pub fn segments(&self) -> impl Iterator<Item = &Arc<Item<Segment>>> {
        self.items.segments.iter().filter_map(|(_, slot)| slot.live())
    }

    /// All flags and what the deletions since the last full change set left (B 9.6).
    pub fn flag_slots(&self) -> &Collection<Slot<Flag>> {
        &self.items.flags
    }

    /// All segments and what the deletions since the last full change set left (B 9.6).
    pub fn segment_slots(&self) -> &Collection<Slot<Segment>> {
        &self.items.segments
    }

    /// Names this data for the server. `None` if its source gave none (B 2.1).
    pub fn selector(&self) -> Option<&Selector> {
        self.selector.as_ref()
    }

    /// What is held.
    pub fn held(&self) -> Held {
        self.held
    }

    /// Whether a source brought data, salvaged data included. Until then every flag gives its
    /// default (B 6.7).
    pub fn is_held(&self) -> bool {
        self.held != Held::Nothing
    }

    /// How good the data is (B 6.5).
    pub fn availability(&self) -> Availability {
        match (self.held, &self.selector) {
            (Held::Nothing, _) => Availability::Defaults,
            (Held::Salvaged | Held::Whole, None) => Availability::Cached,
            (Held::Salvaged | Held::Whole, Some(_)) => Availability::Refreshed,
        }
    }

    /// How many bytes the text of all items has. What a deletion left counts with its key.
    pub fn text_bytes(&self) -> usize {
        self.items.text_bytes
    }

    /// How many items are held, with what deletions left.
    pub fn objects(&self) -> usize {
        self.items.len()
    }

    /// Counts up by one with each change set.
    pub fn revision(&self) -> u64 {
        self.revision
    }
}

impl Default for Snapshot {
    fn default() -> Self {
        Self::seeded(0)
    }
}

//! What a store is given to write.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::{Record, dependencies_first};
use crate::model::Model;
use crate::snapshot::{Collection, ItemId, Slot, Snapshot};

/// One write to the persistent store: all of a snapshot, or some of its items (B 9.4).
///
/// It only names them, so that the work of putting the records together and in order is done where
/// the write is.
#[derive(Clone, PartialEq)]
pub struct StoreWrite {
    snapshot: Arc<Snapshot>,
    scope: Scope,
}

/// Which items of a snapshot a change is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// All, tombstones included; whatever else the store holds goes.
    Everything,
    /// These, live or deleted.
    Items(Arc<BTreeSet<ItemId>>),
}

impl StoreWrite {
    pub(super) fn new(snapshot: Arc<Snapshot>, scope: Scope) -> Self {
        Self { snapshot, scope }
    }

    /// Where the items are.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.snapshot
    }

    /// Which items are written.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The records to write, in order: segments before flags, and what an item needs before the
    /// item (B 9.4). Takes time in proportion to their number.
    pub fn records(&self) -> Vec<Record> {
        let mut records = self.records_of(self.snapshot.segment_slots());
        records.extend(self.records_of(self.snapshot.flag_slots()));
        records
    }

    fn records_of<T: Model>(&self, slots: &Collection<Slot<T>>) -> Vec<Record> {
        let chosen: Vec<(&Arc<str>, &Slot<T>)> = match &self.scope {
            Scope::Everything => slots.iter().collect(),
            Scope::Items(items) => items
                .iter()
                .filter(|(kind, _)| *kind == T::KIND)
                .filter_map(|(_, key)| slots.look_up(key).map(|slot| (key, slot)))
                .collect(),
        };
        let live = chosen.iter().filter_map(|(_, slot)| slot.live()).map(|item| &**item);
        let items = dependencies_first(live).into_iter().map(Record::item);
        let tombstones = chosen.iter().filter(|(_, slot)| slot.live().is_none());
        items
            .chain(
                tombstones
                    .map(|(key, slot)| Record::tombstone(T::KIND, Arc::clone(key), slot.version())),
            )
            .collect()
    }

    /// Whether nothing would be written.
    pub(super) fn is_empty(&self) -> bool {
        matches!(&self.scope, Scope::Items(items) if items.is_empty())
    }

    /// This write with a later one merged in: the newest of each item is written (B 9.5).
    pub(super) fn then(self, later: Self) -> Self {
        let scope = match (self.scope, later.scope) {
            (Scope::Everything, _) | (_, Scope::Everything) => Scope::Everything,
            (Scope::Items(first), Scope::Items(second)) => {
                let mut items = Arc::unwrap_or_clone(first);
                items.extend(second.iter().cloned());
                Scope::Items(Arc::new(items))
            }
        };
        Self { snapshot: later.snapshot, scope }
    }
}

impl fmt::Debug for StoreWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StoreWrite({:?} of revision {})", self.scope, self.snapshot.revision())
    }
}

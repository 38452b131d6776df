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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::model::Kind;
    use crate::snapshot::ChangeSetBuilder;

    /// B 9.4: segments go before flags, prerequisites before the flags that need them, and nothing
    /// goes along that the write is not about.
    #[test]
    fn what_others_need_goes_first_and_nothing_goes_along() {
        let mut all = ChangeSetBuilder::full();
        let needs_b = r#"{"prerequisites":[{"key":"b","variation":0}]}"#;
        for (kind, key, object) in [
            (Kind::Flag, "a", needs_b),
            (Kind::Flag, "b", "{}"),
            (Kind::Flag, "z", "{}"),
            (Kind::Segment, "b", "{}"),
            (Kind::Segment, "z", "{}"),
        ] {
            all.put(kind, key, 1, object).unwrap();
        }
        let applied = Snapshot::apply(&Arc::default(), all.finish(None), &Limits::default());
        let snapshot = applied.unwrap().snapshot;
        let written = |scope| {
            let records = StoreWrite::new(Arc::clone(&snapshot), scope).records();
            let names = records.iter().map(|record| format!("{} {}", record.kind(), record.key()));
            names.collect::<Vec<_>>().join(", ")
        };
        let all = "segment b, segment z, flag b, flag a, flag z";
        assert_eq!(written(Scope::Everything), all);
        let some =
            [(Kind::Flag, "a".into()), (Kind::Flag, "b".into()), (Kind::Segment, "z".into())];
        let some = Scope::Items(Arc::new(some.into()));
        assert_eq!(written(some), "segment z, flag b, flag a");
    }
}

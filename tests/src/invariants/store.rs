//! The persistent store: invariant 11.

use fdv2_core::Snapshot;
use fdv2_core::model::Kind;
use fdv2_core::persistence::Record;
use fdv2_core::snapshot::Slot;

use crate::sim::Store;

/// Invariant 11, for a store that is healthy and quiet: each item in it is memory's or has a version
/// that is not lower, and none is missing. (An equal version with another text is a version check's
/// doing, B 9.4.)
pub fn the_store_holds_what_memory_holds(store: &Store, memory: &Snapshot) {
    assert!(store.is_initialized, "invariant 11: data is held and the store has no marker");
    let live = memory.flags().map(|flag| Record::item(&**flag));
    for record in live.chain(memory.segments().map(|segment| Record::item(&**segment))) {
        let key = (record.kind(), record.key().clone());
        let held = store.records.get(&key);
        let held = held.unwrap_or_else(|| panic!("invariant 11: {key:?} is missing"));
        let is_good = *held == record || held.version() >= record.version();
        assert!(is_good, "invariant 11: {held:?} is old");
    }
    for (key, held) in &store.records {
        let (is_live, deleted) = match key.0 {
            Kind::Flag => (
                memory.flag(&key.1).is_some(),
                memory.flag_slots().look_up(&key.1).map(Slot::version),
            ),
            Kind::Segment => (
                memory.segment(&key.1).is_some(),
                memory.segment_slots().look_up(&key.1).map(Slot::version),
            ),
        };
        let is_tombstone = held.text().contains("\"deleted\":true");
        let is_ahead = deleted.is_some_and(|version| held.version() >= version);
        let is_good = is_live || is_tombstone || is_ahead;
        assert!(is_good, "invariant 11: {held:?} is not in memory");
    }
}

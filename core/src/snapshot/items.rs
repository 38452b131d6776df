//! Flags and segments, with what follows from them: who depends on whom, and how large they are.

use std::sync::Arc;

use super::collection::Collection;
use super::dependencies::Dependencies;
use super::slot::Slot;
use crate::model::{Flag, Item, Kind, Model, Segment};

/// The items of a snapshot, or of one that is being put together.
#[derive(Clone, Debug)]
pub(super) struct Items {
    pub(super) flags: Collection<Slot<Flag>>,
    pub(super) segments: Collection<Slot<Segment>>,
    pub(super) dependencies: Dependencies,
    pub(super) text_bytes: usize,
}

/// A model that has its place among the items.
pub(super) trait Kept: Model {
    fn slots(items: &Items) -> &Collection<Slot<Self>>;
    fn slots_mut(items: &mut Items) -> &mut Collection<Slot<Self>>;
}

impl Kept for Flag {
    fn slots(items: &Items) -> &Collection<Slot<Self>> {
        &items.flags
    }
    fn slots_mut(items: &mut Items) -> &mut Collection<Slot<Self>> {
        &mut items.flags
    }
}

impl Kept for Segment {
    fn slots(items: &Items) -> &Collection<Slot<Self>> {
        &items.segments
    }
    fn slots_mut(items: &mut Items) -> &mut Collection<Slot<Self>> {
        &mut items.segments
    }
}

impl Items {
    /// Nothing, with hashes that depend on `seed`.
    pub(super) fn seeded(seed: u64) -> Self {
        Self::in_place_of(&Collection::<()>::seeded(seed))
    }

    /// Nothing, with the hashes of these items.
    pub(super) fn new_like(&self) -> Self {
        Self::in_place_of(&self.flags)
    }

    fn in_place_of<V: Clone>(collection: &Collection<V>) -> Self {
        Self {
            flags: collection.new_like(),
            segments: collection.new_like(),
            dependencies: Dependencies::default(),
            text_bytes: 0,
        }
    }

    /// How many items there are, with what deletions left.
    pub(super) fn len(&self) -> usize {
        self.flags.len() + self.segments.len()
    }

    /// What stands in the place of `key`.
    pub(super) fn slot<T: Kept>(&self, key: &str) -> Option<&Slot<T>> {
        T::slots(self).look_up(key)
    }

    /// The live item of `key`.
    pub(super) fn live<T: Kept>(&self, key: &str) -> Option<&Arc<Item<T>>> {
        self.slot(key)?.live()
    }

    /// Puts `slot` in the place of `key`. Keys that `others` has are shared with it.
    pub(super) fn set<T: Kept>(&mut self, key: Arc<str>, slot: Slot<T>, others: &Self) {
        let old = T::slots_mut(self).insert(key.clone(), slot.clone());
        self.account(&key, old.as_ref(), Some(&slot), others);
    }

    /// Empties the place of `key`.
    pub(super) fn remove<T: Kept>(&mut self, key: &str, others: &Self) {
        let old = T::slots_mut(self).remove(key);
        self.account(key, old.as_ref(), None, others);
    }

    fn account<T: Kept>(
        &mut self,
        key: &str,
        old: Option<&Slot<T>>,
        new: Option<&Slot<T>>,
        others: &Self,
    ) {
        let bytes = |slot: Option<&Slot<T>>| slot.map_or(0, |slot| slot.text_bytes(key));
        self.text_bytes = self.text_bytes + bytes(new) - bytes(old);
        let old = old.and_then(Slot::live).map(|item| &**item);
        let new = new.and_then(Slot::live).map(|item| &**item);
        let mut dependencies = std::mem::take(&mut self.dependencies);
        dependencies.replace(old, new, |kind, key| {
            others.key(kind, key).or_else(|| self.key(kind, key)).unwrap_or_else(|| key.into())
        });
        self.dependencies = dependencies;
    }

    /// `key` as it is kept here.
    fn key(&self, kind: Kind, key: &str) -> Option<Arc<str>> {
        match kind {
            Kind::Flag => self.flags.look_up_key(key),
            Kind::Segment => self.segments.look_up_key(key),
        }
        .cloned()
    }
}

/// By what is held: the rest follows from it.
impl PartialEq for Items {
    fn eq(&self, other: &Self) -> bool {
        self.flags == other.flags && self.segments == other.segments
    }
}

//! A change set that is being put together, unseen by readers (B 1.2).

use std::collections::BTreeSet;
use std::sync::Arc;

use super::change_set::Rejected;
use super::changes::{FlagsChanged, Touched};
use super::collection::Collection;
use super::dependencies::ItemId;
use super::garbage::Garbage;
use super::items::{Items, Kept};
use super::slot::Slot;
use super::snapshot::{Held, Snapshot};
use crate::limits::Limits;
use crate::model::{DecodeError, Decoded, Flag, Item, Kind, Segment};
use crate::persistence::Scope;
use crate::protocol::{InvalidData, Selector};

/// What a transfer has brought so far. What it becomes stands ready in it, so that completing it
/// is a swap.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Staging {
    base: Arc<Snapshot>,
    mode: Mode,
    items: Items,
    /// What was put and deleted. Only of a change set that merges.
    touched: BTreeSet<ItemId>,
    /// Whether an object was decoded, and not found among those held.
    has_new: bool,
    received: Received,
    undecodable: Option<InvalidData>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Starts from nothing. `may_salvage`: undecodable objects are left out (B 1.15).
    Full { may_salvage: bool },
    /// Starts from what is held.
    Changes,
}

/// How much came in, repetitions included (B 1.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Received {
    objects: usize,
    bytes: usize,
}

/// A change set that has been applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Commit {
    /// The data from now on.
    pub snapshot: Arc<Snapshot>,
    /// Which flags changed. `None` if it is known that nothing did.
    pub changes: Option<FlagsChanged>,
    /// Which items it brought, but for those that were held already byte for byte.
    pub scope: Scope,
    /// What is no longer needed.
    pub garbage: Garbage,
    /// The first undecodable object, if there were any and the others were applied (B 1.15).
    pub salvaged: Option<InvalidData>,
}

impl Commit {
    /// What is to be freed if it never becomes visible. What it was based on stays held.
    pub(crate) fn abandon(self) -> Garbage {
        self.garbage.without_snapshots().and(Garbage::snapshot(self.snapshot))
    }
}

impl Staging {
    /// Everything is replaced.
    pub(crate) fn full(base: &Arc<Snapshot>, may_salvage: bool) -> Self {
        Self::new(base, Mode::Full { may_salvage }, base.items.new_like())
    }

    /// What comes is merged into what is held.
    pub(crate) fn changes(base: &Arc<Snapshot>) -> Self {
        Self::new(base, Mode::Changes, base.items.clone())
    }

    fn new(base: &Arc<Snapshot>, mode: Mode, items: Items) -> Self {
        Self {
            base: base.clone(),
            mode,
            items,
            touched: BTreeSet::new(),
            has_new: false,
            received: Received::default(),
            undecodable: None,
        }
    }

    /// Whether anything was put or deleted.
    pub(crate) fn is_empty(&self) -> bool {
        self.received.objects == 0
    }

    /// How much text came in, repetitions included.
    pub(super) fn received_bytes(&self) -> usize {
        self.received.bytes
    }

    /// Whether an object was decoded that was not among those held.
    pub(super) fn has_new(&self) -> bool {
        self.has_new
    }

    /// What there would be of one kind.
    pub(super) fn slots<T: Kept>(&self) -> &Collection<Slot<T>> {
        T::slots(&self.items)
    }

    /// How many items there would be.
    pub(super) fn objects(&self) -> usize {
        self.items.len()
    }

    /// Sets an item.
    ///
    /// # Errors
    /// [`InvalidData`] if the transfer goes over its limits (B 1.13), or the object cannot be
    /// decoded (B 1.9) and may not be left out (B 1.15).
    pub(crate) fn put(
        &mut self,
        kind: Kind,
        key: &str,
        version: u64,
        object: &str,
        limits: &Limits,
    ) -> Result<(), InvalidData> {
        self.receive(key.len() + object.len(), limits)?;
        let done = match kind {
            Kind::Flag => self.put_item::<Flag>(key, version, object),
            Kind::Segment => self.put_item::<Segment>(key, version, object),
        };
        done.or_else(|error| self.leave_out(InvalidData::undecodable(error)))
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// [`InvalidData`] if the transfer goes over its limits (B 1.13).
    pub(crate) fn delete(
        &mut self,
        kind: Kind,
        key: &str,
        version: u64,
        limits: &Limits,
    ) -> Result<(), InvalidData> {
        self.receive(key.len(), limits)?;
        match kind {
            Kind::Flag => self.delete_item::<Flag>(key, version),
            Kind::Segment => self.delete_item::<Segment>(key, version),
        }
        Ok(())
    }

    fn receive(&mut self, bytes: usize, limits: &Limits) -> Result<(), InvalidData> {
        self.received.objects += 1;
        self.received.bytes = self.received.bytes.saturating_add(bytes);
        if self.received.objects > limits.transfer_objects {
            return Err(InvalidData::limit("the objects of a transfer", limits.transfer_objects));
        }
        if self.received.bytes > limits.transfer_bytes {
            return Err(InvalidData::limit("the bytes of a transfer", limits.transfer_bytes));
        }
        Ok(())
    }

    fn put_item<T: Kept>(
        &mut self,
        key: &str,
        version: u64,
        object: &str,
    ) -> Result<(), DecodeError> {
        if self.items.live::<T>(key).is_some_and(|item| item.is_from(version, object)) {
            return Ok(());
        }
        let held = self.base.items.live::<T>(key);
        if let Some(item) = held.filter(|item| item.is_from(version, object)).cloned() {
            self.set(item.key().clone(), Slot::Live(item));
            return Ok(());
        }
        match Item::<T>::decode(key.into(), version, object)? {
            Decoded::Live(item) => {
                self.has_new = true;
                self.set(item.key().clone(), Slot::Live(Arc::new(item)));
            }
            Decoded::Deleted { version } => self.delete_item::<T>(key, version),
        }
        Ok(())
    }

    fn delete_item<T: Kept>(&mut self, key: &str, version: u64) {
        match self.mode {
            Mode::Full { .. } => self.items.remove::<T>(key, &self.base.items),
            Mode::Changes => self.set::<T>(key.into(), Slot::Tombstone { version }),
        }
    }

    fn set<T: Kept>(&mut self, key: Arc<str>, slot: Slot<T>) {
        if self.mode == Mode::Changes {
            self.touched.insert((T::KIND, key.clone()));
        }
        self.items.set(key, slot, &self.base.items);
    }

    fn leave_out(&mut self, error: InvalidData) -> Result<(), InvalidData> {
        match self.mode {
            Mode::Full { may_salvage: true } => {
                self.undecodable.get_or_insert(error);
                Ok(())
            }
            Mode::Full { may_salvage: false } | Mode::Changes => Err(error),
        }
    }

    /// Merges what another change set brings.
    pub(super) fn merge(&mut self, other: &Self) {
        for (kind, key) in &other.touched {
            match kind {
                Kind::Flag => self.merge_item::<Flag>(key, other),
                Kind::Segment => self.merge_item::<Segment>(key, other),
            }
        }
    }

    fn merge_item<T: Kept>(&mut self, key: &Arc<str>, other: &Self) {
        let slot = other.items.slot::<T>(key);
        if let Some(slot) = slot.filter(|slot| self.items.slot(key) != Some(slot)) {
            self.set(key.clone(), slot.clone());
        }
    }

    /// The same on the ground of `base`. Only for a full change set put together without.
    pub(super) fn in_place_of(mut self, base: &Arc<Snapshot>) -> Self {
        self.base = base.clone();
        self
    }

    /// Whether it merges.
    pub(super) fn is_changes(&self) -> bool {
        self.mode == Mode::Changes
    }

    /// Whether the data would stay within its limits (B 1.13).
    ///
    /// # Errors
    /// [`InvalidData`] if not.
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), InvalidData> {
        if self.items.len() > limits.held_objects {
            return Err(InvalidData::limit("the number of objects held", limits.held_objects));
        }
        if self.items.text_bytes > limits.held_bytes {
            return Err(InvalidData::limit("the text of all objects held", limits.held_bytes));
        }
        Ok(())
    }

    /// Makes it the data from now on. Costs the same whatever its size.
    pub(crate) fn commit(self, selector: Option<Selector>) -> Commit {
        let held = match (self.mode, &self.undecodable) {
            (Mode::Full { .. }, None) => Held::Whole,
            (Mode::Full { .. }, Some(_)) => Held::Salvaged,
            (Mode::Changes, _) => self.base.held,
        };
        let snapshot = Arc::new(Snapshot {
            items: self.items,
            selector: selector.filter(|_| self.undecodable.is_none()),
            held,
            revision: self.base.revision + 1,
        });
        let touched = Arc::new(self.touched);
        let scope = match self.mode {
            Mode::Full { .. } => Scope::Everything,
            Mode::Changes => Scope::Items(touched.clone()),
        };
        let is_same = !self.has_new && snapshot.objects() == self.base.objects();
        let changes = match self.mode {
            Mode::Full { .. } => (!is_same).then_some(Touched::Any),
            Mode::Changes => (!touched.is_empty()).then(|| Touched::These(touched.clone())),
        };
        Commit {
            changes: changes
                .map(|touched| FlagsChanged::new(self.base.clone(), snapshot.clone(), touched)),
            snapshot,
            scope,
            garbage: Garbage::snapshot(self.base).and(Garbage::touched(touched)),
            salvaged: self.undecodable,
        }
    }

    /// Makes it the data from now on, if that stays within its limits (B 1.13).
    ///
    /// # Errors
    /// [`Rejected`] if not.
    pub(crate) fn complete(
        self,
        selector: Option<Selector>,
        limits: &Limits,
    ) -> Result<Commit, Rejected> {
        match self.check(limits) {
            Ok(()) => Ok(self.commit(selector)),
            Err(error) => Err(Rejected { error, garbage: self.abandon() }),
        }
    }

    /// What is to be freed of it.
    pub(crate) fn abandon(self) -> Garbage {
        if self.is_empty() { Garbage::default() } else { Garbage::staging(self) }
    }
}

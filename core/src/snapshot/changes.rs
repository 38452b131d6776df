//! Which flags a change set changed (B 7.1).

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

use super::dependencies::ItemId;
use super::items::Kept;
use super::slot::Slot;
use super::snapshot::Snapshot;
use crate::model::{Flag, Item, Kind, Segment, is_same_value};

/// The flags that a change set changed, and those that depend on what it changed (B 7.1).
///
/// Works them out when they are first read: read it where time does not matter.
#[derive(Clone)]
pub struct FlagsChanged {
    old: Arc<Snapshot>,
    new: Arc<Snapshot>,
    touched: Touched,
    keys: Arc<OnceLock<Vec<Arc<str>>>>,
}

/// Which items may have changed.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Touched {
    /// Any: a full change set.
    Any,
    /// These: all that was put and deleted.
    These(Arc<BTreeSet<ItemId>>),
}

impl FlagsChanged {
    pub(super) fn new(old: Arc<Snapshot>, new: Arc<Snapshot>, touched: Touched) -> Self {
        Self { old, new, touched, keys: Arc::default() }
    }

    /// The keys of these flags in order, each once. May be empty. Takes time when it is called
    /// first, in proportion to the change, or to the data after a full change set.
    pub fn keys(&self) -> &[Arc<str>] {
        self.keys.get_or_init(|| self.work_out())
    }

    /// The data before.
    pub fn old(&self) -> &Arc<Snapshot> {
        &self.old
    }

    /// The data since.
    pub fn new_snapshot(&self) -> &Arc<Snapshot> {
        &self.new
    }

    fn work_out(&self) -> Vec<Arc<str>> {
        if self.old.objects() == 0 {
            return self.new.flags().map(|flag| flag.key().clone()).collect();
        }
        let mut items = BTreeSet::new();
        match &self.touched {
            Touched::Any => {
                self.compare_all::<Flag>(&mut items);
                self.compare_all::<Segment>(&mut items);
            }
            Touched::These(touched) => {
                items.extend(touched.iter().filter(|item| self.is_changed(item)).cloned());
            }
        }
        self.new.items.dependencies.close_over(&mut items);
        let flags = items.into_iter().filter(|(kind, _)| *kind == Kind::Flag);
        flags.map(|(_, key)| key).collect()
    }

    fn compare_all<T: Kept>(&self, items: &mut BTreeSet<ItemId>) {
        let (old, new) = (T::slots(&self.old.items), T::slots(&self.new.items));
        let keys = old.differing(new, is_same_slot).into_iter();
        items.extend(keys.map(|key| (T::KIND, key.clone())));
    }

    fn is_changed(&self, (kind, key): &ItemId) -> bool {
        match kind {
            Kind::Flag => self.is_slot_changed::<Flag>(key),
            Kind::Segment => self.is_slot_changed::<Segment>(key),
        }
    }

    fn is_slot_changed<T: Kept>(&self, key: &str) -> bool {
        !is_same_slot::<T>(self.old.items.slot(key), self.new.items.slot(key))
    }
}

/// By the flags named.
impl PartialEq for FlagsChanged {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.keys, &other.keys) || self.keys() == other.keys()
    }
}

impl fmt::Debug for FlagsChanged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("FlagsChanged").field(&self.keys()).finish()
    }
}

/// Whether readers see the same.
fn is_same_slot<T>(old: Option<&Slot<T>>, new: Option<&Slot<T>>) -> bool {
    match (old.and_then(Slot::live), new.and_then(Slot::live)) {
        (None, None) => true,
        (Some(old), Some(new)) => is_same_item(old, new),
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The version is in the text, and settles most cases without reading it.
fn is_same_item<T>(one: &Arc<Item<T>>, other: &Arc<Item<T>>) -> bool {
    let is_same_text = Arc::ptr_eq(one, other) || one.text() == other.text();
    is_same_text || (one.version() == other.version() && is_same_json(one.text(), other.text()))
}

/// Whether two texts say the same, whatever the order of members. Texts nested too deeply to be
/// read count as different.
fn is_same_json(one: &str, other: &str) -> bool {
    let values = (serde_json::from_str(one), serde_json::from_str(other));
    matches!(values, (Ok(one), Ok(other)) if is_same_value(&one, &other))
}

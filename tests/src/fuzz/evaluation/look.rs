//! A snapshot that counts visits, of which perhaps not all is loaded.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use fdv2_core::Snapshot;
use fdv2_core::eval::{BigSegment, Found, Lookup, Membership, Needs};
use fdv2_core::model::{Flag, Item, Segment};

pub(super) struct Look<'a> {
    snapshot: &'a Snapshot,
    memberships: &'a [Membership],
    /// `None` is everything.
    loaded: Option<Vec<Needs>>,
    /// How many flags and segments were found.
    pub(super) visits: Cell<usize>,
    /// The keys of the flags that were looked for.
    pub(super) flags: RefCell<BTreeSet<String>>,
}

impl<'a> Look<'a> {
    /// Everything is loaded. Which of `memberships` counts is a matter of segment and context.
    pub(super) fn at_all(snapshot: &'a Snapshot, memberships: &'a [Membership]) -> Self {
        let (visits, flags) = Default::default();
        Self { snapshot, memberships, loaded: None, visits, flags }
    }

    /// Nothing is loaded.
    pub(super) fn at_nothing(snapshot: &'a Snapshot, memberships: &'a [Membership]) -> Self {
        Self { loaded: Some(Vec::new()), ..Self::at_all(snapshot, memberships) }
    }

    /// Loads what is needed.
    ///
    /// # Panics
    /// If it is loaded.
    pub(super) fn load(&mut self, needs: Needs) {
        let loaded = self.loaded.get_or_insert_default();
        assert!(!loaded.contains(&needs), "{needs:?} is loaded");
        loaded.push(needs);
    }

    fn has(&self, needs: impl FnOnce() -> Needs) -> bool {
        self.loaded.as_ref().is_none_or(|loaded| loaded.contains(&needs()))
    }

    fn visited<T>(&self, found: Option<&'a T>) -> Found<&'a T> {
        self.visits.set(self.visits.get() + usize::from(found.is_some()));
        found.into()
    }
}

impl Lookup for Look<'_> {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        if !self.has(|| Needs::Flag(key.into())) {
            return Found::NotLoaded;
        }
        let mut flags = self.flags.borrow_mut();
        if !flags.contains(key) {
            flags.insert(key.to_owned());
        }
        self.visited(self.snapshot.flag(key).map(|item| &**item))
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        if !self.has(|| Needs::Segment(key.into())) {
            return Found::NotLoaded;
        }
        self.visited(self.snapshot.segment(key).map(|item| &**item))
    }

    fn membership(&self, segment: BigSegment<'_>, context_key: &str) -> Membership {
        if !self.has(|| Needs::Memberships(context_key.into())) {
            return Membership::NotLoaded;
        }
        let letters = segment.key.bytes().chain(context_key.bytes()).map(usize::from);
        let which = letters.sum::<usize>() + usize::from(segment.generation.is_positive());
        let known = self.memberships.get(which % self.memberships.len().max(1));
        known.copied().unwrap_or(Membership::NotConfigured)
    }
}

//! Where an evaluation finds what a flag refers to.

use crate::Snapshot;
use crate::model::{Flag, Item, Segment};

/// The items that an evaluation can see: a snapshot, or what a cache of a store has loaded.
///
/// Within one evaluation the answers must not change.
pub trait Lookup {
    /// The flag under `key`.
    fn flag(&self, key: &str) -> Found<&Item<Flag>>;

    /// The segment under `key`.
    fn segment(&self, key: &str) -> Found<&Item<Segment>>;

    /// Whether the context with `context_key` is in a big segment. Without a store of memberships
    /// that is never known.
    fn membership(&self, segment: BigSegment<'_>, context_key: &str) -> Membership {
        let _ = (segment, context_key);
        Membership::NotConfigured
    }
}

/// A snapshot has everything loaded.
impl Lookup for Snapshot {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        self.flag(key).map(|item| &**item).into()
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        self.segment(key).map(|item| &**item).into()
    }
}

/// What a look-up finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<T> {
    /// It is there.
    Present(T),
    /// There is no such thing.
    Absent,
    /// It has not been loaded, so nobody knows.
    NotLoaded,
}

impl<T> From<Option<T>> for Found<T> {
    /// For a look-up that has everything loaded.
    fn from(found: Option<T>) -> Self {
        found.map_or(Self::Absent, Self::Present)
    }
}

/// A segment whose members are kept in a store of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BigSegment<'a> {
    /// The segment's key.
    pub key: &'a str,
    /// Which version of its list counts.
    pub generation: i64,
}

/// What is known about one context in one big segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// The store of memberships has answered.
    Known {
        /// Whether the context is in the segment or kept out of it; `None` leaves it to the
        /// segment's rules.
        included: Option<bool>,
        /// Whether the store has not been brought up to date for too long.
        is_stale: bool,
    },
    /// It has not been asked.
    NotLoaded,
    /// It was asked, and failed: the context is not in the segment (C 3.7).
    StoreError,
    /// There is no such store: the segment's rules decide, as in the official SDKs.
    NotConfigured,
}

/// The first thing that an evaluation would have needed, had it been loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The flag with this key.
    Flag(Box<str>),
    /// The segment with this key.
    Segment(Box<str>),
    /// The memberships of the context with this key.
    Memberships(Box<str>),
}

//! What a store is asked, and what it answers, decoded on the thread that asks it.

use std::sync::Arc;

use fdv2_core::model::{Decoded, Flag, Item, Kind, Model, Segment};
use fdv2_core::persistence::{CorruptRecord, StoreError, read_record};
use fdv2_core::snapshot::Collection;

use super::PersistentStore;
use super::lane::Question;

/// What a store is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Query {
    /// A whole collection.
    All(Kind),
    /// One item.
    One(Kind, Arc<str>),
    /// Whether the collections are complete.
    IsInitialized,
}

/// What a store answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The flags that were asked for: all, or at most one.
    Flags(Loaded<Flag>),
    /// The segments that were asked for: all, or at most one.
    Segments(Loaded<Segment>),
    /// Whether the collections are complete.
    IsInitialized(bool),
}

impl Answer {
    /// The records that cannot be read. They are lost, and only they (B 9.7).
    pub fn corrupt(&self) -> &[CorruptRecord] {
        match self {
            Self::Flags(loaded) => &loaded.corrupt,
            Self::Segments(loaded) => &loaded.corrupt,
            Self::IsInitialized(_) => &[],
        }
    }
}

/// Items of a store. Tombstones are not among them (B 9.7).
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded<T> {
    /// The items that are live, by key. Whoever reads them shares them.
    pub items: Collection<Arc<Item<T>>>,
    /// The records that cannot be read. They are lost, and only they.
    pub corrupt: Vec<CorruptRecord>,
}

impl<T: Model> Loaded<T> {
    fn all(store: &dyn PersistentStore) -> Result<Self, StoreError> {
        let mut loaded = Self::default();
        store.all(T::KIND, &mut |key, value| loaded.add(key, value))?;
        Ok(loaded)
    }

    fn one(store: &dyn PersistentStore, key: &str) -> Result<Self, StoreError> {
        let mut loaded = Self::default();
        if let Some(value) = store.one(T::KIND, key)? {
            loaded.add(key.as_bytes(), &value);
        }
        Ok(loaded)
    }

    fn add(&mut self, key: &[u8], value: &[u8]) {
        match read_record(key, value) {
            Ok(Decoded::Live(item)) => {
                self.items.insert(Arc::clone(item.key()), Arc::new(item));
            }
            Ok(Decoded::Deleted { .. }) => {}
            Err(corrupt) => self.corrupt.push(corrupt),
        }
    }
}

impl<T> Default for Loaded<T> {
    fn default() -> Self {
        Self { items: Collection::seeded(0), corrupt: Vec::new() }
    }
}

impl Question for Query {
    type Store = dyn PersistentStore;
    type Answer = Answer;

    /// Asks `store` and decodes what it says.
    fn ask(&self, store: &dyn PersistentStore) -> Result<Answer, StoreError> {
        match self {
            Self::All(Kind::Flag) => Loaded::all(store).map(Answer::Flags),
            Self::All(Kind::Segment) => Loaded::all(store).map(Answer::Segments),
            Self::One(Kind::Flag, key) => Loaded::one(store, key).map(Answer::Flags),
            Self::One(Kind::Segment, key) => Loaded::one(store, key).map(Answer::Segments),
            Self::IsInitialized => store.is_initialized().map(Answer::IsInitialized),
        }
    }

    fn close(store: &dyn PersistentStore) {
        store.close();
    }
}

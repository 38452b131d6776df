//! A database in memory that can be down, and lose all that it held.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, Upserted};

use crate::store_conformance::MemoryStore;

/// The database. Clones are the same one.
#[derive(Clone, Default)]
pub struct FrailStore(Arc<State>);

#[derive(Default)]
struct State {
    held: Mutex<MemoryStore>,
    is_down: AtomicBool,
}

impl FrailStore {
    /// Fails from now on, and loses what it held if it is to.
    pub fn goes_down(&self, is_emptied: bool) {
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.is_down.store(true, Ordering::SeqCst);
        if is_emptied {
            *held = MemoryStore::default();
        }
    }

    /// Works from now on.
    pub fn comes_up(&self) {
        self.0.is_down.store(false, Ordering::SeqCst);
    }

    fn held(&self) -> Result<MutexGuard<'_, MemoryStore>, StoreError> {
        let held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        if self.0.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::new("the database is down"));
        }
        Ok(held)
    }
}

impl PersistentStore for FrailStore {
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.held()?.all(kind, found)
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.held()?.one(kind, key)
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        self.held()?.is_initialized()
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        self.held()?.replace_all(records)
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        self.held()?.upsert(record)
    }
}

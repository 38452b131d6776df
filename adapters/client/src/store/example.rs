use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, Upserted};

/// A store in memory.
#[derive(Default)]
pub struct MemoryStore(Mutex<Tables>);

#[derive(Default)]
struct Tables {
    /// There is nothing to tell a tombstone by: it is a text like any other.
    records: BTreeMap<(Kind, Arc<str>), Record>,
    is_initialized: bool,
}

impl MemoryStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PersistentStore for MemoryStore {
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        for record in self.tables().records.values().filter(|record| record.kind() == kind) {
            found(record.key().as_bytes(), record.text().as_bytes());
        }
        Ok(())
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let tables = self.tables();
        Ok(tables.records.get(&(kind, key.into())).map(|record| record.text().as_bytes().to_vec()))
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        Ok(self.tables().is_initialized)
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        let place = |record: &Record| ((record.kind(), record.key().clone()), record.clone());
        let records = records.iter().map(place).collect();
        *self.tables() = Tables { records, is_initialized: true };
        Ok(())
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        let mut tables = self.tables();
        if !tables.is_initialized {
            return Ok(Upserted::NotInitialized);
        }
        let place = (record.kind(), record.key().clone());
        if tables.records.get(&place).is_some_and(|held| held.version() >= record.version()) {
            return Ok(Upserted::NotNewer);
        }
        tables.records.insert(place, record.clone());
        Ok(Upserted::Written)
    }
}

//! The store.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, Upserted};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::database::Database;
use crate::error::fault;
use crate::schema::{IS_INITIALIZED, SET_INITIALIZED, UNSET_INITIALIZED, statements};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(10);

/// What SQLite can count.
const LONGEST_PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// Flags and segments in one SQLite file (B 9).
///
/// The file has two tables, `features` and `segments`, of key, version and JSON text, and one for
/// the marker. It is in WAL mode: readers see the state before or after a write, and neither waits
/// for the other; readers have to be permitted to write to it and to its directory as well. A
/// process may end at any moment, killed or not, without harm to the file. A file
/// that is removed is made anew; do not put another one in its place while it is in use.
///
/// Versions above `i64::MAX` count as `i64::MAX`.
pub struct SqliteStore(Database);

impl SqliteStore {
    /// The store in the file at `path`, which is made if there is none. Its directory has to exist.
    ///
    /// Opens nothing: that is done by the first call.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(Database::new(path.into(), PATIENCE))
    }

    /// Sets how long a call waits for another process that writes: 10 s by default, a day at most.
    pub fn patience(mut self, patience: Duration) -> Self {
        self.0.patience = patience.min(LONGEST_PATIENCE);
        self
    }

    /// Removes all records and the marker.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn clear(&self) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(UNSET_INITIALIZED, [])?;
            remove_all(transaction)
        })
    }

    fn read<R>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<R>,
    ) -> Result<R, StoreError> {
        self.0.read(|connection| work(connection).map_err(|error| fault("read", &error)))
    }

    /// In one transaction that begins as a writer: one that turned into it could find itself in
    /// conflict with another, and fail without waiting.
    fn write<R>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R>,
    ) -> Result<R, StoreError> {
        self.0.write(|connection| write(connection, work).map_err(|error| fault("write", &error)))
    }
}

fn write<R>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<R>,
) -> rusqlite::Result<R> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let result = work(&transaction)?;
    transaction.commit()?;
    Ok(result)
}

impl PersistentStore for SqliteStore {
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached(statements(kind).all)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                found(row.get_ref(0)?.as_bytes()?, row.get_ref(1)?.as_bytes()?);
            }
            Ok(())
        })
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(|connection| {
            connection
                .prepare_cached(statements(kind).one)?
                .query_row([key], |row| Ok(row.get_ref(0)?.as_bytes()?.to_vec()))
                .optional()
        })
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        self.read(is_initialized)
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        self.write(|transaction| {
            remove_all(transaction)?;
            for record in records {
                let sql = statements(record.kind()).insert;
                execute(transaction, sql, record)?;
            }
            transaction.execute(SET_INITIALIZED, []).map(drop)
        })
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        self.write(|transaction| {
            if !is_initialized(transaction)? {
                return Ok(Upserted::NotInitialized);
            }
            let changed = execute(transaction, statements(record.kind()).upsert, record)?;
            Ok(if changed == 0 { Upserted::NotNewer } else { Upserted::Written })
        })
    }

    fn close(&self) {
        self.0.close();
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.0.path()).finish_non_exhaustive()
    }
}

fn is_initialized(connection: &Connection) -> rusqlite::Result<bool> {
    connection.prepare_cached(IS_INITIALIZED)?.query_row([], |row| row.get(0))
}

fn remove_all(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    for kind in [Kind::Flag, Kind::Segment] {
        transaction.execute(statements(kind).clear, [])?;
    }
    Ok(())
}

fn execute(transaction: &Transaction<'_>, sql: &str, record: &Record) -> rusqlite::Result<usize> {
    let version = i64::try_from(record.version()).unwrap_or(i64::MAX);
    transaction.prepare_cached(sql)?.execute(params![&**record.key(), version, &**record.text()])
}

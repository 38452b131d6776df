//! One open connection to the file, made when it is needed.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fdv2_client::store::StoreError;
use rusqlite::{Connection, OpenFlags};

use crate::error::{fault, is_busy};
use crate::file::FileId;
use crate::schema;

/// How long to wait before another attempt where SQLite itself does not wait.
const PAUSE: Duration = Duration::from_millis(10);

/// How large the log may stay after a large write, in bytes.
const LOG_LIMIT: i64 = 16 << 20;

/// How many statements a connection keeps prepared: all that there are.
const STATEMENTS: usize = 16;

/// A connection that is opened at the first call, and again when the file is another one.
#[derive(Default)]
pub(crate) struct Database(Mutex<Option<Open>>);

struct Open {
    connection: Connection,
    file: Option<FileId>,
}

impl Database {
    /// Gives `work` the connection. One that failed is not used again.
    pub(crate) fn with<R>(
        &self,
        path: &Path,
        patience: Duration,
        work: impl FnOnce(&mut Connection) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let current = slot.take().filter(|open| open.file == FileId::of(path));
        let mut open = current.map_or_else(|| Open::new(path, patience), Ok)?;
        let result = work(&mut open.connection)?;
        *slot = Some(open);
        Ok(result)
    }

    /// Closes the connection, if there is one.
    pub(crate) fn close(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Open {
    fn new(path: &Path, patience: Duration) -> Result<Self, StoreError> {
        if path.as_os_str().is_empty() || path.as_os_str() == ":memory:" {
            return Err(StoreError::new("a SQLite store needs the path of a file"));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let opened = |error| fault("open", &error);
        let mut connection = Connection::open_with_flags(path, flags).map_err(opened)?;
        connection.busy_timeout(patience).map_err(opened)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        configure(&connection, patience).map_err(opened)?;
        schema::prepare(&mut connection)?;
        Ok(Self { connection, file: FileId::of(path) })
    }
}

/// Readers and a writer that do not wait for each other, and commits that outlive the process. (One
/// that outlives a power cut is not needed: what is lost comes again.)
fn configure(connection: &Connection, patience: Duration) -> rusqlite::Result<()> {
    let began = Instant::now();
    while let Err(error) = connection.pragma_update(None, "journal_mode", "WAL") {
        // SQLite does not wait for the lock here.
        if !is_busy(&error) || began.elapsed() >= patience {
            return Err(error);
        }
        thread::sleep(PAUSE);
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_LIMIT, |_| Ok(()))
}

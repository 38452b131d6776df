//! The open connections to the file, made when they are needed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// The connections to one file: one for reads and one for writes, which do not wait for each other.
/// Each is opened at its first call, and again when the path leads to another file.
pub(crate) struct Database {
    path: PathBuf,
    pub(crate) patience: Duration,
    reading: Mutex<Option<Open>>,
    writing: Mutex<Option<Open>>,
}

struct Open {
    connection: Connection,
    file: Option<FileId>,
}

impl Database {
    pub(crate) fn new(path: PathBuf, patience: Duration) -> Self {
        Self { path, patience, reading: Mutex::default(), writing: Mutex::default() }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives `work` the connection for reads. One that failed is not used again.
    pub(crate) fn read<R>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        self.with(&self.reading, &self.writing, work)
    }

    /// Gives `work` the connection for writes. One that failed is not used again.
    pub(crate) fn write<R>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        self.with(&self.writing, &self.reading, work)
    }

    /// Closes both.
    pub(crate) fn close(&self) {
        for connection in [&self.reading, &self.writing] {
            drop(lock(connection).take());
        }
    }

    fn with<R>(
        &self,
        slot: &Mutex<Option<Open>>,
        other: &Mutex<Option<Open>>,
        work: impl FnOnce(&mut Connection) -> Result<R, StoreError>,
    ) -> Result<R, StoreError> {
        let mut slot = lock(slot);
        let current = slot.take().filter(|open| open.file == FileId::of(&self.path));
        let mut open = match current {
            Some(open) => open,
            None => self.open(other)?,
        };
        let result = work(&mut open.connection)?;
        *slot = Some(open);
        Ok(result)
    }

    fn open(&self, other: &Mutex<Option<Open>>) -> Result<Open, StoreError> {
        // SQLite begins a new file well only if nobody has the removed one open.
        if let Ok(mut other) = other.try_lock() {
            drop(other.take_if(|other| other.file != FileId::of(&self.path)));
        }
        Open::new(&self.path, self.patience)
    }
}

fn lock(slot: &Mutex<Option<Open>>) -> MutexGuard<'_, Option<Open>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
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
        // First: the mode that is set next stays in the file, whose it may be.
        schema::check(&mut connection)?;
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

//! The tables, and how a file is told to be ours.

use fdv2_client::store::{Kind, StoreError};
use rusqlite::{Connection, TransactionBehavior};

use crate::error::fault;

/// Marks a file as ours: "fdv2" in ASCII.
const APPLICATION_ID: i64 = 0x6664_7632;

/// Counts up with each change of the tables.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE features (key TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, item TEXT NOT NULL) STRICT;
    CREATE TABLE segments (key TEXT PRIMARY KEY NOT NULL, version INTEGER NOT NULL, item TEXT NOT NULL) STRICT;
    CREATE TABLE markers (name TEXT PRIMARY KEY NOT NULL) STRICT;
";

/// Refuses a file that this program does not know, and changes nothing in it.
pub(crate) fn check(connection: &mut Connection) -> Result<(), StoreError> {
    known(connection).map(drop)
}

/// Sees to it that the file has the tables, and is one that this program knows.
///
/// Processes that find it new at the same time wait for the one that comes first.
pub(crate) fn prepare(connection: &mut Connection) -> Result<(), StoreError> {
    if known(connection)? == Tables::Missing {
        create(connection)?;
    }
    Ok(())
}

fn known(connection: &mut Connection) -> Result<Tables, StoreError> {
    found(connection).map_err(|error| fault("read", &error))?.check()
}

/// What the file says at one moment: another process may be preparing it.
fn found(connection: &mut Connection) -> rusqlite::Result<Identity> {
    let transaction = connection.transaction()?;
    identity(&transaction)
}

fn create(connection: &mut Connection) -> Result<(), StoreError> {
    let failed = |error| fault("prepare", &error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    if identity(&transaction).map_err(failed)?.check()? == Tables::Missing {
        transaction.execute_batch(TABLES).map_err(failed)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID).map_err(failed)?;
        transaction.pragma_update(None, "user_version", VERSION).map_err(failed)?;
    }
    transaction.commit().map_err(failed)
}

/// What a file says of itself.
struct Identity {
    application: i64,
    version: i64,
    tables: i64,
}

#[derive(PartialEq)]
enum Tables {
    Present,
    Missing,
}

fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok(Identity {
        application: pragma("application_id")?,
        version: pragma("user_version")?,
        tables: connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?,
    })
}

impl Identity {
    fn check(&self) -> Result<Tables, StoreError> {
        if self.application == 0 && self.version == 0 && self.tables == 0 {
            return Ok(Tables::Missing);
        }
        if self.application != APPLICATION_ID {
            return Err(StoreError::new(
                "the SQLite file belongs to another program; give the store a file of its own",
            ));
        }
        if self.version > VERSION {
            return Err(StoreError::new(format!(
                "the SQLite file has schema version {}, this program knows none above {VERSION}; \
                 update the program, or give it another file",
                self.version
            )));
        }
        Ok(Tables::Present)
    }
}

/// The statements on one table.
pub(crate) struct Statements {
    pub(crate) all: &'static str,
    pub(crate) one: &'static str,
    pub(crate) clear: &'static str,
    pub(crate) insert: &'static str,
    pub(crate) upsert: &'static str,
}

macro_rules! statements {
    ($table:literal) => {
        Statements {
            all: concat!("SELECT key, item FROM ", $table),
            one: concat!("SELECT item FROM ", $table, " WHERE key = ?1"),
            clear: concat!("DELETE FROM ", $table),
            insert: concat!(
                "INSERT OR REPLACE INTO ",
                $table,
                " (key, version, item) VALUES (?1, ?2, ?3)"
            ),
            upsert: concat!(
                "INSERT INTO ",
                $table,
                " (key, version, item) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET \
                 version = excluded.version, item = excluded.item \
                 WHERE excluded.version > ",
                $table,
                ".version"
            ),
        }
    };
}

const FEATURES: Statements = statements!("features");
const SEGMENTS: Statements = statements!("segments");

/// The statements on the table of `kind`.
pub(crate) fn statements(kind: Kind) -> &'static Statements {
    match kind {
        Kind::Flag => &FEATURES,
        Kind::Segment => &SEGMENTS,
    }
}

pub(crate) const IS_INITIALIZED: &str =
    "SELECT EXISTS (SELECT 1 FROM markers WHERE name = '$inited')";
pub(crate) const SET_INITIALIZED: &str = "INSERT OR IGNORE INTO markers (name) VALUES ('$inited')";
pub(crate) const UNSET_INITIALIZED: &str = "DELETE FROM markers";

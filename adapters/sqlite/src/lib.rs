//! A persistent store for fdv2 in one SQLite file: the embedded default.
//!
//! Several processes can share the file, and `sqlite3` can open it. Nothing is opened before the
//! first call, which runs on a thread of the store's own.
//!
//! ```
//! use fdv2_client::store::Store;
//! use fdv2_sqlite::SqliteStore;
//!
//! let store = Store::new(SqliteStore::new("/var/lib/app/flags.sqlite"));
//! # drop(store);
//! ```

mod database;
mod error;
mod file;
mod schema;
mod store;

pub use store::SqliteStore;

//! Persistent stores (B 9): what one has to offer, and the threads that its calls run on.
//!
//! `fdv2-redis` and `fdv2-sqlite` are ready to use. A store of your own is a type that implements
//! [`PersistentStore`]; this one keeps everything in memory, and is complete:
//!
//! ```
#![doc = include_str!("example.rs")]
//! #
//! # fn main() -> Result<(), StoreError> {
//! # let store = MemoryStore::default();
//! # let tombstone = Record::tombstone(Kind::Flag, "gone".into(), 7);
//! # assert_eq!(store.upsert(&tombstone)?, Upserted::NotInitialized);
//! # store.replace_all(&[])?;
//! # assert_eq!(store.upsert(&tombstone)?, Upserted::Written);
//! # assert_eq!(store.upsert(&tombstone)?, Upserted::NotNewer);
//! # Ok(())
//! # }
//! ```
//!
//! The tests of this project run any store through one suite (`tests/src/store_conformance`).

mod call;
mod lane;
mod persistent;
mod read;
mod worker;

pub use call::Call;
pub use fdv2_core::model::Kind;
pub use fdv2_core::persistence::{CorruptRecord, Record, StoreError, Upserted, read_version};
pub use lane::Ticket;
pub(crate) use lane::{Lane, Question, Reader};
pub use persistent::PersistentStore;
pub use read::{Answer, Loaded, Query};
pub use worker::Store;
pub(crate) use worker::{Owned, QUERIES, start};

//! What goes to a persistent store and what comes back (B 9): records, their order, and what the
//! records of other programs look like.

mod error;
mod mirror;
mod order;
mod record;
mod write;

pub use error::{StoreError, Upserted};
pub(crate) use mirror::{Mirror, Work};
pub use order::dependencies_first;
pub use record::{CorruptRecord, Record, read_record, read_version};
pub use write::{Scope, StoreWrite};

//! What every persistent store has to do, as a suite to run any implementation through:
//!
//! ```
//! mod my_store {
//!     use fdv2_tests::store_conformance::{MemoryStore, Shared};
//!
//!     fdv2_tests::store_conformance!(Shared::new(MemoryStore::default()));
//!     // And, if it writes full sets at once:
//!     fdv2_tests::atomic_store_conformance!(Shared::new(MemoryStore::default()));
//! }
//! ```
//!
//! Each test evaluates the expression, which has to give a [`Database`] that is empty.

pub mod atomic;
pub mod basic;
pub mod concurrent;
mod contents;
#[path = "../../../adapters/client/src/store/example.rs"]
mod memory;
mod records;

use std::sync::Arc;

use fdv2_client::store::PersistentStore;

pub use contents::Contents;
pub use memory::MemoryStore;
pub use records::{flag, padded, record, segment, tombstone};

/// An empty database of a test's own.
pub trait Database: Sync {
    /// A store on it. Each could be that of another process.
    fn open(&self) -> Arc<dyn PersistentStore>;
}

/// A database that only one store at a time can work on.
pub struct Shared(Arc<dyn PersistentStore>);

impl Shared {
    /// The database of `store`.
    pub fn new(store: impl PersistentStore) -> Self {
        Self(Arc::new(store))
    }
}

impl Database for Shared {
    fn open(&self) -> Arc<dyn PersistentStore> {
        Arc::clone(&self.0)
    }
}

/// Tests of what every store has to do.
#[macro_export]
macro_rules! store_conformance {
    ($database:expr) => {
        $crate::store_conformance_cases! {
            $database;
            basic: a_new_database_is_empty_and_has_no_marker,
            basic: what_is_written_is_read_byte_for_byte,
            basic: a_key_may_be_any_text,
            basic: the_two_kinds_have_keys_of_their_own,
            basic: another_store_on_the_database_sees_what_was_written,
            basic: a_full_set_removes_what_it_does_not_bring,
            basic: a_full_set_may_lack_either_kind_or_both,
            basic: a_full_set_may_bring_lower_versions,
            basic: a_full_set_of_many_large_records_is_kept,
            basic: a_newer_version_replaces_an_older_one_and_nothing_else,
            basic: an_equal_or_older_version_changes_nothing,
            basic: a_tombstone_is_kept_and_not_revived,
            basic: a_record_without_a_marker_is_not_written,
            basic: versions_far_beyond_floating_point_are_told_apart,
            basic: a_probe_of_a_good_database_succeeds,
            concurrent: of_concurrent_writes_the_newest_version_stays,
            concurrent: concurrent_writes_of_different_keys_all_stay,
        }
    };
}

/// Tests of what a store has to do that writes full sets at once.
#[macro_export]
macro_rules! atomic_store_conformance {
    ($database:expr) => {
        $crate::store_conformance_cases! {
            $database;
            atomic: a_reader_sees_one_full_set_or_another,
            atomic: a_full_set_and_single_records_do_not_mix,
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! store_conformance_cases {
    ($database:expr; $($topic:ident: $case:ident,)+) => {
        $(
            #[test]
            fn $case() {
                $crate::store_conformance::$topic::$case(&$database);
            }
        )+
    };
}

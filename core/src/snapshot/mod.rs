//! Immutable data that readers see, and how it changes.

mod change_set;
mod changes;
mod collection;
mod dependencies;
mod garbage;
mod items;
mod slot;
#[expect(clippy::module_inception, reason = "the snapshot itself")]
mod snapshot;
mod staging;

pub use change_set::{Call, ChangeSet, ChangeSetBuilder, Rejected};
pub use changes::FlagsChanged;
pub use collection::Collection;
pub use dependencies::ItemId;
pub use garbage::Garbage;
pub use slot::Slot;
pub use snapshot::{Held, Snapshot};
pub use staging::Commit;

pub(crate) use staging::Staging;

#[cfg(test)]
mod tests;

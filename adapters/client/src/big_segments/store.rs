//! What a store of memberships has to offer.

use super::{ContextHash, Memberships};
use crate::store::StoreError;

/// A store of the members of big segments, as an ordinary blocking type.
///
/// All calls come from one thread of ours, so a store sees at most one at a time, and may block as
/// long as it likes: nothing but its own next call waits for it, and evaluations that ask. After
/// 30 s they do not wait any longer. A panic is as good as an error.
///
/// Errors are shown to people: they must hold no password and no URL with one (B 11.1).
pub trait BigSegmentStore: Send + Sync + 'static {
    /// What is known of the store as a whole. Asked once at the start, then at each
    /// [`poll_interval`](super::BigSegments::poll_interval), and when evaluations have waited for
    /// the store in vain.
    ///
    /// # Errors
    /// It cannot be read.
    fn metadata(&self) -> Result<Metadata, StoreError>;

    /// The memberships of the context with this name. One that is not in the store is in none.
    ///
    /// # Errors
    /// It cannot be read.
    fn memberships(&self, context: &ContextHash) -> Result<Memberships, StoreError>;

    /// The last call: release what is held, as dropping does.
    fn close(&self) {}
}

/// What is known of a store of memberships as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// When it was last brought up to date, in milliseconds since 1970. `None`: never, which is
    /// stale.
    pub last_up_to_date: Option<u64>,
}

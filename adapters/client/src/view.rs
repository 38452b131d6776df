//! The data of one moment, as applications see it.

use std::ops::Deref;
use std::sync::Arc;

use fdv2_core::Snapshot;

/// The data of one moment: it never changes, however long it is kept.
///
/// Cheap to clone. Use one for evaluations that have to see the same data. It has all the methods
/// of [`Snapshot`], which give values and reasons borrowed:
///
/// ```
/// use fdv2_client::{Client, Context};
///
/// fn greet(client: &Client, user: &Context) {
///     let snapshot = client.snapshot();
///     if snapshot.bool_variation(user, "greet", false) {
///         println!("{}", snapshot.str_variation(user, "greeting", "hello"));
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct SnapshotView(Arc<Snapshot>);

impl SnapshotView {
    pub(crate) fn new(snapshot: Arc<Snapshot>) -> Self {
        Self(snapshot)
    }

    /// The core's snapshot: every flag and segment, decoded and as text.
    pub fn core(&self) -> &Snapshot {
        &self.0
    }
}

impl Deref for SnapshotView {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        &self.0
    }
}

//! The data of one moment, as applications see it.

use std::sync::Arc;

use fdv2_core::Snapshot;

/// The data of one moment: it never changes, however long it is kept.
///
/// Cheap to clone. Use one for evaluations that have to see the same data.
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

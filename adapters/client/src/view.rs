//! The data of one moment, as applications see it.

use std::sync::Arc;

use fdv2_core::Snapshot;
use fdv2_core::status::Availability;

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

    /// How good the data is (B 6.5).
    pub fn availability(&self) -> Availability {
        self.0.availability()
    }
}

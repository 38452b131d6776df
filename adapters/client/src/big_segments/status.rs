//! What the outside is told of the store of memberships.

use std::sync::Arc;

/// State of the store of memberships.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BigSegmentStatus {
    /// It answered when it was last asked how up to date it is. False before the first answer, and
    /// where there is none.
    pub is_available: bool,
    /// It has not been brought up to date for too long, as far as is known.
    pub is_stale: bool,
    /// Why it is not available. Holds no secret (B 11.1).
    pub error: Option<Arc<str>>,
}

//! What the outside is told of the data system's health (B 6).

mod readiness;
mod source;
mod store;

pub(crate) use readiness::Ready;
pub(crate) use source::Status;
pub use store::StoreStatus;

use std::sync::Arc;

use crate::time::Instant;

/// State of the data source (B 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceState {
    /// No source has brought valid data yet. Never entered again once left.
    Initializing,
    /// The last attempt brought a completed transfer.
    Valid,
    /// Data may be growing old: an attempt failed or ended after data was held.
    Interrupted,
    /// Nothing is being asked for: no source is left, a directive without FDv1 source is in
    /// force, or the system was closed.
    Off,
}

/// State of the data source with its history (B 6.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceStatus {
    /// The state.
    pub state: SourceState,
    /// When the state was entered.
    pub since: Instant,
    /// The newest error, kept when the state becomes [`SourceState::Valid`] again.
    pub last_error: Option<SourceError>,
    /// No status will follow (B 3.8): every source was removed, or the system was closed.
    pub is_last: bool,
}

/// What kind of thing went wrong (B 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The connection failed, ended early, or was silent for too long.
    Network,
    /// The server answered with a status that is not a success.
    ErrorResponse,
    /// The server sent something that is not the protocol, or went over a limit.
    InvalidData,
    /// The persistent store failed.
    Store,
    /// Anything else, such as a custom source's own failure.
    Unknown,
}

/// One error of a source. Holds no secret (B 11.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceError {
    /// What kind of error.
    pub kind: ErrorKind,
    /// The HTTP status, where there was one.
    pub status: Option<u16>,
    /// What happened, for people.
    pub message: Arc<str>,
    /// When it happened.
    pub at: Instant,
}

/// Whether a wait for initialization can end (B 6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// Not known yet.
    Pending,
    /// Flags can be trusted.
    Ready,
    /// Given up, with the last error. A later success still turns it to [`Readiness::Ready`].
    Failed(Option<SourceError>),
}

/// How good the data is (B 6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Availability {
    /// There is none: every flag gives its default.
    Defaults,
    /// Data that may be old: it has no selector, or comes from the store.
    Cached,
    /// Data with a selector.
    Refreshed,
}

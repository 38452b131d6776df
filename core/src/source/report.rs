//! What an attempt tells the orchestrator.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::effect::{Request, TransportError, TransportErrorKind};
use crate::snapshot::{Commit, Garbage};
use crate::source::directive::Directive;
use crate::status::{ErrorKind, SourceError};
use crate::time::Instant;

/// One thing that an attempt tells. After [`Report::Ended`] it tells no more.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Report {
    /// A redirect is followed: this request takes the place of the one that is running (B 8.5).
    Redirected(Request),
    /// The server ordered a fallback to FDv1 (B 5.1). It is pending.
    Directed(Directive),
    /// A stream asked for another initial retry delay (B 8.3).
    RetryDelay(Duration),
    /// Progress in the sense of the rules.
    Progress,
    /// A transfer completed; of a salvaged one the good objects are applied (B 1.15).
    Committed(Commit),
    /// The data held is current: an accepted `none` or 304.
    Unchanged,
    /// The server took back what it had sent of the open transfer (B 1.5).
    Aborted,
    /// What is no longer needed.
    Discard(Garbage),
    /// Something that is said once a client.
    Odd(Oddity),
    /// The attempt is over.
    Ended(End),
}

/// What a peer may do although it makes no sense. Counted, and said once a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Oddity {
    /// A `server-intent` named more than one payload (B 1.1).
    MorePayloads,
    /// A put or delete came before the first intent of a connection (B 1.4).
    ObjectBeforeIntent,
}

impl fmt::Display for Oddity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::MorePayloads => {
                "the server announced more than one payload; only the first counts"
            }
            Self::ObjectBeforeIntent => "the server sent objects before it said what for; ignored",
        })
    }
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    /// A poll was answered whole, or a custom initializer is through.
    Completed,
    /// The server said goodbye (B 1.6).
    Goodbye,
    /// A stream ended cleanly.
    StreamEnded,
    /// Any other way.
    Failed(Failure),
}

/// Why an attempt failed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) status: Option<u16>,
    pub(crate) message: Arc<str>,
    /// The source is removed for good (B 3.6).
    pub(crate) is_final: bool,
    /// All that is wrong is a `none` without a base. To an initializer it only means: next
    /// (B 1.14).
    pub(crate) is_baseless_none: bool,
}

impl Failure {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            status: None,
            message: message.into(),
            is_final: false,
            is_baseless_none: false,
        }
    }

    pub(crate) fn network(message: impl Into<Arc<str>>) -> Self {
        Self::new(ErrorKind::Network, message)
    }

    pub(crate) fn invalid_data(message: impl Into<Arc<str>>) -> Self {
        Self::new(ErrorKind::InvalidData, message)
    }

    /// A status that is not a success (B 8.7).
    pub(crate) fn response(status: u16, is_final: bool) -> Self {
        let message = format!("the server answered with HTTP status {status}");
        Self { status: Some(status), is_final, ..Self::new(ErrorKind::ErrorResponse, message) }
    }

    pub(crate) fn at(&self, now: Instant) -> SourceError {
        SourceError { kind: self.kind, status: self.status, message: self.message.clone(), at: now }
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        match error.kind {
            TransportErrorKind::HeadTooLarge => Self::invalid_data(error.message),
            TransportErrorKind::Connect
            | TransportErrorKind::Broken
            | TransportErrorKind::Malformed => Self::network(error.message),
        }
    }
}

impl From<Failure> for Report {
    fn from(failure: Failure) -> Self {
        Self::Ended(End::Failed(failure))
    }
}

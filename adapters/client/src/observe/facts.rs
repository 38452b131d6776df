//! What can be told of a client's work.

use fdv2_core::effect::SourceSwitched;
use fdv2_core::persistence::{CorruptRecord, StoreError, Upserted};
use fdv2_core::status::{Readiness, SourceError, SourceStatus, StoreStatus};
use fdv2_core::{Oddity, Request, Snapshot};

/// The kinds of attempts: one connection or one poll of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AttemptKind {
    /// A stream.
    Stream,
    /// A poll.
    Poll,
    /// A poll of the FDv1 fallback.
    Fdv1,
    /// A custom source.
    Custom,
}

impl AttemptKind {
    /// One word.
    #[cfg(any(feature = "metrics", feature = "tracing"))]
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Poll => "poll",
            Self::Fdv1 => "fdv1",
            Self::Custom => "custom",
        }
    }
}

/// What the store is doing for the driver.
#[derive(Clone, Copy)]
pub(super) enum Work {
    Write,
    Probe,
}

/// One thing to tell. It holds no secret: a request shows its credentials to nobody who does not
/// ask for that header (B 11.1).
#[cfg_attr(not(feature = "tracing"), expect(dead_code, reason = "some is only for traces"))]
pub(super) enum Fact<'a> {
    /// An attempt began with a request.
    Requested(&'a Request),
    /// An attempt of the custom source of this name began.
    Opened(&'a str),
    /// The attempt goes on elsewhere.
    Redirected(&'a Request),
    /// A response's head came, with this HTTP status.
    Answered(u16),
    /// So many bytes of a body came.
    Received(usize),
    /// The attempt is over.
    Ended,
    /// An error is new in the data source's status.
    Failed(&'a SourceError),
    Status(&'a SourceStatus),
    Readiness(&'a Readiness),
    Switched(&'a SourceSwitched),
    /// A change set has been applied: this is what is held now.
    Applied(&'a Snapshot),
    Odd(Oddity),
    /// The store has been given so many records to write.
    WriteBegan(usize),
    Written(Result<&'a Upserted, &'a StoreError>),
    ProbeBegan,
    Probed(Result<(), &'a StoreError>),
    /// The store was not waited for any more.
    GivenUp(Work),
    ReadFailed(&'a StoreError),
    Unreadable(&'a CorruptRecord),
    StoreStatus(&'a StoreStatus),
    /// The client is closed.
    Stopped,
}

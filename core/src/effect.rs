//! What goes in and what comes out: events, outcomes, commands, effects and updates.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::persistence::{CorruptRecord, StoreError, StoreWrite, Upserted};
use crate::protocol::Selector;
use crate::snapshot::{ChangeSet, FlagsChanged, Garbage, Snapshot};
use crate::source::Oddity;
use crate::status::{ErrorKind, Readiness, SourceError, SourceStatus, StoreStatus};
use crate::time::Instant;

/// Where an effect runs. At most one is live in each lane (B 3.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// The attempt of the current source.
    Source,
    /// The persistent store's work.
    Store,
}

/// Names one started effect. Never used twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EffectId {
    /// Where it runs.
    pub lane: Lane,
    /// Counts up with each effect of the lane.
    pub generation: u64,
}

/// A fact that the driver tells the core.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Begin. The first event; a second one is ignored.
    Start,
    /// Time has passed: the deadline of [`DataSystem::next_deadline`](crate::DataSystem::next_deadline) was reached.
    Tick,
    /// A running effect has something to tell.
    Effect {
        /// Which one.
        id: EffectId,
        /// What it tells.
        outcome: Outcome,
    },
    /// A read of the persistent store for an evaluation has something to tell.
    StoreRead(StoreRead),
    /// Close (B 10). Writes to the store may still end and follow within `grace`.
    Shutdown {
        /// How long the store is waited for at most.
        grace: Duration,
    },
}

/// What a read of the persistent store tells the core. Reads are the client's: this is all that
/// passes through the core (B 9.3).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreRead {
    /// The store has its `$inited` marker: it stands behind, and nothing is salvaged (B 1.15).
    Initialized,
    /// A record cannot be read, and is taken for one that is not there (B 9.7).
    Unreadable(CorruptRecord),
    /// The read failed: the store is unavailable until a probe is answered (B 9.10).
    Failed(StoreError),
}

/// What an effect tells, in order: a request gives at most one head, then chunks, then one end.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Outcome {
    /// The response's status and headers arrived.
    ResponseHead(ResponseHead),
    /// Some of the body arrived, decompressed. A driver cuts it into slices of at most 16 KiB.
    ResponseChunk(Bytes),
    /// The body ended whole, or the request failed. Nothing follows.
    ResponseEnd(Result<(), TransportError>),
    /// A custom source has something to tell (B 3.12).
    SourceUpdate(SourceUpdate),
    /// A write to the store has ended.
    StoreWritten(Result<Upserted, StoreError>),
    /// A probe of the store has been answered.
    StoreProbed(Result<(), StoreError>),
}

/// Status and headers of a response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseHead {
    /// The HTTP status code.
    pub status: u16,
    /// The headers.
    pub headers: http::HeaderMap,
}

/// Why a request did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TransportError {
    /// What kind of failure.
    pub kind: TransportErrorKind,
    /// What happened, for people. Must hold no secret (B 11.1).
    pub message: String,
}

/// The kinds of transport failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// Look-up, connect, proxy or TLS failed.
    Connect,
    /// The connection broke, or the body ended early.
    Broken,
    /// The bytes are not what the headers say (compression, framing).
    Malformed,
    /// The head is larger than the transport takes (B 1.13).
    HeadTooLarge,
}

/// What a custom source tells (B 3.12).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SourceUpdate {
    /// A completed transfer.
    ChangeSet(Box<ChangeSet>),
    /// The data held is current.
    Unchanged,
    /// The environment's id, valid with the data that follows it (B 6.6).
    EnvironmentId(Arc<str>),
    /// Bytes are flowing: progress in the sense of B 3.1 and 3.3.
    Progress,
    /// The server's order to fall back to FDv1 (B 5), for so many whole seconds if it said so.
    Directive(Option<Duration>),
    /// The attempt failed; it is opened again after a back-off.
    Failed(CustomError),
    /// The source failed for good and is removed (B 3.6).
    FailedFinally(CustomError),
    /// The source ended by itself. An initializer is through, a synchronizer is removed.
    Ended,
}

/// A custom source's own failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomError {
    /// What kind of failure.
    pub kind: ErrorKind,
    /// What happened, for people. Must hold no secret (B 11.1).
    pub message: Arc<str>,
}

impl CustomError {
    /// The source did not answer, or its connection broke.
    pub fn network(message: impl Into<Arc<str>>) -> Self {
        Self { kind: ErrorKind::Network, message: message.into() }
    }

    /// What the source gave is not what it should be.
    pub fn invalid_data(message: impl Into<Arc<str>>) -> Self {
        Self { kind: ErrorKind::InvalidData, message: message.into() }
    }
}

impl From<ChangeSet> for SourceUpdate {
    fn from(change_set: ChangeSet) -> Self {
        Self::ChangeSet(Box::new(change_set))
    }
}

/// What the driver has to do.
///
/// Exhaustive on purpose: a driver must fail to compile when there is a new thing to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Begin an effect. Its lane is free.
    Start {
        /// Its name, to be given with each outcome.
        id: EffectId,
        /// What to do.
        effect: Effect,
    },
    /// Stop an effect and release what it holds, its socket above all, before the next command.
    Cancel {
        /// Which one.
        id: EffectId,
    },
    /// Tell readers and listeners.
    Emit(Update),
    /// Free this on another thread: it may be large.
    Discard(Garbage),
}

/// Something that takes time and gives outcomes.
///
/// Exhaustive on purpose, as [`Command`].
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send a request and give head, chunks and end. No redirects, no timeouts: they are the
    /// core's (B 8.5, 8.6).
    Request(Request),
    /// Open a custom source (B 3.12).
    OpenSource(OpenSource),
    /// Write to the persistent store (B 9.4). Cancelling gives up waiting: what has begun goes on,
    /// and the next write begins when it has returned (B 9.5).
    WriteStore(StoreWrite),
    /// Ask the persistent store whether it answers (B 9.6).
    ProbeStore,
}

/// A request without body. Compares by method, URI and headers; its credentials are marked
/// sensitive and do not show in `Debug`.
#[derive(Clone)]
pub struct Request(pub http::Request<()>);

impl PartialEq for Request {
    fn eq(&self, other: &Self) -> bool {
        self.0.method() == other.0.method()
            && self.0.uri() == other.0.uri()
            && self.0.headers() == other.0.headers()
    }
}

impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {:?}", self.0.method(), self.0.uri(), self.0.headers())
    }
}

/// Opens a custom source.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenSource {
    /// The name it was configured with.
    pub name: Arc<str>,
    /// What is held, if it has a selector (B 2.2).
    pub basis: Option<Selector>,
}

/// What readers and listeners are told. Within one step the order is that of B 6.3.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Update {
    /// The environment's id changed (B 6.6).
    EnvironmentId(Arc<str>),
    /// The data readers see from now on.
    Snapshot(Arc<Snapshot>),
    /// The data source's status changed (B 6.1).
    SourceStatus(SourceStatus),
    /// The answer to waiters changed (B 6.4).
    Readiness(Readiness),
    /// Flags changed. The value works out which when it is read (B 7.1).
    FlagsChanged(FlagsChanged),
    /// The persistent store's status changed (B 9.6).
    StoreStatus(StoreStatus),
    /// Another source runs from now on.
    SourceSwitched(SourceSwitched),
    /// A peer did something that makes no sense, for the first time (B 1.1, 1.4).
    Odd(Oddity),
    /// Closed: nothing follows (B 10).
    Stopped,
}

/// A change of source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSwitched {
    /// The source that runs now; `None` if none does.
    pub to: Option<SourceId>,
    /// Why.
    pub why: SwitchReason,
    /// The error that goes with it, if any.
    pub error: Option<SourceError>,
}

/// Which configured source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SourceId {
    /// The initializer at this place of the list.
    Initializer(usize),
    /// The synchronizer at this place of the list.
    Synchronizer(usize),
    /// The FDv1 fallback synchronizer.
    Fdv1,
}

/// Why the source changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SwitchReason {
    /// The system started.
    Started,
    /// The initializer before it is through.
    Initialized,
    /// The one before was unhealthy for too long (B 3.3).
    Fallback,
    /// Back to the first available one (B 3.4).
    Recovery,
    /// Recovery found the first available one silent, and went back (B 3.4).
    RecoveryFailed,
    /// The one before was removed for good (B 3.6).
    Removed,
    /// The server's directive to fall back to FDv1 (B 5).
    Directive,
    /// The directive's time has ended (B 5.4).
    DirectiveEnded,
}

/// When to send the next [`Event::Tick`], and what for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    /// When.
    pub at: Instant,
    /// What for, for people.
    pub what: &'static str,
}

/// The commands of one [`DataSystem::handle`](crate::DataSystem::handle), in order.
///
/// Borrows the system, so that they are taken before the next event goes in. What is not taken
/// stays in front of the next commands.
#[derive(Debug)]
pub struct Commands<'a>(pub(crate) &'a mut VecDeque<Command>);

impl Iterator for Commands<'_> {
    type Item = Command;
    fn next(&mut self) -> Option<Command> {
        self.0.pop_front()
    }
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl ExactSizeIterator for Commands<'_> {}

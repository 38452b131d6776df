//! Sources: one attempt at a time, as a value that is born and dropped with its connection.

mod attempt;
mod backoff;
mod classify;
mod custom;
mod directive;
mod exchange;
mod fdv1;
mod http;
mod polling;
mod report;
mod request;
mod streaming;

pub(crate) use attempt::Attempt;
pub(crate) use backoff::Backoff;
pub(crate) use custom::CustomAttempt;
pub(crate) use directive::{DEFAULT_TTL, Directive};
pub(crate) use http::{HttpAttempt, Protocol};
pub use report::Oddity;
pub(crate) use report::{End, Failure, Report};
pub(crate) use request::{Target, headers};

use std::sync::Arc;

use crate::limits::Limits;
use crate::snapshot::Snapshot;
use crate::time::Instant;

/// What an attempt needs to know of the rest to read what came in.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a> {
    pub(crate) now: Instant,
    pub(crate) held: &'a Arc<Snapshot>,
    pub(crate) limits: &'a Limits,
    /// No initialized store stands behind (B 1.15).
    pub(crate) may_salvage: bool,
}

//! Waiting for the system to be ready, and for it to have closed.

use std::sync::Arc;
use std::time::Duration;

use fdv2_core::status::{Readiness, SourceError};
use futures::future::{Either, select};

use crate::facts::{End, Facts};
use crate::shared::Shared;
use crate::timer::Limit;

/// Why a wait for initialization ended without it (B 6.4).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaitError {
    /// The system has given up: no source is left that could be asked.
    #[error("the sources failed for good{}", because(.0.as_ref()))]
    Failed(Option<SourceError>),
    /// The time is over. The system goes on, and may yet be ready.
    #[error("not ready in time{}", because(.0.as_ref()))]
    TimedOut(Option<SourceError>),
    /// The client was closed, or its runtime is gone.
    #[error("the client is closed{}", because(.0.as_ref()))]
    Closed(Option<SourceError>),
}

impl WaitError {
    /// The last error of a source before the wait ended, if there was one.
    pub fn last_error(&self) -> Option<&SourceError> {
        match self {
            Self::Failed(error) | Self::TimedOut(error) | Self::Closed(error) => error.as_ref(),
        }
    }
}

fn because(error: Option<&SourceError>) -> String {
    error.map(|error| format!(": {}", error.message)).unwrap_or_default()
}

/// What a wait can be told, if anything.
fn answer(facts: &Facts) -> Option<Result<(), WaitError>> {
    match facts.readiness() {
        Readiness::Ready => Some(Ok(())),
        Readiness::Failed(error) => Some(Err(WaitError::Failed(error.clone()))),
        Readiness::Pending if facts.is_ended() => Some(Err(WaitError::Closed(last_error(facts)))),
        Readiness::Pending => None,
    }
}

fn last_error(facts: &Facts) -> Option<SourceError> {
    facts.status().last_error.clone()
}

pub(crate) async fn initialization(shared: Arc<Shared>, limit: Limit) -> Result<(), WaitError> {
    match select(shared.until(answer), limit).await {
        Either::Left((answer, _)) => answer,
        Either::Right(_) => Err(WaitError::TimedOut(last_error(&shared.facts()))),
    }
}

pub(crate) async fn close(shared: Arc<Shared>, timeout: Duration) {
    shared.control().close(timeout);
    let is_ended = |facts: &Facts| facts.is_ended().then_some(());
    if let Either::Right(_) = select(shared.until(is_ended), Limit::after(timeout)).await {
        // Ends it for everybody: nothing may begin after a `close` has returned.
        shared.end(End::Closed);
    }
}

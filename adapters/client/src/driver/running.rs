//! The live effect of a lane.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::{Context, Poll};

use bytes::Bytes;
use fdv2_core::effect::CustomError;
use fdv2_core::status::ErrorKind;
use fdv2_core::{EffectId, Outcome, SourceUpdate, TransportError, TransportErrorKind};
use futures::StreamExt;
use futures::stream::BoxStream;

/// The largest piece of a body that the core is given at once.
pub(super) const SLICE: usize = 16 << 10;

/// Which kind of effect is running, and so how it fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A request of ours.
    Transport,
    /// A custom source.
    Custom,
}

impl Origin {
    /// What it means that the stream ended without saying so.
    fn ended(self) -> Outcome {
        match self {
            Self::Transport => broken("the connection ended without saying how"),
            Self::Custom => Outcome::SourceUpdate(SourceUpdate::Ended),
        }
    }

    /// What it means that the stream panicked.
    pub(super) fn panicked(self) -> Outcome {
        match self {
            Self::Transport => broken("the HTTP client panicked; standard error has the message"),
            Self::Custom => {
                failed_finally("the custom source panicked; standard error has the message")
            }
        }
    }
}

fn broken(message: &str) -> Outcome {
    let kind = TransportErrorKind::Broken;
    Outcome::ResponseEnd(Err(TransportError { kind, message: message.into() }))
}

pub(super) fn failed_finally(message: &str) -> Outcome {
    let error = CustomError { kind: ErrorKind::Unknown, message: message.into() };
    Outcome::SourceUpdate(SourceUpdate::FailedFinally(error))
}

/// An effect that was started and not cancelled. Dropping it cancels it.
pub(super) struct Running {
    id: EffectId,
    origin: Origin,
    /// Gone once the last outcome has come, and with it the socket.
    outcomes: Option<BoxStream<'static, Outcome>>,
    /// What is left of a chunk that was cut.
    rest: Bytes,
}

impl Running {
    pub(super) fn new(id: EffectId, origin: Origin, outcomes: BoxStream<'static, Outcome>) -> Self {
        Self { id, origin, outcomes: Some(outcomes), rest: Bytes::new() }
    }

    pub(super) fn id(&self) -> EffectId {
        self.id
    }

    /// The next outcome. Pending for ever after the last.
    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        if !self.rest.is_empty() {
            return Poll::Ready(self.next_slice());
        }
        loop {
            match std::task::ready!(self.poll_stream(cx)) {
                Outcome::ResponseChunk(chunk) if chunk.is_empty() => {}
                Outcome::ResponseChunk(chunk) => {
                    self.rest = chunk;
                    return Poll::Ready(self.next_slice());
                }
                outcome => {
                    if is_last(&outcome) {
                        self.release();
                    }
                    return Poll::Ready(outcome);
                }
            }
        }
    }

    fn next_slice(&mut self) -> Outcome {
        let length = self.rest.len().min(SLICE);
        Outcome::ResponseChunk(self.rest.split_to(length))
    }

    fn poll_stream(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let Some(outcomes) = &mut self.outcomes else { return Poll::Pending };
        // What panicked is never polled again: its outcome is the last.
        match catch_unwind(AssertUnwindSafe(|| outcomes.poll_next_unpin(cx))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(Some(outcome))) => Poll::Ready(outcome),
            Ok(Poll::Ready(None)) => Poll::Ready(self.origin.ended()),
            Err(_) => Poll::Ready(self.origin.panicked()),
        }
    }

    /// Closes the socket, or whatever a custom source holds. Its panics are its own.
    fn release(&mut self) {
        let outcomes = self.outcomes.take();
        drop(catch_unwind(AssertUnwindSafe(|| drop(outcomes))));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.release();
    }
}

fn is_last(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::ResponseEnd(_)
            | Outcome::SourceUpdate(
                SourceUpdate::Failed(_) | SourceUpdate::FailedFinally(_) | SourceUpdate::Ended
            )
    )
}

//! The live effect of a lane.

use std::task::{Context, Poll};

use bytes::Bytes;
use fdv2_core::effect::CustomError;
use fdv2_core::status::ErrorKind;
use fdv2_core::{EffectId, Outcome, SourceUpdate, TransportError, TransportErrorKind};
use futures::StreamExt;
use futures::stream::BoxStream;

use crate::contain::contain;

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
        match contain(|| outcomes.poll_next_unpin(cx)) {
            Some(Poll::Pending) => Poll::Pending,
            Some(Poll::Ready(Some(outcome))) => Poll::Ready(outcome),
            Some(Poll::Ready(None)) => Poll::Ready(self.origin.ended()),
            None => Poll::Ready(self.origin.panicked()),
        }
    }

    /// Closes the socket, or whatever a custom source holds. Its panics are its own.
    fn release(&mut self) {
        let outcomes = self.outcomes.take();
        contain(|| drop(outcomes));
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::task::Waker;

    use fdv2_core::{Lane, ResponseHead};
    use futures::stream;

    use super::*;

    const ID: EffectId = EffectId { lane: Lane::Source, generation: 1 };

    fn poll(running: &mut Running) -> Poll<Outcome> {
        running.poll_outcome(&mut Context::from_waker(Waker::noop()))
    }

    fn chunk(length: usize) -> Outcome {
        Outcome::ResponseChunk(Bytes::from(vec![b'x'; length]))
    }

    fn head() -> Outcome {
        Outcome::ResponseHead(ResponseHead { status: 200, headers: http::HeaderMap::new() })
    }

    fn running(origin: Origin, outcomes: Vec<Outcome>) -> Running {
        Running::new(ID, origin, stream::iter(outcomes).boxed())
    }

    fn is_broken(outcome: &Poll<Outcome>) -> bool {
        matches!(outcome, Poll::Ready(Outcome::ResponseEnd(Err(error)))
            if error.kind == TransportErrorKind::Broken)
    }

    fn is_failed_finally(outcome: &Poll<Outcome>) -> bool {
        let Poll::Ready(Outcome::SourceUpdate(update)) = outcome else { return false };
        matches!(update, SourceUpdate::FailedFinally(_))
    }

    #[test]
    fn a_chunk_is_cut_into_slices_of_at_most_16_kib_in_order() {
        let whole: Bytes = (0..40_000_u32).map(|at| at as u8).collect();
        let end = Outcome::ResponseEnd(Ok(()));
        let outcomes = vec![head(), Outcome::ResponseChunk(whole.clone()), end.clone()];
        let mut running = running(Origin::Transport, outcomes);
        assert_eq!(poll(&mut running), Poll::Ready(head()));
        let mut slices = Vec::new();
        let last = loop {
            match poll(&mut running) {
                Poll::Ready(Outcome::ResponseChunk(slice)) => slices.push(slice),
                other => break other,
            }
        };
        assert_eq!(slices.iter().map(Bytes::len).collect::<Vec<_>>(), [SLICE, SLICE, 7232]);
        assert_eq!(slices.concat(), whole);
        assert_eq!(last, Poll::Ready(end));
    }

    #[test]
    fn an_empty_chunk_is_skipped() {
        let mut running = running(Origin::Transport, vec![chunk(0), chunk(0), chunk(3)]);
        assert_eq!(poll(&mut running), Poll::Ready(chunk(3)));
    }

    #[test]
    fn a_request_that_stops_without_an_end_is_broken() {
        let mut running = running(Origin::Transport, vec![head()]);
        assert_eq!(poll(&mut running), Poll::Ready(head()));
        assert!(is_broken(&poll(&mut running)));
        assert_eq!(poll(&mut running), Poll::Pending);
    }

    /// B 3.12.
    #[test]
    fn a_custom_source_that_stops_has_ended() {
        let unchanged = Outcome::SourceUpdate(SourceUpdate::Unchanged);
        let mut running = running(Origin::Custom, vec![unchanged.clone()]);
        assert_eq!(poll(&mut running), Poll::Ready(unchanged));
        assert_eq!(poll(&mut running), Poll::Ready(Outcome::SourceUpdate(SourceUpdate::Ended)));
        assert_eq!(poll(&mut running), Poll::Pending);
    }

    /// B 3.12.
    #[test]
    fn a_custom_source_that_panics_has_failed_finally() {
        let outcomes = stream::poll_fn(|_| panic!("a panic that the test wants")).boxed();
        let mut running = Running::new(ID, Origin::Custom, outcomes);
        assert!(is_failed_finally(&poll(&mut running)));
        assert_eq!(poll(&mut running), Poll::Pending);
    }

    #[test]
    fn a_transport_that_panics_is_broken() {
        let outcomes = stream::poll_fn(|_| panic!("a panic that the test wants")).boxed();
        let mut running = Running::new(ID, Origin::Transport, outcomes);
        assert!(is_broken(&poll(&mut running)));
        assert_eq!(poll(&mut running), Poll::Pending);
    }

    #[test]
    fn the_socket_is_given_up_with_the_last_outcome() {
        let socket = Arc::new(());
        let held = Arc::clone(&socket);
        let outcomes = stream::iter([Outcome::ResponseEnd(Ok(())), head()])
            .map(move |outcome| {
                let _ = &held;
                outcome
            })
            .boxed();
        let mut running = Running::new(ID, Origin::Transport, outcomes);
        assert_eq!(Arc::strong_count(&socket), 2);
        assert_eq!(poll(&mut running), Poll::Ready(Outcome::ResponseEnd(Ok(()))));
        assert_eq!(Arc::strong_count(&socket), 1);
        assert_eq!(poll(&mut running), Poll::Pending);
    }

    #[test]
    fn a_panic_while_a_custom_source_is_dropped_is_contained() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("a panic that the test wants");
            }
        }
        let bomb = Bomb;
        let outcomes = stream::poll_fn(move |_| {
            let _ = &bomb;
            Poll::Pending
        });
        let mut running = Running::new(ID, Origin::Custom, outcomes.boxed());
        assert_eq!(poll(&mut running), Poll::Pending);
        drop(running);
    }
}

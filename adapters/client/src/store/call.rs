//! A call of a store, as a future.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use fdv2_core::persistence::StoreError;
use futures::channel::oneshot;

use super::Ticket;

/// A call that waits for its turn or runs. It begins without being polled.
///
/// Dropped before it has begun, it never will. Dropped later, it goes on without its result, and
/// the next call waits for it all the same (B 9.5).
#[must_use = "dropping it withdraws the call"]
pub struct Call<R>(State<R>);

enum State<R> {
    Placed { result: oneshot::Receiver<Result<R, StoreError>>, _ticket: Ticket },
    Refused(Option<StoreError>),
}

impl<R> Call<R> {
    pub(super) fn new(
        ticket: Result<Ticket, StoreError>,
        result: oneshot::Receiver<Result<R, StoreError>>,
    ) -> Self {
        Self(match ticket {
            Ok(_ticket) => State::Placed { result, _ticket },
            Err(error) => State::Refused(Some(error)),
        })
    }
}

impl<R> Unpin for Call<R> {}

impl<R> Future for Call<R> {
    type Output = Result<R, StoreError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let lost = || Err(StoreError::new("the store's thread is gone"));
        match &mut self.0 {
            State::Placed { result, .. } => {
                Poll::Ready(ready!(Pin::new(result).poll(cx)).unwrap_or_else(|_| lost()))
            }
            State::Refused(error) => Poll::Ready(error.take().map_or_else(lost, Err)),
        }
    }
}

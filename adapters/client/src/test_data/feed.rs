//! What an open client of test data has yet to be told.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use fdv2_core::SourceUpdate;
use futures::Stream;

use crate::wakes::Wakes;

/// How much may wait. Beyond that everything is told at once, and anew.
const WAITING: usize = 64;

/// The sending side. The receiving one is gone with the attempt.
#[derive(Debug)]
pub(super) struct Sender(Weak<Mutex<Queue>>);

/// The receiving side.
#[derive(Debug)]
pub(super) struct Feed(Arc<Mutex<Queue>>);

#[derive(Debug, Default)]
struct Queue {
    updates: VecDeque<SourceUpdate>,
    waker: Option<Waker>,
}

pub(super) fn feed() -> (Sender, Feed) {
    let queue = Arc::<Mutex<Queue>>::default();
    (Sender(Arc::downgrade(&queue)), Feed(queue))
}

impl Sender {
    /// Tells an update, or `everything` if too much waits. Whether anybody is there.
    pub(super) fn send(
        &self,
        update: SourceUpdate,
        everything: impl FnOnce() -> SourceUpdate,
        wakes: &mut Wakes,
    ) -> bool {
        self.change(wakes, |queue| {
            if queue.updates.len() < WAITING {
                queue.updates.push_back(update);
            } else {
                queue.updates.clear();
                queue.updates.push_back(everything());
            }
        })
    }

    /// Tells the first, or the last, that there is to tell. Whether anybody is there.
    pub(super) fn push(&self, update: SourceUpdate, wakes: &mut Wakes) -> bool {
        self.change(wakes, |queue| queue.updates.push_back(update))
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.strong_count() > 0
    }

    fn change(&self, wakes: &mut Wakes, change: impl FnOnce(&mut Queue)) -> bool {
        let Some(queue) = self.0.upgrade() else { return false };
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut queue);
        wakes.extend(queue.waker.take());
        true
    }
}

impl Stream for Feed {
    type Item = SourceUpdate;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceUpdate>> {
        let mut queue = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(update) = queue.updates.pop_front() {
            return Poll::Ready(Some(update));
        }
        let replaced = queue.waker.replace(cx.waker().clone());
        // It may run code of others, so nothing must be locked.
        drop(queue);
        drop(replaced);
        Poll::Pending
    }
}

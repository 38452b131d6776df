//! Sharing the executor with others.

use std::future::poll_fn;
use std::task::Poll;

/// How many bytes of bodies the driver handles before others have their turn.
const BYTES: usize = 64 << 10;
/// The same for events.
const EVENTS: usize = 64;

/// What the driver has done since others had their turn.
#[derive(Default)]
pub(super) struct Turn {
    bytes: usize,
    events: usize,
}

impl Turn {
    /// An event with so many bytes was handled.
    pub(super) fn spend(&mut self, bytes: usize) {
        self.bytes += bytes;
        self.events += 1;
    }

    pub(super) fn is_over(&self) -> bool {
        self.bytes >= BYTES || self.events >= EVENTS
    }
}

/// Lets the executor run what else is ready.
pub(crate) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|cx| {
        if has_yielded {
            return Poll::Ready(());
        }
        has_yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

//! The one sleep of the driver.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use fdv2_core::Instant;

use crate::Runtime;

/// Sleeps until the system's next deadline.
pub(super) struct Alarm<R: Runtime> {
    runtime: R,
    armed_for: Option<Instant>,
    sleep: Pin<Box<Option<R::Sleep>>>,
}

impl<R: Runtime> Alarm<R> {
    pub(super) fn new(runtime: R) -> Self {
        Self { runtime, armed_for: None, sleep: Box::pin(None) }
    }

    /// Whether `deadline` is there. If not, the task is woken when it is.
    ///
    /// Each chunk of a body moves the deadline, nearly always to later. The sleep stays as it is
    /// then: going off too early costs one look, a new sleep for every chunk would cost more.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        while self.runtime.now() < deadline {
            if self.armed_for.is_none_or(|armed_for| deadline < armed_for) {
                self.sleep.set(Some(self.runtime.sleep_until(deadline)));
                self.armed_for = Some(deadline);
            }
            let Some(sleep) = self.sleep.as_mut().as_pin_mut() else { return Poll::Pending };
            std::task::ready!(sleep.poll(cx));
            self.armed_for = None;
        }
        Poll::Ready(())
    }

    pub(super) fn now(&self) -> Instant {
        self.runtime.now()
    }
}

//! Clock, sleep and spawn of smol.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Instant as StdInstant;

use async_io::Timer;
use fdv2_client::{Runtime, StartError};
use fdv2_core::Instant;
use futures::future::BoxFuture;
use smol::Executor;

/// smol's global executor, or one of the application's own.
///
/// Time and I/O are driven by `async-io`'s own thread, so that a client can be started and used
/// from any thread.
#[derive(Clone)]
pub struct SmolRuntime {
    /// Weak, because the executor holds the task that holds this.
    executor: Option<Weak<Executor<'static>>>,
    epoch: StdInstant,
}

impl SmolRuntime {
    /// Runs on smol's global executor, which has threads of its own (`SMOL_THREADS`, one by
    /// default).
    pub fn global() -> Self {
        Self { executor: None, epoch: StdInstant::now() }
    }

    /// Runs on this executor, as long as somebody holds and runs it.
    pub fn on(executor: &Arc<Executor<'static>>) -> Self {
        Self { executor: Some(Arc::downgrade(executor)), epoch: StdInstant::now() }
    }
}

impl fmt::Debug for SmolRuntime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SmolRuntime").field("is_global", &self.executor.is_none()).finish()
    }
}

impl Runtime for SmolRuntime {
    type Sleep = Sleep;

    fn now(&self) -> Instant {
        Instant::from_epoch(self.epoch.elapsed())
    }

    fn sleep_until(&self, deadline: Instant) -> Sleep {
        Sleep(match self.epoch.checked_add(deadline.since_epoch()) {
            Some(deadline) => Timer::at(deadline),
            None => Timer::never(),
        })
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) -> Result<(), StartError> {
        match &self.executor {
            Some(executor) => executor.upgrade().ok_or_else(gone)?.spawn(task).detach(),
            None => smol::spawn(task).detach(),
        }
        Ok(())
    }
}

fn gone() -> StartError {
    StartError::Runtime("the executor that was handed in is gone".to_owned())
}

/// Ends at a moment.
#[derive(Debug)]
pub struct Sleep(Timer);

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        Pin::new(&mut self.0).poll(cx).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_sleep_ends_in_time() {
        let runtime = SmolRuntime::global();
        let deadline = runtime.now() + Duration::from_millis(20);
        smol::block_on(runtime.sleep_until(deadline));
        assert!(runtime.now() >= deadline);
    }

    #[test]
    fn the_end_of_time_can_be_slept_for() {
        let sleep = SmolRuntime::global().sleep_until(Instant::from_epoch(Duration::MAX));
        assert!(smol::block_on(async { futures::poll!(sleep) }).is_pending());
    }
}

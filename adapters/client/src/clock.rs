//! The runtime's clock without its type, so that [`Client`](crate::Client) is one type.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use fdv2_core::Instant;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::Runtime;

/// A wait of this length needs no alarm: some runtimes cannot count that far.
const FOR_EVER: Duration = Duration::from_secs(30 * 366 * 24 * 3600);

/// Clock and sleep of some runtime.
pub(crate) trait Clock: Send + Sync {
    fn now(&self) -> Instant;
    fn sleep_until(&self, deadline: Instant) -> BoxFuture<'static, ()>;
}

impl<R: Runtime> Clock for R {
    fn now(&self) -> Instant {
        Runtime::now(self)
    }

    fn sleep_until(&self, deadline: Instant) -> BoxFuture<'static, ()> {
        Runtime::sleep_until(self, deadline).boxed()
    }
}

/// Why an alarm went off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alarm {
    /// The deadline is there.
    Reached,
    /// The runtime and its timer are gone (B 10.3).
    RuntimeGone,
}

/// Ends at `deadline`, or when the timer turns out to be gone.
pub(crate) async fn alarm(clock: &dyn Clock, deadline: Instant) -> Alarm {
    if deadline.saturating_since(clock.now()) >= FOR_EVER {
        return std::future::pending().await;
    }
    // The timers of a runtime that has been dropped panic, on making and on polling.
    let Ok(sleep) = catch_unwind(AssertUnwindSafe(|| clock.sleep_until(deadline))) else {
        return Alarm::RuntimeGone;
    };
    match AssertUnwindSafe(sleep).catch_unwind().await {
        Ok(()) => Alarm::Reached,
        Err(_) => Alarm::RuntimeGone,
    }
}

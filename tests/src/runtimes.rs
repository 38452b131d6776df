//! What the tests on every runtime share: stamping them out, and waiting for a bounded time.

use std::future::Future;
use std::time::{Duration, Instant};

use async_io::Timer;
use futures::future::{Either, select};

/// Far more than a quiet machine needs for anything in these tests.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// How often to look whether something has happened.
const LOOK_AGAIN: Duration = Duration::from_millis(2);

/// Runs `future` for at most [`PATIENCE`].
///
/// # Panics
/// If it is not done by then.
pub async fn within_patience<T>(future: impl Future<Output = T>) -> T {
    match select(Box::pin(future), Timer::after(PATIENCE)).await {
        Either::Left((output, _)) => output,
        Either::Right(_) => panic!("not done within {PATIENCE:?}"),
    }
}

/// Waits until `is_so`, for at most [`PATIENCE`].
///
/// # Panics
/// If it is not so by then.
pub async fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "never happened: {what}");
        Timer::after(LOOK_AGAIN).await;
    }
}

/// Stamps each test of a module out for every runtime. The test binary has them as `host::Host`.
#[expect(clippy::crate_in_macro_def, reason = "that of the test binary is meant")]
#[macro_export]
macro_rules! on_every_runtime {
    ($($test:ident),+ $(,)?) => {
        mod on_tokio_multi_thread {
            $(#[test] fn $test() { super::$test(crate::host::Host::tokio_multi_thread()); })+
        }
        mod on_tokio_current_thread {
            $(#[test] fn $test() { super::$test(crate::host::Host::tokio_current_thread()); })+
        }
        mod on_smol {
            $(#[test] fn $test() { super::$test(crate::host::Host::smol()); })+
        }
    };
}

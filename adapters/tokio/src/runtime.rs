//! Clock, sleep and spawn of tokio.

use std::net::UdpSocket;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use fdv2_client::{Runtime, StartError};
use fdv2_core::Instant;
use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio::time::{Instant as TokioInstant, Sleep};

/// A tokio runtime with its drivers for time and I/O, multi-thread or current-thread.
///
/// Its clock is tokio's, so that a paused one pauses the client.
#[derive(Clone, Debug)]
pub struct TokioRuntime {
    handle: Handle,
    epoch: TokioInstant,
}

impl TokioRuntime {
    /// The runtime that this thread is in.
    ///
    /// # Errors
    /// As [`new`](Self::new), and when this thread is in none.
    pub fn current() -> Result<Self, StartError> {
        match Handle::try_current() {
            Ok(handle) => Self::new(handle),
            Err(_) => Err(refused(
                "there is no tokio runtime here; start inside one, or hand in its handle",
            )),
        }
    }

    /// The runtime of this handle.
    ///
    /// # Errors
    /// [`StartError::Runtime`] when it lacks time or I/O. Tokio has no question for that but a
    /// panic, which is caught; the panic hook sees it.
    pub fn new(handle: Handle) -> Result<Self, StartError> {
        let _inside = handle.enter();
        if !succeeds(|| drop(tokio::time::sleep(Duration::ZERO))) {
            return Err(refused("the tokio runtime has no timers; build it with `enable_time`"));
        }
        if !succeeds(register_socket) {
            return Err(refused("the tokio runtime has no I/O; build it with `enable_io`"));
        }
        Ok(Self { handle: handle.clone(), epoch: TokioInstant::now() })
    }
}

fn refused(why: &str) -> StartError {
    StartError::Runtime(why.to_owned())
}

fn succeeds(probe: impl FnOnce()) -> bool {
    catch_unwind(AssertUnwindSafe(probe)).is_ok()
}

/// Panics without I/O driver. Where no socket is to be had there is nothing to learn.
fn register_socket() {
    let Ok(socket) = UdpSocket::bind("127.0.0.1:0") else { return };
    if socket.set_nonblocking(true).is_ok() {
        drop(tokio::net::UdpSocket::from_std(socket));
    }
}

impl Runtime for TokioRuntime {
    type Sleep = Sleep;

    fn now(&self) -> Instant {
        Instant::from_epoch(self.epoch.elapsed())
    }

    fn sleep_until(&self, deadline: Instant) -> Sleep {
        let _inside = self.handle.enter();
        let deadline = self.epoch.checked_add(deadline.since_epoch());
        tokio::time::sleep_until(deadline.unwrap_or_else(|| TokioInstant::now() + FAR))
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) -> Result<(), StartError> {
        drop(self.handle.spawn(task));
        Ok(())
    }
}

/// Further than any process lives, and still a moment of tokio's clock.
const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 3600);

#[cfg(test)]
mod tests {
    use tokio::runtime::Builder;

    use super::*;

    fn refusal(runtime: Result<TokioRuntime, StartError>) -> String {
        runtime.unwrap_err().to_string()
    }

    #[test]
    fn without_a_runtime_there_is_an_error_and_no_panic() {
        assert!(refusal(TokioRuntime::current()).contains("no tokio runtime"));
    }

    #[test]
    fn without_time_or_io_there_is_an_error_and_no_panic() {
        let bare = Builder::new_current_thread().build().unwrap();
        assert!(refusal(TokioRuntime::new(bare.handle().clone())).contains("enable_time"));
        let timed = Builder::new_current_thread().enable_time().build().unwrap();
        assert!(refusal(TokioRuntime::new(timed.handle().clone())).contains("enable_io"));
        let whole = Builder::new_current_thread().enable_all().build().unwrap();
        assert!(TokioRuntime::new(whole.handle().clone()).is_ok());
    }

    #[test]
    fn the_end_of_time_can_be_slept_for() {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let clock = TokioRuntime::new(runtime.handle().clone()).unwrap();
        runtime.block_on(async {
            let mut sleep = Box::pin(clock.sleep_until(Instant::from_epoch(Duration::MAX)));
            assert!(futures::poll!(&mut sleep).is_pending());
        });
    }
}

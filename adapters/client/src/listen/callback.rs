//! Callbacks, each on a thread of its own, so that what one does is no matter to anybody (B 7.3).

use std::fmt;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use futures::{Stream, StreamExt};

use super::{FlagChanges, ValueChanges};
use crate::contain::contain;
use crate::queue::Ending;

/// A callback that is registered with a client. Dropping it removes the callback: no call begins
/// after that (B 7.4).
///
/// Removing waits for nobody, so it works from within the callback, too, and with one that is
/// stuck: a call that has begun goes on to its end. It is no reason for the client to stay open.
#[must_use = "dropping a listener removes its callback"]
pub struct Listener(Ending);

impl Listener {
    /// Calls back for each item of `stream` until it ends or is ended.
    pub(crate) fn start<S: Removable>(
        stream: S,
        callback: impl FnMut(S::Item) + Send + 'static,
    ) -> io::Result<Self> {
        let (listener, ending) = (Self(stream.ending()), stream.ending());
        let thread = thread::Builder::new().name("fdv2-listener".into());
        thread.spawn(move || call_back(stream, &ending, callback))?;
        Ok(listener)
    }

    /// Removes the callback, as dropping does.
    pub fn remove(self) {
        drop(self);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Listener").field("is_open", &self.0.is_open()).finish()
    }
}

/// A stream that can be ended from outside.
pub(crate) trait Removable: Stream + Send + Unpin + 'static {
    fn ending(&self) -> Ending;
}

impl Removable for FlagChanges {
    fn ending(&self) -> Ending {
        self.change_sets.ending()
    }
}

impl Removable for ValueChanges {
    fn ending(&self) -> Ending {
        self.newer_data.ending()
    }
}

fn call_back<S: Removable>(mut stream: S, ending: &Ending, mut callback: impl FnMut(S::Item)) {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    loop {
        match stream.poll_next_unpin(&mut Context::from_waker(&waker)) {
            Poll::Pending => thread::park(),
            Poll::Ready(Some(item)) if ending.is_open() => {
                contain(|| callback(item));
            }
            Poll::Ready(_) => return,
        }
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

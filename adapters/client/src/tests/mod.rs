//! The driver and the client as a whole, in virtual time.

mod big_segments;
mod big_segments_ends;
mod big_segments_listening;
mod big_segments_status;
mod closing;
mod custom;
mod evaluating;
mod failing;
mod fairness;
mod feed;
mod herd;
mod hooking;
mod hooking_failures;
mod listening;
mod listening_callbacks;
mod listening_values;
mod lives;
mod members;
mod observing;
#[cfg(feature = "metrics")]
mod observing_metrics;
#[cfg(feature = "tracing")]
mod observing_traces;
mod parts;
mod readers;
mod reading;
mod reading_all_flags;
mod reading_ends;
mod scripted;
pub(crate) mod sim;
mod store_cases;
mod waiting;
mod writing_ends;

use std::future::Future;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use fdv2_core::{Config, Outcome, Request};
use futures::executor::block_on;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};

use self::sim::Sim;
use crate::{Client, Parts, Transport};

/// Every request of it waits for ever.
pub(crate) struct Silence;

impl Transport for Silence {
    fn send(&self, _: Request) -> BoxStream<'static, Outcome> {
        stream::pending().boxed()
    }
}

/// A recorder of what happened, in order.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    fn write(&self, line: impl Into<String>) {
        self.0.lock().unwrap().push(line.into());
    }

    /// What was written since the last time.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Polls once; whoever is waited for wakes nobody.
fn poll_once<T>(future: &mut (impl Future<Output = T> + Unpin)) -> Poll<T> {
    future.poll_unpin(&mut Context::from_waker(Waker::noop()))
}

/// Closes on a thread beside the simulated runtime, as with a store that has threads of its own.
fn close_beside(sim: &Sim, client: &Client) {
    let closing = client.close(Duration::from_secs(60));
    let closing = thread::spawn(move || block_on(closing));
    reading::until(sim, || closing.is_finished());
}

/// A waker that runs `code`, the first time that it wakes.
pub(crate) fn wakes_to_run(code: impl FnOnce() + Send + 'static) -> Waker {
    struct Once(Mutex<Option<Box<dyn FnOnce() + Send>>>);
    impl Wake for Once {
        fn wake(self: Arc<Self>) {
            let code = self.0.lock().unwrap().take();
            code.into_iter().for_each(|code| code());
        }
    }
    Waker::from(Arc::new(Once(Mutex::new(Some(Box::new(code))))))
}

pub(crate) fn start_with(
    sim: &Sim,
    config: Config,
    transport: impl Transport,
    parts: impl Into<Parts>,
) -> Client {
    Client::start_with(config, sim.clone(), transport, parts).unwrap()
}

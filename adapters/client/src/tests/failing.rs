//! What happens when the runtime goes away, never was, or the driver panics.

use std::time::Duration;

use fdv2_core::config::Config;
use fdv2_core::status::SourceState;
use fdv2_core::{Instant, Outcome, Request, SourceUpdate};
use futures::executor::block_on;
use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, StreamExt, stream};

use super::feed::{full, running};
use super::sim::{Sim, SimSleep};
use super::{Silence, start_with};
use crate::{Client, CustomSources, Runtime, StartError, Transport, WaitError};

const LONG: Duration = Duration::from_secs(60);

fn config() -> Config {
    Config::streaming("sdk-key").build().unwrap()
}

fn start(sim: &Sim) -> Client {
    start_with(sim, config(), Silence, CustomSources::new())
}

/// B 10.3: a runtime that is gone counts as closed.
#[test]
fn a_dropped_runtime_turns_the_status_off_with_the_reason_and_releases_every_wait() {
    let sim = Sim::default();
    let client = start(&sim);
    let mut wait = client.wait_for_initialization(LONG).boxed();
    let mut statuses = client.status_stream();
    assert!(wait.as_mut().now_or_never().is_none());
    sim.run();
    sim.drop_runtime();
    let Err(WaitError::Closed(Some(error))) = block_on(wait) else { panic!("not closed") };
    assert!(error.message.contains("runtime"), "{error:?}");
    let seen: Vec<_> = block_on(statuses.by_ref().map(|status| status.state).collect());
    assert_eq!(seen, [SourceState::Initializing, SourceState::Off]);
    assert_eq!(client.status().last_error, Some(error));
    block_on(client.close(Duration::MAX));
}

/// B 6.1: OFF is entered once, whatever is the reason later on.
#[test]
fn a_runtime_dropped_while_a_directive_holds_leaves_the_moment_of_off() {
    let (sim, client, feeds) = running(&["a"]);
    sim.advance(Duration::from_secs(1));
    feeds.tell("a", SourceUpdate::Directive(None));
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    let off = client.status();
    assert_eq!((off.state, off.is_last), (SourceState::Off, false));
    sim.advance(Duration::from_secs(5));
    sim.drop_runtime();
    let last = client.status();
    assert_eq!((last.state, last.since, last.is_last), (SourceState::Off, off.since, true));
}

/// B 10.3: the task is dropped before it ever ran.
#[test]
fn a_runtime_dropped_before_it_ran_counts_as_closed() {
    let sim = Sim::default();
    let client = start(&sim);
    sim.drop_runtime();
    block_on(client.close(Duration::MAX));
    assert_eq!(client.status().state, SourceState::Off);
}

#[test]
fn starting_on_a_runtime_that_is_gone_is_an_error() {
    let sim = Sim::default();
    sim.drop_runtime();
    let started = Client::start_with(config(), sim, Silence, CustomSources::new());
    assert!(matches!(started, Err(StartError::Runtime(_))), "{started:?}");
}

/// A runtime without timers, as tokio's can be: to sleep is to panic.
#[derive(Clone)]
struct Sleepless(Sim);

impl Runtime for Sleepless {
    type Sleep = SimSleep;

    fn now(&self) -> Instant {
        self.0.now()
    }

    fn sleep_until(&self, _: Instant) -> SimSleep {
        panic!("a panic that the test wants")
    }

    fn spawn(&self, task: BoxFuture<'static, ()>) -> Result<(), StartError> {
        self.0.spawn(task)
    }
}

#[test]
fn a_panic_in_the_driver_turns_the_status_off_with_the_reason_and_releases_every_wait() {
    let sim = Sim::default();
    let (runtime, sources) = (Sleepless(sim.clone()), CustomSources::new());
    let client = Client::start_with(config(), runtime, Silence, sources).unwrap();
    let mut before = client.wait_for_initialization(LONG).boxed();
    assert!(before.as_mut().now_or_never().is_none());
    sim.run();
    for wait in [before, client.wait_for_initialization(LONG).boxed()] {
        let Err(WaitError::Failed(Some(error))) = block_on(wait) else { panic!("not failed") };
        assert!(error.message.contains("panicked"), "{error:?}");
    }
    assert_eq!(client.status().state, SourceState::Off);
    assert!(client.status().is_last);
    assert_eq!(sim.tasks(), 0);
    block_on(client.close(Duration::MAX));
}

/// Panics on every request.
struct Panics;

impl Transport for Panics {
    fn send(&self, _: Request) -> BoxStream<'static, Outcome> {
        stream::poll_fn(|_| panic!("a panic that the test wants")).boxed()
    }
}

#[test]
fn a_panic_in_the_transport_is_a_failed_attempt() {
    let sim = Sim::default();
    let client = start_with(&sim, config(), Panics, CustomSources::new());
    sim.run();
    assert_eq!(client.status().state, SourceState::Initializing);
    assert!(client.status().last_error.is_some());
    assert!(sim.next_sleep().is_some(), "it is tried again");
}

/// B 6.4.
#[test]
fn a_wait_of_no_time_and_a_wait_of_all_time_are_legal() {
    let sim = Sim::default();
    let client = start(&sim);
    let no_time = block_on(client.wait_for_initialization(Duration::ZERO));
    assert_eq!(no_time, Err(WaitError::TimedOut(None)));
    let mut all_time = client.wait_for_initialization(Duration::MAX).boxed();
    assert!(all_time.as_mut().now_or_never().is_none());
    sim.drop_runtime();
    assert!(matches!(block_on(all_time), Err(WaitError::Closed(_))));
}

/// B 11.1.
#[test]
fn debug_shows_no_secret() {
    let client = start(&Sim::default());
    assert!(!format!("{client:?}").contains("sdk-key"));
}

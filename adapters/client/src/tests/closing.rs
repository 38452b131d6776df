//! B 10: closing, dropping, and runtimes that go away.

use std::time::Duration;

use fdv2_core::Config;
use fdv2_core::config::Custom;
use fdv2_core::status::SourceState;
use futures::executor::block_on;
use futures::{FutureExt, StreamExt};

use super::sim::Sim;
use super::{Silence, start};
use crate::{Client, CustomSources, StartError, WaitError};

const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(60);

fn config() -> Config {
    Config::streaming("sdk-key").build().unwrap()
}

/// B 10.1: nobody runs the runtime, and `close` returns all the same.
#[test]
fn close_returns_within_its_limit_on_a_runtime_that_stands_still() {
    let sim = Sim::default();
    let client = start(&sim, config());
    block_on(client.close(SHORT));
    assert_eq!(client.status().state, SourceState::Off);
    assert!(client.status().is_last);
    // The driver ends as soon as it runs again.
    sim.run();
    assert_eq!(sim.tasks(), 0);
}

/// B 10.3: a runtime that is gone counts as closed.
#[test]
fn a_dropped_runtime_turns_the_status_off_with_the_reason_and_releases_every_wait() {
    let sim = Sim::default();
    let client = start(&sim, config());
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

/// B 10.3: the task is dropped before it ever ran.
#[test]
fn a_runtime_dropped_before_it_ran_counts_as_closed() {
    let sim = Sim::default();
    let client = start(&sim, config());
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

#[test]
fn a_custom_source_that_was_not_handed_in_is_an_error() {
    let config = Config::custom("sdk-key").synchronizer(Custom::new("mine")).build().unwrap();
    let started = Client::start_with(config, Sim::default(), Silence, CustomSources::new());
    assert_eq!(started.unwrap_err(), StartError::UnknownSource("mine".into()));
}

/// B 6.4.
#[test]
fn a_wait_of_no_time_and_a_wait_of_all_time_are_legal() {
    let sim = Sim::default();
    let client = start(&sim, config());
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
    let client = start(&Sim::default(), config());
    assert!(!format!("{client:?}").contains("sdk-key"));
}

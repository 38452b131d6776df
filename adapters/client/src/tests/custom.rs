//! B 3.12: custom sources.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use fdv2_core::status::{Availability, SourceState};
use fdv2_core::{OpenSource, SourceUpdate};
use futures::executor::block_on;
use futures::stream::{self, BoxStream};
use futures::{FutureExt, StreamExt};

use super::feed::{failed_finally, full, running, synchronizers, version};
use super::sim::Sim;
use super::{Silence, start_with};
use crate::{Client, CustomSource, CustomSources, WaitError};

const LONG: Duration = Duration::from_secs(60);

#[test]
fn a_change_set_of_a_custom_source_is_data_like_any_other() {
    let (sim, client, feeds) = running(&["a"]);
    assert!(!client.initialized());
    assert_eq!(client.availability(), Availability::Defaults);
    feeds.tell("a", SourceUpdate::EnvironmentId("env".into()));
    feeds.tell("a", full(1, &["f1", "f2"]));
    sim.run();
    assert_eq!(block_on(client.wait_for_initialization(LONG)), Ok(()));
    assert!(client.initialized());
    assert_eq!(client.status().state, SourceState::Valid);
    assert_eq!(client.availability(), Availability::Refreshed);
    assert_eq!(client.environment_id().as_deref(), Some("env"));
    assert_eq!(version(&client, "f1"), 1);
}

/// The connection of a source is released before the next one starts.
#[test]
fn a_source_that_ends_is_removed_and_let_go_before_the_next_opens() {
    let (sim, client, feeds) = running(&["a", "b"]);
    feeds.tell("a", full(1, &["f1"]));
    feeds.end("a");
    sim.run();
    assert_eq!(feeds.log(), ["open a", "drop a", "open b"]);
    feeds.tell("b", full(2, &["f1"]));
    sim.run();
    assert_eq!(version(&client, "f1"), 2);
}

/// Case C10: what a source has ready when it is left is dropped with it.
#[test]
fn what_a_source_left_unread_is_never_applied() {
    let (sim, client, feeds) = running(&["a", "b"]);
    feeds.tell("a", failed_finally());
    feeds.tell("a", full(9, &["f1"]));
    sim.run();
    assert_eq!(feeds.log(), ["open a", "drop a", "open b"]);
    assert_eq!(version(&client, "f1"), 0);
}

/// Cases F09, I08 and C08: the only source goes for good, in whichever way.
fn assert_given_up(source: impl CustomSource) -> Client {
    let sim = Sim::default();
    let sources = CustomSources::new().with("a", source);
    let client = start_with(&sim, synchronizers(&["a"]), Silence, sources);
    let statuses = client.status_stream();
    let mut before = client.wait_for_initialization(LONG).boxed();
    assert!(before.as_mut().now_or_never().is_none());
    sim.run();
    let after = client.wait_for_initialization(LONG);
    for wait in [before, after.boxed()] {
        assert!(matches!(block_on(wait), Err(WaitError::Failed(Some(_)))));
    }
    assert!(!client.initialized());
    let statuses: Vec<_> = block_on(statuses.collect());
    let last = statuses.last().unwrap();
    assert_eq!(last.state, SourceState::Off);
    assert!(last.last_error.is_some());
    assert_eq!(sim.next_sleep(), None);
    assert_closes(&sim, &client);
    client
}

fn assert_closes(sim: &Sim, client: &Client) {
    let mut close = client.close(LONG).boxed();
    assert!(close.as_mut().now_or_never().is_none());
    sim.run();
    assert_eq!(close.now_or_never(), Some(()));
    assert_eq!(sim.tasks(), 0);
    assert_eq!(client.status().state, SourceState::Off);
}

#[test]
fn a_source_that_ends_by_itself_is_removed() {
    assert_given_up(|_: OpenSource| stream::empty().boxed());
}

#[test]
fn a_source_that_fails_finally_is_removed() {
    assert_given_up(|_: OpenSource| stream::iter([failed_finally()]).boxed());
}

#[test]
fn a_source_that_panics_is_removed() {
    assert_given_up(|_: OpenSource| -> BoxStream<'static, SourceUpdate> {
        stream::poll_fn(|_| panic!("a panic that the test wants")).boxed()
    });
}

#[test]
fn a_source_that_cannot_be_built_is_removed() {
    assert_given_up(|_: OpenSource| -> BoxStream<'static, SourceUpdate> {
        panic!("a panic that the test wants")
    });
}

/// What it panics with as it is let go is its own, too.
#[test]
fn a_source_that_panics_as_it_is_dropped_leaves_its_failure_as_the_reason() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("a panic that the test wants");
        }
    }
    let bomb = Bomb;
    let source = move |_: OpenSource| {
        let _ = &bomb;
        stream::iter([failed_finally()]).boxed()
    };
    let client = assert_given_up(source);
    let error = client.status().last_error.unwrap();
    assert!(!error.message.contains("driver"), "{error:?}");
}

/// Case I01.
#[test]
fn a_source_that_hangs_holds_up_neither_waiting_nor_closing() {
    let sim = Sim::default();
    let alive = Arc::new(());
    let held = Arc::clone(&alive);
    let source = move |_: OpenSource| {
        let held = Arc::clone(&held);
        stream::poll_fn(move |_| {
            let _ = &held;
            Poll::<Option<SourceUpdate>>::Pending
        })
        .boxed()
    };
    let sources = CustomSources::new().with("a", source);
    let client = start_with(&sim, synchronizers(&["a"]), Silence, sources);
    sim.run();
    let waited = block_on(client.wait_for_initialization(Duration::from_millis(10)));
    assert_eq!(waited, Err(WaitError::TimedOut(None)));
    assert_closes(&sim, &client);
    assert_eq!(Arc::strong_count(&alive), 1);
}

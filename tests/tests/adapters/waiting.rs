//! Waits, and custom sources that answer them.

use std::sync::Arc;
use std::time::Duration;

use fdv2_client::config::Custom;
use fdv2_client::core::model::Kind;
use fdv2_client::core::snapshot::ChangeSetBuilder;
use fdv2_client::core::{OpenSource, Selector, SourceUpdate};
use fdv2_client::{Client, Config, CustomSource, FlagChange, SourceState, WaitError};
use futures::channel::mpsc::{UnboundedReceiver, unbounded};
use futures::future::join_all;
use futures::stream::{self, StreamExt};
use smol::block_on;

use crate::host::{Host, PATIENCE};
use crate::on_every_runtime;

on_every_runtime!(
    waits_race_with_data_with_close_and_with_their_limits,
    a_listener_closes_and_drops_the_last_handle,
    a_panicking_source_fails_every_wait,
    a_close_is_bounded_when_nobody_runs_the_runtime,
);

fn config() -> Config {
    Config::custom("sdk-key").synchronizer(Custom::new("mine")).build().unwrap()
}

fn data() -> SourceUpdate {
    let mut builder = ChangeSetBuilder::full();
    builder.put(Kind::Flag, "f1", 1, r#"{"on":true}"#).unwrap();
    SourceUpdate::ChangeSet(Box::new(builder.finish(Some(Selector::new("s1", 1)))))
}

/// A source that passes on what it is sent, once.
fn fed(updates: UnboundedReceiver<SourceUpdate>) -> impl CustomSource {
    let updates = Arc::new(std::sync::Mutex::new(Some(updates)));
    move |_: OpenSource| match updates.lock().unwrap().take() {
        Some(updates) => updates.chain(stream::pending()).boxed(),
        None => stream::pending().boxed(),
    }
}

/// I09, 1,000 rounds of 100 waits.
fn waits_race_with_data_with_close_and_with_their_limits(host: Host) {
    for round in 0..1_000_u64 {
        let (feed, updates) = unbounded();
        let client = host.start_with(config(), "mine", fed(updates));
        let results = std::thread::scope(|scope| {
            scope.spawn(|| feed.unbounded_send(data()));
            scope.spawn(|| {
                std::thread::sleep(Duration::from_micros(20 * (round % 20)));
                block_on(client.close(PATIENCE));
            });
            let limit =
                |n: u64| if n.is_multiple_of(4) { Duration::from_micros(10 * n) } else { PATIENCE };
            let waits = (0..100).map(|n| client.wait_for_initialization(limit(n)));
            host.run(async {
                let results = join_all(waits).await;
                client.close(PATIENCE).await;
                results
            })
        });
        let is_ready = client.initialized();
        for result in results {
            match result {
                Ok(()) => assert!(is_ready),
                Err(WaitError::Closed(_)) => assert!(!is_ready),
                Err(WaitError::TimedOut(_)) => {}
                Err(error) => panic!("{error}"),
            }
        }
    }
}

/// C04, C11.
fn a_listener_closes_and_drops_the_last_handle(host: Host) {
    let (feed, updates) = unbounded();
    let client = host.start_with(config(), "mine", fed(updates));
    let mut changes = client.flag_changes();
    let statuses = client.status_stream();
    feed.unbounded_send(data()).unwrap();
    host.run(async move {
        assert_eq!(changes.next().await, Some(FlagChange::Changed("f1".into())));
        client.close(Client::CLOSE_TIMEOUT).await;
        drop(client);
        assert_eq!(changes.next().await, None);
        let states: Vec<_> = statuses.map(|status| status.state).collect().await;
        assert_eq!(states.last(), Some(&SourceState::Off));
    });
}

/// B 3.12, I08.
fn a_panicking_source_fails_every_wait(host: Host) {
    let client = host.start_with(config(), "mine", |_: OpenSource| {
        stream::poll_fn(|_| panic!("a panic that the test wants")).boxed()
    });
    let waits = (0..3).map(|_| client.wait_for_initialization(PATIENCE));
    for result in host.run(join_all(waits)) {
        assert!(matches!(result, Err(WaitError::Failed(Some(_)))), "{result:?}");
    }
    assert_eq!(client.status().state, SourceState::Off);
    host.run(client.close(PATIENCE));
}

/// B 10.1: a plain thread closes, and a runtime of one thread has nobody who runs it.
fn a_close_is_bounded_when_nobody_runs_the_runtime(host: Host) {
    let (_feed, updates) = unbounded();
    let client = host.start_with(config(), "mine", fed(updates));
    let waited = block_on(client.wait_for_initialization(Duration::from_millis(20)));
    assert!(matches!(waited, Err(WaitError::TimedOut(_))), "{waited:?}");
    block_on(client.close(Duration::from_millis(20)));
    assert_eq!(client.status().state, SourceState::Off);
}

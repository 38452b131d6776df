//! B 10: closing, and dropping handles.

use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::Duration;

use fdv2_core::config::{Config, Polling, Streaming};
use fdv2_core::status::SourceState;
use fdv2_core::{OpenSource, SourceUpdate};
use futures::executor::block_on;
use futures::{FutureExt, StreamExt, stream};

use super::feed::{fed, full, running, synchronizers, version};
use super::scripted::{Script, chunk, event_stream, full_transfer};
use super::sim::Sim;
use super::{Silence, poll_once, start_with};
use crate::{Client, CustomSources};

const SHORT: Duration = Duration::from_millis(10);
const LONG: Duration = Duration::from_secs(60);

fn streaming() -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new())
        .synchronizer(Polling::new())
        .build()
        .unwrap()
}

fn scripted(sim: &Sim) -> (Client, Script) {
    let script = Script::default();
    (start_with(sim, streaming(), script.clone(), CustomSources::new()), script)
}

/// B 10.1, 10.4, case C06: connecting.
#[test]
fn close_gives_up_the_connection_and_no_request_follows() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    sim.run();
    let mut close = client.close(LONG).boxed();
    assert!(poll_once(&mut close).is_pending());
    sim.run();
    assert!(poll_once(&mut close).is_ready());
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
    sim.advance(Duration::from_secs(3_600));
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
    assert_eq!((sim.tasks(), sim.next_sleep()), (0, None));
}

/// Case C01: in the middle of a transfer. The last data stays readable (B 10.4).
#[test]
fn close_in_the_middle_of_a_transfer_leaves_the_last_data_and_no_status_after_off() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    let half: String = full_transfer("f1", 2).chars().take(200).collect();
    let whole = chunk(full_transfer("f1", 1));
    script.then(stream::iter([event_stream(), whole, chunk(half)]).chain(stream::pending()));
    sim.run();
    let statuses = client.status_stream();
    block_on_sim(&sim, client.close(LONG));
    let states: Vec<_> = block_on(statuses.map(|status| status.state).collect());
    assert_eq!(states, [SourceState::Valid, SourceState::Off]);
    assert_eq!(version(&client, "f1"), 1);
    assert!(client.initialized());
    assert!(client.status().last_error.is_none());
}

/// Case C06: between attempts, with only a timer armed.
#[test]
fn close_while_backing_off_ends_the_timer() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    script.then(stream::empty());
    sim.run();
    assert!(sim.next_sleep().is_some());
    block_on_sim(&sim, client.close(LONG));
    sim.advance(Duration::from_secs(3_600));
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
    assert_eq!((sim.tasks(), sim.next_sleep()), (0, None));
}

/// Runs `future` with the simulated runtime.
fn block_on_sim(sim: &Sim, future: impl Future<Output = ()>) {
    let mut future = Box::pin(future);
    while poll_once(&mut future).is_pending() {
        sim.run();
    }
}

/// B 10.1: nobody runs the runtime, and `close` returns all the same.
#[test]
fn close_returns_within_its_limit_on_a_runtime_that_stands_still() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    sim.run();
    block_on(client.close(SHORT));
    assert_eq!(client.status().state, SourceState::Off);
    assert!(client.status().is_last);
    // The driver ends as soon as it runs again.
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
}

/// B 10.1, 10.3: the driver has its first turn only after the end, or after the order to close.
#[test]
fn a_client_that_is_closed_before_its_driver_ran_asks_nobody() {
    let sim = Sim::default();
    let (closed, feeds) = fed(&sim, &["a"]);
    block_on(closed.close(SHORT));
    sim.run();
    assert_eq!((feeds.log(), sim.tasks()), (Vec::new(), 0));
    assert_eq!(closed.status().state, SourceState::Off);

    let (dropped, feeds) = fed(&sim, &["a"]);
    let statuses = dropped.status_stream();
    drop(dropped);
    sim.run();
    assert_eq!((feeds.log(), sim.tasks()), (Vec::new(), 0));
    let states: Vec<_> = block_on(statuses.map(|status| status.state).collect());
    assert_eq!(states, [SourceState::Initializing, SourceState::Off]);
}

/// B 10.1, case C04.
#[test]
fn close_can_be_called_twice_and_from_many_threads() {
    let sim = Sim::default();
    let (client, _script) = scripted(&sim);
    sim.run();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| block_on(client.close(LONG)));
        }
        while sim.tasks() > 0 {
            sim.run();
        }
    });
    block_on(client.close(LONG));
    block_on(client.close(Duration::ZERO));
    assert_eq!(client.status().state, SourceState::Off);
}

/// B 10.3.
#[test]
fn a_close_that_was_polled_once_goes_on_without_its_future() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    sim.run();
    let mut close = client.close(LONG).boxed();
    assert!(poll_once(&mut close).is_pending());
    drop(close);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
    assert_eq!(client.status().state, SourceState::Off);
}

/// B 10.3.
#[test]
fn dropping_the_last_handle_closes_without_waiting() {
    let sim = Sim::default();
    let (client, script) = scripted(&sim);
    sim.run();
    let other = client.clone();
    let mut wait = client.wait_for_initialization(LONG).boxed();
    assert!(wait.as_mut().now_or_never().is_none());
    drop(client);
    sim.run();
    assert_eq!(sim.tasks(), 1);
    drop(other);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream"]);
    assert!(matches!(block_on(wait), Err(crate::WaitError::Closed(None))));
}

/// A source that hands out its first update, then does `act` on the driver's own thread.
fn acting(act: impl Fn() + Send + Sync + 'static) -> impl crate::CustomSource {
    let act = Arc::new(act);
    move |_: OpenSource| {
        let act = Arc::clone(&act);
        let mut first = Some(full(1, &["f1"]));
        stream::poll_fn(move |_| -> Poll<Option<SourceUpdate>> {
            if let Some(update) = first.take() {
                return Poll::Ready(Some(update));
            }
            act();
            Poll::Pending
        })
        .boxed()
    }
}

fn start_acting(sim: &Sim, act: impl Fn() + Send + Sync + 'static) -> Client {
    let sources = CustomSources::new().with("a", acting(act));
    start_with(sim, synchronizers(&["a"]), Silence, sources)
}

/// B 10.3, case C11.
#[test]
fn the_last_handle_can_be_dropped_on_the_drivers_own_thread() {
    let sim = Sim::default();
    let last = Arc::new(Mutex::new(None::<Client>));
    let held = Arc::clone(&last);
    let client = start_acting(&sim, move || drop(held.lock().unwrap().take()));
    let statuses = client.status_stream();
    *last.lock().unwrap() = Some(client);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert!(last.lock().unwrap().is_none());
    let states: Vec<_> = block_on(statuses.map(|status| status.state).collect());
    assert_eq!(states, [SourceState::Initializing, SourceState::Valid, SourceState::Off]);
}

/// B 10.1, case C04.
#[test]
fn close_can_be_called_on_the_drivers_own_thread() {
    let sim = Sim::default();
    let client = Arc::new(Mutex::new(None::<Client>));
    let held = Arc::clone(&client);
    let started = start_acting(&sim, move || {
        let close = held.lock().unwrap().as_ref().unwrap().close(LONG);
        assert_eq!(close.now_or_never(), None);
    });
    *client.lock().unwrap() = Some(started.clone());
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(started.status().state, SourceState::Off);
    assert_eq!(version(&started, "f1"), 1);
}

/// Cases C04 and C11: by one who listens to flags, in his own thread.
#[test]
fn a_listener_can_close_and_drop_the_last_handle() {
    let (sim, client, feeds) = running(&["a"]);
    let mut changes = client.flag_changes();
    let listener = std::thread::spawn(move || {
        let first = block_on(changes.next());
        block_on(client.close(LONG));
        drop(client);
        (first, block_on(changes.next()))
    });
    feeds.tell("a", full(1, &["f1"]));
    while sim.tasks() > 0 {
        sim.run();
    }
    let (first, second) = listener.join().unwrap();
    assert_eq!(first, Some(crate::FlagChange::Changed("f1".into())));
    assert_eq!(second, None);
}

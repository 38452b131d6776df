//! A busy stream starves neither the clock nor the executor, nor is it starved.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fdv2_core::config::{Config, Polling, Streaming};
use fdv2_core::{Instant, Outcome};
use futures::StreamExt;
use futures::stream;

use super::feed::version;
use super::scripted::{Script, chunk, event_stream, full_transfer};
use super::sim::Sim;
use super::start_with;
use crate::CustomSources;

fn config() -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new())
        .synchronizer(Polling::new())
        .build()
        .unwrap()
}

/// A stream of comments that is always ready, in chunks of this size, and how many were taken.
fn comments(size: usize) -> (impl futures::Stream<Item = Outcome>, Arc<AtomicUsize>) {
    let taken = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&taken);
    let text = format!(":{}\n", "x".repeat(size - 2));
    let chunks = stream::repeat_with(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        chunk(text.clone())
    });
    (stream::iter([event_stream()]).chain(chunks), taken)
}

fn after(time: Duration) -> Instant {
    Instant::from_epoch(time)
}

#[test]
fn the_executor_has_its_turn_after_64_events() {
    let (sim, script) = (Sim::default(), Script::default());
    let (stream, taken) = comments(100);
    script.then(stream);
    let _client = start_with(&sim, config(), script, CustomSources::new());
    let mut before = 0;
    for _ in 0..10 {
        assert!(sim.step());
        let now = taken.load(Ordering::Relaxed);
        assert!((1..=64).contains(&(now - before)), "{} events in one turn", now - before);
        before = now;
    }
}

#[test]
fn the_executor_has_its_turn_after_64_kib() {
    let (sim, script) = (Sim::default(), Script::default());
    let (stream, taken) = comments(1 << 20);
    script.then(stream);
    let _client = start_with(&sim, config(), script, CustomSources::new());
    // Each chunk of 1 MiB is 16 turns of 64 KiB.
    for _ in 0..32 {
        assert!(sim.step());
    }
    assert_eq!(taken.load(Ordering::Relaxed), 2);
}

/// B 3.3: no progress for 10 s, whatever comments arrive.
#[test]
fn a_stream_that_is_always_ready_does_not_hold_up_the_fallback() {
    let (sim, script) = (Sim::default(), Script::default());
    script.then(comments(100).0);
    let _client = start_with(&sim, config(), script.clone(), CustomSources::new());
    sim.step();
    sim.set_now(after(Duration::from_secs(10)));
    sim.step();
    sim.step();
    assert_eq!(script.log(), ["send /sdk/stream", "drop /sdk/stream", "send /sdk/poll"]);
}

/// B 3.11: on one instant, what has arrived goes before the fallback.
#[test]
fn what_has_arrived_goes_before_an_overdue_clock() {
    let (sim, script) = (Sim::default(), Script::default());
    let (sender, received) = futures::channel::mpsc::unbounded();
    script.then(received);
    let client = start_with(&sim, config(), script.clone(), CustomSources::new());
    sender.unbounded_send(event_stream()).unwrap();
    sim.run();
    sender.unbounded_send(chunk(full_transfer("f1", 7))).unwrap();
    sim.set_now(after(Duration::from_secs(10)));
    sim.run();
    assert_eq!(version(&client, "f1"), 7);
    assert_eq!(script.log(), ["send /sdk/stream"]);
}

/// Bytes of a body are cut for the core, and lost nowhere.
#[test]
fn a_transfer_in_one_large_chunk_is_applied_whole() {
    let (sim, script) = (Sim::default(), Script::default());
    let flags: String = (0..2_000).map(|n| full_transfer(&format!("f{n}"), n)).collect();
    script.then(stream::iter([event_stream(), chunk(flags)]).chain(stream::pending()));
    let client = start_with(&sim, config(), script, CustomSources::new());
    sim.run();
    assert_eq!(version(&client, "f1999"), 1_999);
    assert!(client.initialized());
}

//! Counters and gauges of the feature `metrics`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fdv2_core::config::{Config, Polling, StoreMode, Streaming};
use fdv2_core::snapshot::ChangeSetBuilder;
use metrics::{
    Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    with_local_recorder,
};

use super::observing::{answer, head, live_a_whole_life, stay};
use super::reading::{Tables, data, fed, until};
use super::scripted::{Script, chunk, event_stream, full_transfer};
use super::sim::Sim;
use super::start_with;
use crate::Parts;
use crate::store::Store;

/// Keeps what is counted, by name and labels.
#[derive(Default)]
struct Registry {
    values: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
    described: Mutex<Vec<String>>,
}

impl Registry {
    fn place(&self, key: &Key) -> Arc<AtomicU64> {
        let labels: String =
            key.labels().map(|label| format!(" {}={}", label.key(), label.value())).collect();
        let name = format!("{}{labels}", key.name());
        Arc::clone(self.values.lock().unwrap().entry(name).or_default())
    }

    fn counter(&self, name: &str) -> u64 {
        self.values.lock().unwrap().get(name).map_or(0, |value| value.load(Ordering::SeqCst))
    }

    fn gauge(&self, name: &str) -> f64 {
        f64::from_bits(self.counter(name))
    }
}

impl Recorder for Registry {
    fn describe_counter(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.described.lock().unwrap().push(name.as_str().to_owned());
    }

    fn describe_gauge(&self, name: KeyName, _: Option<Unit>, _: SharedString) {
        self.described.lock().unwrap().push(name.as_str().to_owned());
    }

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
        Counter::from_arc(self.place(key))
    }

    fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
        Gauge::from_arc(self.place(key))
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

#[test]
fn the_metrics_say_what_the_stats_say() {
    let registry = Registry::default();
    with_local_recorder(&registry, || {
        let (sim, script) = (Sim::default(), Script::default());
        answer(&script, head(500, &[]), "sorry");
        answer(&script, head(307, &[("location", "/elsewhere")]), "");
        stay(&script, vec![event_stream(), chunk(full_transfer("f", 1)), chunk("data: {{{\n\n")]);
        let config = Config::streaming("sdk-key").build().unwrap();
        let client = start_with(&sim, config, script, Parts::new());
        assert_eq!(registry.gauge("fdv2_clients state=initializing"), 1.0);
        sim.advance(Duration::from_secs(2));
        let stats = client.stats();
        for (name, counted) in [
            ("fdv2_attempts_total kind=stream", stats.streams.started),
            ("fdv2_errors_total kind=stream error=error_response", stats.errors.error_response),
            ("fdv2_redirects_total", stats.redirects),
            ("fdv2_received_bytes_total", stats.received_bytes),
            ("fdv2_change_sets_total", stats.change_sets),
            ("fdv2_source_switches_total", stats.switches),
        ] {
            assert!(counted > 0, "{name}");
            assert_eq!(registry.counter(name), counted, "{name}");
        }
    });
}

/// B 3.3: the source is left while it waits for its next attempt, and has shown no error.
#[test]
fn an_error_between_two_attempts_is_of_no_kind_of_attempt() {
    let registry = Registry::default();
    with_local_recorder(&registry, || {
        let (sim, script) = (Sim::default(), Script::default());
        answer(&script, event_stream(), "event: goodbye\ndata: {}\n\n");
        let patient = Streaming::new().initial_retry_delay(Duration::from_secs(30));
        let config = Config::custom("sdk-key").synchronizer(patient).synchronizer(Polling::new());
        let client = start_with(&sim, config.build().unwrap(), script, Parts::new());
        sim.advance(Duration::from_secs(10));
        let stats = client.stats();
        assert_eq!((stats.errors.network, stats.streams.failed, stats.polls.failed), (1, 0, 0));
        assert_eq!(registry.counter("fdv2_errors_total kind=none error=network"), 1);
    });
}

/// Sums over all clients of the process: each takes away what it has added.
#[test]
fn gauges_count_the_clients_that_there_are_and_what_they_hold() {
    let registry = Registry::default();
    with_local_recorder(&registry, || {
        let sims = [Sim::default(), Sim::default()];
        let clients = sims.each_ref().map(|sim| {
            let script = Script::default();
            stay(&script, vec![event_stream(), chunk(full_transfer("f", 1))]);
            let config = Config::streaming("sdk-key").build().unwrap();
            let client = start_with(sim, config, script, Parts::new());
            sim.run();
            client
        });
        assert_eq!(registry.gauge("fdv2_clients state=valid"), 2.0);
        assert_eq!(registry.gauge("fdv2_clients state=initializing"), 0.0);
        assert_eq!(registry.gauge("fdv2_objects"), 2.0);
        sims[0].drop_runtime();
        assert_eq!(registry.gauge("fdv2_clients state=valid"), 1.0);
        assert_eq!(registry.gauge("fdv2_objects"), 1.0);
        drop(clients);
        sims[1].run();
        assert_eq!(registry.gauge("fdv2_clients state=valid"), 0.0);
        assert_eq!(registry.gauge("fdv2_clients state=off"), 0.0);
        assert_eq!(registry.gauge("fdv2_objects"), 0.0);
    });
}

#[test]
fn the_work_of_the_store_is_counted() {
    let registry = Registry::default();
    with_local_recorder(&registry, || {
        let (sim, tables) = (Sim::default(), Tables::default());
        let (client, sender) = fed(&sim, Store::new(tables.clone()), StoreMode::ReadWrite);
        tables.set_down(true);
        sender.unbounded_send(data(ChangeSetBuilder::full())).unwrap();
        until(&sim, || client.stats().store.failed_writes == 1);
        sim.advance(Duration::from_millis(500));
        until(&sim, || client.stats().store.failed_probes == 1);
        assert_eq!(registry.counter("fdv2_store_writes_total"), 1);
        assert_eq!(registry.counter("fdv2_store_failures_total call=write"), 1);
        assert_eq!(registry.counter("fdv2_store_failures_total call=probe"), 1);
    });
}

/// What is counted is described, and the other way round.
#[test]
fn each_metric_is_described() {
    let registry = Registry::default();
    with_local_recorder(&registry, || {
        let config = Config::offline().build().unwrap();
        drop(start_with(&Sim::default(), config, Script::default(), Parts::new()));
    });
    let described = registry.described.lock().unwrap().clone();
    for name in [
        "fdv2_attempts_total",
        "fdv2_errors_total",
        "fdv2_redirects_total",
        "fdv2_received_bytes_total",
        "fdv2_change_sets_total",
        "fdv2_source_switches_total",
        "fdv2_store_writes_total",
        "fdv2_store_records_total",
        "fdv2_store_failures_total",
        "fdv2_store_unreadable_records_total",
        "fdv2_clients",
        "fdv2_objects",
    ] {
        assert!(described.iter().any(|described| described == name), "{name}");
    }
    assert_eq!(described.len(), 12);
}

/// Panics when it has been called so many times, and from then on.
struct Fragile {
    calls: AtomicUsize,
    bears: usize,
}

impl Fragile {
    fn bear(&self) {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        assert!(calls < self.bears, "a panic that the test wants");
    }
}

impl Recorder for Fragile {
    fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        self.bear();
    }

    fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {
        self.bear();
    }

    fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

    fn register_counter(&self, _: &Key, _: &Metadata<'_>) -> Counter {
        self.bear();
        Counter::noop()
    }

    fn register_gauge(&self, _: &Key, _: &Metadata<'_>) -> Gauge {
        self.bear();
        Gauge::noop()
    }

    fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
        Histogram::noop()
    }
}

/// From the start to the end, whenever it begins.
#[test]
fn a_recorder_that_panics_does_the_client_no_harm() {
    for bears in 0.. {
        let fragile = Fragile { calls: AtomicUsize::new(0), bears };
        with_local_recorder(&fragile, live_a_whole_life);
        let calls = fragile.calls.into_inner();
        if calls <= bears {
            assert!(bears > 20, "all of a life was tried");
            break;
        }
    }
}

//! What a client counts of its work.

use std::time::Duration;

use fdv2_core::config::StoreMode;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
#[cfg(any(feature = "metrics", feature = "tracing"))]
use fdv2_core::status::SourceState;
use fdv2_core::{Config, Outcome, ResponseHead};
use futures::StreamExt;
use futures::executor::block_on;
use futures::stream;
use http::HeaderMap;

use super::evaluating::user;
use super::feed::{changes, failed_finally, full, running};
use super::reading::{Tables, data, fed, until};
use super::scripted::{Script, chunk, event_stream, full_transfer};
use super::sim::Sim;
use super::start_with;
use crate::store::Store;
use crate::{AttemptStats, Client, Parts, Stats};

/// A response's head with this status and these headers.
pub(super) fn head(status: u16, headers: &[(&'static str, &str)]) -> Outcome {
    let pairs = headers
        .iter()
        .map(|(name, value)| (http::HeaderName::from_static(name), value.parse().unwrap()));
    Outcome::ResponseHead(ResponseHead { status, headers: HeaderMap::from_iter(pairs) })
}

/// A whole response.
pub(super) fn answer(script: &Script, head: Outcome, body: &str) {
    let end = Outcome::ResponseEnd(Ok(()));
    script.then(stream::iter([head, chunk(body), end]));
}

/// A response that goes on for ever after these outcomes.
pub(super) fn stay(script: &Script, outcomes: Vec<Outcome>) {
    script.then(stream::iter(outcomes).chain(stream::pending()));
}

/// A client that asks by what was scripted, and has asked for the first time.
fn client_of(config: Config, script: &Script) -> (Sim, Client) {
    let sim = Sim::default();
    let client = start_with(&sim, config, script.clone(), Parts::new());
    sim.run();
    (sim, client)
}

/// The life of a client from its start to its end, with a transfer and a failure, in which all goes
/// as it should.
#[cfg(any(feature = "metrics", feature = "tracing"))]
pub(super) fn live_a_whole_life() {
    let script = Script::default();
    answer(&script, head(500, &[]), "sorry");
    stay(&script, vec![event_stream(), chunk(full_transfer("f", 1))]);
    let (sim, client) = client_of(Config::streaming("sdk-key").build().unwrap(), &script);
    sim.advance(Duration::from_secs(2));
    assert!(client.initialized());
    assert_eq!(client.status().state, SourceState::Valid);
    assert_eq!(client.stats().change_sets, 1);
    drop(client);
    sim.run();
    assert_eq!(sim.tasks(), 0);
}

fn attempts(started: u64, failed: u64) -> AttemptStats {
    AttemptStats { started, failed }
}

#[test]
fn a_client_that_has_done_nothing_has_counted_nothing() {
    let (_sim, client) = client_of(Config::offline().build().unwrap(), &Script::default());
    assert_eq!(client.stats(), Stats::default());
}

/// A failure, a redirect, a transfer, and data that makes no sense.
#[test]
fn attempts_failures_redirects_bytes_and_change_sets_are_counted() {
    let script = Script::default();
    answer(&script, head(500, &[]), "sorry");
    answer(&script, head(307, &[("location", "/elsewhere")]), "");
    let transfer = full_transfer("f", 1);
    let nonsense = "event: put-object\ndata: {{{\n\n";
    stay(&script, vec![event_stream(), chunk(transfer.clone()), chunk(nonsense)]);
    let (sim, client) = client_of(Config::streaming("sdk-key").build().unwrap(), &script);
    assert_eq!(client.stats().streams, attempts(1, 1));

    // The first delay is 1 s at most, the second is at least as long.
    sim.advance(Duration::from_secs(1));
    let stats = client.stats();
    // A redirect is the same attempt.
    assert_eq!(stats.streams, attempts(2, 2));
    assert_eq!((stats.polls, stats.fdv1_polls, stats.custom), Default::default());
    assert_eq!(stats.redirects, 1);
    assert_eq!(stats.received_bytes as usize, transfer.len() + nonsense.len());
    assert_eq!((stats.change_sets, stats.objects, stats.switches), (1, 1, 1));
    let errors = (stats.errors.error_response, stats.errors.invalid_data, stats.errors.network);
    assert_eq!(errors, (1, 1, 0));
}

/// B 8.5: the next source begins in the same step as the one with too many redirects ends.
#[test]
fn the_redirect_that_is_one_too_many_is_a_failure_and_the_next_source_an_attempt() {
    let script = Script::default();
    for _ in 0..=10 {
        answer(&script, head(302, &[("location", "/again")]), "");
    }
    let (_sim, client) = client_of(Config::builder("sdk-key").build().unwrap(), &script);
    let stats = client.stats();
    assert_eq!((stats.redirects, stats.errors.network), (10, 1));
    assert_eq!((stats.polls, stats.streams), (attempts(1, 1), attempts(1, 0)));
    assert_eq!(stats.switches, 2);
}

/// B 5.
#[test]
fn polls_of_the_fdv1_fallback_are_counted_apart() {
    let script = Script::default();
    answer(&script, head(403, &[("x-ld-fd-fallback", "true")]), "");
    answer(&script, head(200, &[]), r#"{"flags":{"a":{"version":1},"b":{"version":1}}}"#);
    let (_sim, client) = client_of(Config::polling("sdk-key").build().unwrap(), &script);
    let stats = client.stats();
    assert_eq!((stats.polls, stats.fdv1_polls), (attempts(1, 1), attempts(1, 0)));
    assert_eq!((stats.change_sets, stats.objects), (1, 2));
}

/// B 3.12.
#[test]
fn attempts_of_custom_sources_are_counted() {
    let (sim, client, feeds) = running(&["a", "b"]);
    feeds.tell("a", full(1, &["f"]));
    feeds.tell("a", failed_finally());
    sim.run();
    assert_eq!(client.stats().custom, attempts(2, 1));
    assert_eq!(client.stats().errors.other, 1);
}

/// B 7.3.
#[test]
fn what_slow_listeners_lose_is_counted() {
    let (sim, client, feeds) = running(&["a"]);
    let _slow = client.flag_changes();
    feeds.tell("a", full(1, &["f"]));
    for version in 2..=69 {
        feeds.tell("a", changes(version, &["f"]));
    }
    sim.run();
    assert_eq!(client.stats().lost_entries, 5);
    assert_eq!(client.stats().change_sets, 69);
}

/// B 9.6.
#[test]
fn writes_probes_and_their_failures_are_counted() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let store = Store::new(tables.clone());
    let (client, sender) = fed(&sim, store.clone(), StoreMode::ReadWrite);
    tables.set_down(true);
    let mut change_set = ChangeSetBuilder::full();
    for key in ["a", "b"] {
        change_set.put(Kind::Flag, key, 1, "{}").unwrap();
    }
    sender.unbounded_send(data(change_set)).unwrap();
    until(&sim, || client.stats().store.failed_writes == 1);
    sim.advance(Duration::from_millis(500));
    until(&sim, || client.stats().store.failed_probes == 1);
    tables.set_down(false);
    sim.advance(Duration::from_millis(500));
    until(&sim, || client.store_status().is_available);
    let counted = client.stats().store;
    assert_eq!((counted.writes, counted.records, counted.failed_writes), (2, 4, 1));
    assert_eq!((counted.probes, counted.failed_probes), (2, 1));
}

/// B 9.5, 9.10: what hangs, and reads.
#[test]
fn writes_that_are_given_up_and_reads_that_fail_are_counted() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let store = Store::new(tables.clone());
    let (client, sender) = fed(&sim, store, StoreMode::ReadWrite);
    tables.set_down(true);
    assert!(!block_on(client.through_store().bool_variation(&user(), "f", false)));
    until(&sim, || client.stats().store.failed_reads == 1);
    tables.set_down(false);
    sim.advance(Duration::from_millis(500));
    until(&sim, || client.store_status().is_available);

    tables.set_hanging(true);
    sender.unbounded_send(data(ChangeSetBuilder::full())).unwrap();
    sim.advance(Duration::from_secs(30));
    let counted = client.stats().store;
    assert_eq!((counted.writes, counted.failed_writes), (1, 1));
    tables.set_hanging(false);
}

//! Spans and events of the feature `tracing`.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fdv2_core::config::StoreMode;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Config, Outcome, TransportError, TransportErrorKind};
use futures::stream;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::with_default;
use tracing::{Event, Metadata, Subscriber};

use super::observing::{answer, head, live_a_whole_life, stay};
use super::reading::{Tables, data, fed, until};
use super::scripted::{Script, chunk, event_stream, full_transfer};
use super::sim::Sim;
use super::start_with;
use crate::Parts;
use crate::store::Store;

/// Keeps everything that it is told, of every level.
#[derive(Clone, Default)]
struct Capture(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    /// The spans in the order in which they were made, each with its parent.
    spans: Vec<(String, Option<u64>)>,
    /// Level and text of each event, with the path of spans that it is in.
    events: Vec<(String, String)>,
    closed: BTreeMap<u64, bool>,
}

/// Writes fields one after another, the message first.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}{}", self.0);
        } else {
            self.0 += &format!(" {}={value:?}", field.name());
        }
    }
}

impl Capture {
    fn path(&self, span: Option<u64>) -> String {
        let inner = self.0.lock().unwrap();
        let mut path = String::new();
        let mut next = span;
        while let Some(id) = next {
            let (name, parent) = &inner.spans[id as usize - 1];
            path = format!("{name}/{path}");
            next = *parent;
        }
        path
    }

    /// The events so far: `LEVEL message field=value`.
    fn events(&self) -> Vec<String> {
        self.0.lock().unwrap().events.iter().map(|(_, event)| event.clone()).collect()
    }

    /// Everything that was ever told.
    fn everything(&self) -> String {
        let inner = self.0.lock().unwrap();
        format!("{:?} {:?}", inner.spans, inner.events)
    }
}

impl Subscriber for Capture {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Text::default();
        attributes.record(&mut fields);
        let mut inner = self.0.lock().unwrap();
        let name = format!("{}{}", attributes.metadata().name(), fields.0);
        inner.spans.push((name, attributes.parent().map(Id::into_u64)));
        Id::from_u64(inner.spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut text = Text::default();
        event.record(&mut text);
        let path = self.path(event.parent().map(Id::into_u64));
        let text = format!("{} {}", event.metadata().level(), text.0);
        self.0.lock().unwrap().events.push((path, text));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn try_close(&self, id: Id) -> bool {
        self.0.lock().unwrap().closed.insert(id.into_u64(), true);
        true
    }
}

/// A stream that brings data, then breaks.
#[test]
fn the_life_of_an_attempt_is_told_in_its_span() {
    let capture = Capture::default();
    with_default(capture.clone(), || {
        let (sim, script) = (Sim::default(), Script::default());
        let transfer = full_transfer("f", 1);
        let broken = TransportError { kind: TransportErrorKind::Broken, message: "cut".into() };
        let outcomes = [event_stream(), chunk(transfer), Outcome::ResponseEnd(Err(broken))];
        script.then(stream::iter(outcomes));
        let config = Config::streaming("sdk-key").build().unwrap();
        let client = start_with(&sim, config, script, Parts::new());
        sim.run();

        let url = "https://stream.launchdarkly.com/sdk/stream";
        let bytes = client.stats().received_bytes;
        assert_eq!(
            capture.events(),
            [
                "INFO source switched to=Some(Synchronizer(0)) why=Started".to_owned(),
                "DEBUG attempt started".to_owned(),
                "DEBUG response status=200".to_owned(),
                format!("TRACE received bytes={bytes}"),
                "DEBUG change set applied revision=1 objects=1".to_owned(),
                "INFO source status state=Valid is_last=false".to_owned(),
                "INFO ready".to_owned(),
                "WARN attempt failed kind=Network error=\"cut\"".to_owned(),
                "INFO source status state=Interrupted is_last=false".to_owned(),
                "DEBUG attempt ended".to_owned(),
            ]
        );
        let inner = capture.0.lock().unwrap();
        let id = client.instance_id();
        let outer = format!("client instance_id=\"{id}\"/");
        let inside = format!("{outer}attempt kind=\"stream\" url=\"{url}\"/");
        assert!(inner.events.iter().all(|(path, _)| *path == outer || *path == inside));
        assert_eq!(inner.events[1].0, inside);
        assert_eq!(inner.events[9].0, inside);
        assert_eq!(inner.closed.keys().copied().collect::<Vec<_>>(), [2], "the attempt's");
    });
}

#[test]
fn the_work_of_the_store_is_told() {
    let capture = Capture::default();
    with_default(capture.clone(), || {
        let (sim, tables) = (Sim::default(), Tables::default());
        let (client, sender) = fed(&sim, Store::new(tables.clone()), StoreMode::ReadWrite);
        tables.set_down(true);
        sender.unbounded_send(data(ChangeSetBuilder::full())).unwrap();
        until(&sim, || !client.store_status().is_available);
        tables.set_down(false);
        sim.advance(Duration::from_millis(500));
        until(&sim, || client.store_status().is_available);
    });
    let of_store = |event: &String| event.contains("store ");
    assert_eq!(
        capture.events().into_iter().filter(of_store).collect::<Vec<_>>(),
        [
            "DEBUG store write started records=0",
            "WARN store write failed error=down",
            "INFO store status is_available=false is_stale=true",
            "TRACE store probe started",
            "DEBUG the store answers",
            "DEBUG store write started records=0",
            "DEBUG store written",
            "INFO store status is_available=true is_stale=false",
        ]
    );
}

/// B 11.1, cases H01 and H06: whatever happens, at every level.
#[test]
fn b_11_1_no_event_and_no_span_holds_the_sdk_key() {
    let capture = Capture::default();
    with_default(capture.clone(), || {
        let (sim, script) = (Sim::default(), Script::default());
        answer(&script, head(500, &[]), "sorry");
        answer(&script, head(307, &[("location", "http://elsewhere.invalid/x")]), "");
        answer(&script, head(200, &[("content-type", "text/html")]), "<html>");
        stay(&script, vec![event_stream(), chunk(full_transfer("f", 1)), chunk("data: {{{\n\n")]);
        answer(&script, head(401, &[]), "");
        let config = Config::builder("sdk-s3cr3t").build().unwrap();
        let client = start_with(&sim, config, script, Parts::new());
        sim.advance(Duration::from_secs(600));
        assert!(client.stats().streams.started > 2);
        sim.drop_runtime();
    });
    let everything = capture.everything();
    assert!(everything.contains("elsewhere.invalid"), "{everything}");
    assert!(!everything.contains("s3cr3t"), "{everything}");
    assert!(!everything.to_lowercase().contains("authorization"), "{everything}");
}

/// Panics when it has been called so many times, and from then on, as one does whose lock was
/// poisoned.
struct Fragile {
    calls: Arc<AtomicUsize>,
    bears: usize,
}

impl Fragile {
    fn bear(&self) {
        let calls = self.calls.fetch_add(1, Ordering::SeqCst);
        assert!(calls < self.bears, "a panic that the test wants");
    }
}

impl Subscriber for Fragile {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.bear();
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.bear();
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}

    fn try_close(&self, _: Id) -> bool {
        self.bear();
        true
    }
}

/// From the start to the end, whenever it begins.
#[test]
fn a_subscriber_that_panics_does_the_client_no_harm() {
    for bears in 0.. {
        let calls = Arc::<AtomicUsize>::default();
        let fragile = Fragile { calls: Arc::clone(&calls), bears };
        with_default(fragile, live_a_whole_life);
        if calls.load(Ordering::SeqCst) <= bears {
            assert!(bears > 10, "all of a life was tried");
            break;
        }
    }
}

//! Custom sources that tests feed, and the flags to feed them with.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use fdv2_core::config::{Config, Custom};
use fdv2_core::effect::CustomError;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_core::status::ErrorKind;
use fdv2_core::{OpenSource, Selector, SourceUpdate};
use futures::channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};

use super::sim::Sim;
use super::{Silence, start_with};
use crate::{Client, CustomSource, Parts};

/// All feeds of one client, and what became of them in order: `open a`, `drop a`.
#[derive(Clone, Default)]
pub(crate) struct Feeds(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    senders: HashMap<&'static str, UnboundedSender<SourceUpdate>>,
    log: Vec<String>,
}

impl Feeds {
    /// Tells the client something as the open source of this name.
    pub(crate) fn tell(&self, name: &'static str, update: SourceUpdate) {
        self.0.lock().unwrap().senders[name].unbounded_send(update).unwrap();
    }

    /// Lets the open source of this name end by itself.
    pub(crate) fn end(&self, name: &'static str) {
        self.0.lock().unwrap().senders.remove(name);
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.0.lock().unwrap().log.clone()
    }

    pub(crate) fn source(&self, name: &'static str) -> impl CustomSource + use<> {
        Feed { name, feeds: self.clone() }
    }

    fn write(&self, what: &str, name: &str) {
        self.0.lock().unwrap().log.push(format!("{what} {name}"));
    }
}

struct Feed {
    name: &'static str,
    feeds: Feeds,
}

impl CustomSource for Feed {
    fn open(&self, _: OpenSource) -> BoxStream<'static, SourceUpdate> {
        self.feeds.write("open", self.name);
        let (sender, updates) = unbounded();
        self.feeds.0.lock().unwrap().senders.insert(self.name, sender);
        Open { name: self.name, feeds: self.feeds.clone(), updates }.boxed()
    }
}

struct Open {
    name: &'static str,
    feeds: Feeds,
    updates: UnboundedReceiver<SourceUpdate>,
}

impl Stream for Open {
    type Item = SourceUpdate;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<SourceUpdate>> {
        self.updates.poll_next_unpin(cx)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.feeds.write("drop", self.name);
    }
}

/// As [`fed`], with a runtime of its own, on which the sources have been opened.
pub(crate) fn running(names: &[&'static str]) -> (Sim, Client, Feeds) {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, names);
    sim.run();
    (sim, client, feeds)
}

/// A client whose synchronizers are the feeds of these names.
pub(crate) fn fed(sim: &Sim, names: &[&'static str]) -> (Client, Feeds) {
    fed_with(sim, names, Parts::new())
}

/// The same with more parts.
pub(crate) fn fed_with(sim: &Sim, names: &[&'static str], parts: Parts) -> (Client, Feeds) {
    let feeds = Feeds::default();
    let add = |parts: Parts, name: &&'static str| parts.custom_source(name, feeds.source(name));
    let parts = names.iter().fold(parts, add);
    (start_with(sim, synchronizers(names), Silence, parts), feeds)
}

/// A configuration with custom synchronizers of these names.
pub(crate) fn synchronizers(names: &[&str]) -> Config {
    let mut builder = Config::custom("sdk-key");
    for name in names {
        builder = builder.synchronizer(Custom::new(*name));
    }
    builder.build().unwrap()
}

/// Replaces everything by these flags, all in this version.
pub(crate) fn full(version: u64, flags: &[&str]) -> SourceUpdate {
    put(ChangeSetBuilder::full(), version, flags)
}

/// Puts these flags in this version.
pub(crate) fn changes(version: u64, flags: &[&str]) -> SourceUpdate {
    put(ChangeSetBuilder::changes(), version, flags)
}

fn put(mut builder: ChangeSetBuilder, version: u64, flags: &[&str]) -> SourceUpdate {
    for key in flags {
        let object = format!(r#"{{"key":"{key}","version":{version},"on":true}}"#);
        builder.put(Kind::Flag, key, version, &object).unwrap();
    }
    let selector = Selector::new(format!("s{version}"), version);
    let change_set: ChangeSet = builder.finish(Some(selector));
    SourceUpdate::ChangeSet(Box::new(change_set))
}

pub(crate) fn failed_finally() -> SourceUpdate {
    SourceUpdate::FailedFinally(CustomError {
        kind: ErrorKind::Unknown,
        message: "the test wants it so".into(),
    })
}

/// The version of a flag that readers see, 0 for none.
pub(crate) fn version(client: &Client, key: &str) -> u64 {
    client.snapshot().core().flag(key).map_or(0, |flag| flag.version())
}

//! The data, and who is open for it.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fdv2_core::effect::CustomError;
use fdv2_core::model::Kind;
use fdv2_core::protocol::InvalidData;
use fdv2_core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_core::{Limits, OpenSource, Selector, Snapshot, SourceUpdate};
use serde_json::Value;

use super::feed::{Feed, Sender, feed};
use super::{FlagBuilder, TestDataError};
use crate::wakes::Wakes;

/// Sets the selectors of one data apart from those of another.
static MADE: AtomicU64 = AtomicU64::new(0);

#[derive(Debug)]
pub(super) struct State {
    name: Arc<str>,
    /// Counts the changes. Makes the selectors.
    number: u64,
    items: BTreeMap<(Kind, String), Item>,
    snapshot: Arc<Snapshot>,
    open: Vec<Open>,
    /// Counts the outages.
    outages: u64,
    outage: Option<CustomError>,
    /// Whom to wake once nothing is locked.
    pub(super) wakes: Wakes,
}

/// A client that is open.
#[derive(Debug)]
struct Open {
    sender: Sender,
    /// The outage that it was told of.
    told: Arc<AtomicU64>,
}

/// A flag or segment, or what is left of one that was deleted.
#[derive(Debug, Default)]
struct Item {
    version: u64,
    object: Option<Arc<str>>,
    /// What it was made with, if it was.
    builder: Option<FlagBuilder>,
}

impl State {
    pub(super) fn new() -> Self {
        let made = MADE.fetch_add(1, Ordering::Relaxed);
        let mut state = Self {
            name: format!("test-data-{made}").into(),
            number: 0,
            items: BTreeMap::new(),
            snapshot: Arc::default(),
            open: Vec::new(),
            outages: 0,
            outage: None,
            wakes: Wakes::default(),
        };
        let nothing = state.everything();
        state.apply(nothing);
        state
    }

    pub(super) fn name(&self) -> Arc<str> {
        Arc::clone(&self.name)
    }

    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot)
    }

    pub(super) fn builder(&self, key: &str) -> Option<FlagBuilder> {
        self.items.get(&(Kind::Flag, key.to_owned()))?.builder.clone()
    }

    pub(super) fn update(&mut self, flag: FlagBuilder) {
        let key = flag.key().to_owned();
        let version = self.next_version(Kind::Flag, &key);
        let object = flag.object(version).to_string();
        let set = self.set(Kind::Flag, key, version, &object, Some(flag));
        debug_assert_eq!(set, Ok(()), "what a builder makes can be decoded");
    }

    pub(super) fn put(&mut self, kind: Kind, mut object: Value) -> Result<(), TestDataError> {
        let key = object.get("key").and_then(Value::as_str).map(str::to_owned);
        let key = key.ok_or(TestDataError::NoKey)?;
        let own = object.get("version").and_then(Value::as_u64).unwrap_or(0);
        let version = self.next_version(kind, &key).max(own);
        if let Some(members) = object.as_object_mut() {
            members.insert("version".to_owned(), version.into());
        }
        self.set(kind, key, version, &object.to_string(), None).map_err(TestDataError::Undecodable)
    }

    pub(super) fn delete(&mut self, kind: Kind, key: &str) {
        let version = self.next_version(kind, key);
        let mut changes = changes();
        // There are no limits that one deletion could go over.
        let _ = changes.delete(kind, key, version);
        self.items.insert((kind, key.to_owned()), Item { version, ..Item::default() });
        self.publish(changes);
    }

    fn next_version(&self, kind: Kind, key: &str) -> u64 {
        self.items.get(&(kind, key.to_owned())).map_or(0, |item| item.version).saturating_add(1)
    }

    fn set(
        &mut self,
        kind: Kind,
        key: String,
        version: u64,
        object: &str,
        builder: Option<FlagBuilder>,
    ) -> Result<(), InvalidData> {
        let mut changes = changes();
        changes.put(kind, &key, version, object)?;
        let object = Some(object.into());
        self.items.insert((kind, key), Item { version, object, builder });
        self.publish(changes);
        Ok(())
    }

    fn publish(&mut self, changes: ChangeSetBuilder) {
        self.number += 1;
        let changes = changes.finish(Some(self.selector()));
        self.apply(changes.clone());
        if self.outage.is_none() {
            self.tell(&changes.into());
        }
    }

    fn apply(&mut self, changes: ChangeSet) {
        if let Ok(commit) = Snapshot::apply(&self.snapshot, changes, &without_limits()) {
            self.snapshot = commit.snapshot;
        }
    }

    /// Tells every client that is open.
    fn tell(&mut self, update: &SourceUpdate) {
        let (open, mut wakes) = (mem::take(&mut self.open), mem::take(&mut self.wakes));
        let everything = || self.everything().into();
        let is_there = |open: &Open| open.sender.send(update.clone(), everything, &mut wakes);
        let open = open.into_iter().filter(is_there).collect();
        (self.open, self.wakes) = (open, wakes);
    }

    fn selector(&self) -> Selector {
        Selector::new(format!("{}-{}", self.name, self.number), self.number)
    }

    /// All there is.
    pub(super) fn everything(&self) -> ChangeSet {
        let mut all = ChangeSetBuilder::full().limits(without_limits());
        for ((kind, key), item) in &self.items {
            if let Some(object) = &item.object {
                // It was decoded before.
                let _ = all.put(*kind, key, item.version, object);
            }
        }
        all.finish(Some(self.selector()))
    }

    pub(super) fn interrupt(&mut self, error: CustomError) {
        self.outages += 1;
        for open in mem::take(&mut self.open) {
            if open.sender.push(SourceUpdate::Failed(error.clone()), &mut self.wakes) {
                open.told.store(self.outages, Ordering::Relaxed);
            }
        }
        self.outage = Some(error);
    }

    pub(super) fn resume(&mut self) {
        if self.outage.take().is_some() {
            let everything = self.everything().into();
            self.tell(&everything);
        }
    }

    pub(super) fn fail_for_good(&mut self, error: CustomError) {
        for open in mem::take(&mut self.open) {
            open.sender.push(SourceUpdate::FailedFinally(error.clone()), &mut self.wakes);
        }
    }

    /// Opens it for a client, which has been told of the outage in `told`.
    pub(super) fn open(&mut self, open: &OpenSource, told: &Arc<AtomicU64>) -> Feed {
        let (sender, feed) = feed();
        let first = match &self.outage {
            None if open.basis.as_ref() == Some(&self.selector()) => Some(SourceUpdate::Unchanged),
            None => Some(self.everything().into()),
            Some(error) => {
                let is_new = told.swap(self.outages, Ordering::Relaxed) != self.outages;
                is_new.then(|| SourceUpdate::Failed(error.clone()))
            }
        };
        if let Some(first) = first {
            sender.push(first, &mut self.wakes);
        }
        self.open.retain(|open| open.sender.is_open());
        self.open.push(Open { sender, told: Arc::clone(told) });
        feed
    }
}

fn changes() -> ChangeSetBuilder {
    ChangeSetBuilder::changes().limits(without_limits())
}

/// What a test sets is its own matter; a client has its limits all the same.
fn without_limits() -> Limits {
    Limits {
        transfer_bytes: usize::MAX,
        transfer_objects: usize::MAX,
        held_bytes: usize::MAX,
        held_objects: usize::MAX,
        ..Limits::default()
    }
}

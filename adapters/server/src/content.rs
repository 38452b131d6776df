//! What is served: every item with its version and the load that last changed it.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use fdv2_core::model::Kind;
use fdv2_core::protocol::encode;
use fdv2_files::{FileItem, ItemId};
use serde_json::Value;

/// So many deleted items are remembered; beyond that, clients from before get a full transfer.
const MAX_DELETED: usize = 100_000;

/// The data of one load of the file, with what clients of earlier loads have to be told.
#[derive(Debug)]
pub(crate) struct Content {
    run: Arc<str>,
    number: u64,
    /// Deletions are remembered from this load on.
    remembers_since: u64,
    /// In the order of their ids.
    entries: Vec<Entry>,
    fdv1_body: OnceLock<Bytes>,
}

/// One flag or segment, or what is left of one that was deleted.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) id: ItemId,
    pub(crate) version: u64,
    /// The load that last changed it.
    changed_in: u64,
    data: Option<Data>,
}

#[derive(Clone, Debug)]
struct Data {
    /// The item as the file has it, to tell whether it changed.
    source: Arc<str>,
    /// The item as it is served, with key and version.
    object: Arc<str>,
}

/// What a client that names a basis has to be sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Everything.
    Full,
    /// What changed after this load.
    ChangesSince(u64),
    /// Nothing.
    Nothing,
}

impl Content {
    /// The first load of a server run.
    pub(crate) fn first(run: impl Into<Arc<str>>, items: &[FileItem]) -> Self {
        let entries = items.iter().map(|item| Entry::new(item, None, 1)).collect();
        Self::new(run.into(), 1, 1, entries)
    }

    fn new(run: Arc<str>, number: u64, remembers_since: u64, entries: Vec<Entry>) -> Self {
        Self { run, number, remembers_since, entries, fdv1_body: OnceLock::new() }
    }

    /// The next load; `None` if it says what is served already.
    pub(crate) fn next(&self, items: &[FileItem]) -> Option<Self> {
        let number = self.number + 1;
        let mut entries = Vec::with_capacity(items.len());
        let mut old = self.entries.iter().peekable();
        for item in items {
            while let Some(gone) = old.next_if(|entry| entry.id < item.id) {
                entries.push(gone.deleted(number));
            }
            let previous = old.next_if(|entry| entry.id == item.id);
            entries.push(Entry::new(item, previous, number));
        }
        entries.extend(old.map(|gone| gone.deleted(number)));
        let is_changed = entries.iter().any(|entry| entry.changed_in == number);
        let mut next = Self::new(self.run.clone(), number, self.remembers_since, entries);
        next.forget_deleted();
        is_changed.then_some(next)
    }

    fn forget_deleted(&mut self) {
        let deleted = self.entries.iter().filter(|entry| !entry.is_live()).count();
        if deleted > MAX_DELETED {
            self.entries.retain(Entry::is_live);
            self.remembers_since = self.number;
        }
    }

    /// Counts the loads that changed something.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// The selector's state: unique for the server run and the content.
    pub(crate) fn state(&self) -> String {
        format!("{}-{}", self.run, self.number)
    }

    /// All items in the order of their ids, deleted ones included.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The body of an FDv1 poll, made when it is first asked for.
    pub(crate) fn fdv1_body(&self) -> Bytes {
        let make = || encode::fdv1_body(self.live(Kind::Flag), self.live(Kind::Segment)).into();
        self.fdv1_body.get_or_init(make).clone()
    }

    /// Keys and objects of all that is served of one kind.
    pub(crate) fn live(&self, kind: Kind) -> impl Iterator<Item = (&str, &str)> {
        let entries = self.entries.iter().filter(move |entry| entry.id.kind == kind);
        entries.filter_map(|entry| entry.object().map(|object| (&*entry.id.key, &**object)))
    }

    /// The items that changed after the load of this number.
    pub(crate) fn changed_since(&self, number: u64) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(move |entry| entry.changed_in > number)
    }

    /// What a client needs that has applied the load of this number.
    pub(crate) fn need_after(&self, number: u64) -> Need {
        if number == self.number {
            Need::Nothing
        } else if (self.remembers_since..self.number).contains(&number) {
            Need::ChangesSince(number)
        } else {
            Need::Full
        }
    }

    /// What a client needs that names this basis.
    pub(crate) fn need_of(&self, basis: Option<&str>) -> Need {
        let number = basis
            .and_then(|basis| basis.strip_prefix(&*self.run))
            .and_then(|rest| rest.strip_prefix('-'))
            .and_then(|number| number.parse().ok());
        number.map_or(Need::Full, |number| self.need_after(number))
    }
}

impl Entry {
    fn new(item: &FileItem, previous: Option<&Entry>, number: u64) -> Self {
        if let Some(same) = previous.filter(|entry| entry.is_from(&item.source)) {
            return same.clone();
        }
        let floor = previous.map_or(0, |entry| entry.version.saturating_add(1));
        let version = item.version.unwrap_or(number).max(floor);
        let object = item.object(version);
        let data = Data { source: item.source.clone(), object };
        Self { id: item.id.clone(), version, changed_in: number, data: Some(data) }
    }

    fn deleted(&self, number: u64) -> Self {
        if !self.is_live() {
            return self.clone();
        }
        let version = self.version.saturating_add(1);
        Self { id: self.id.clone(), version, changed_in: number, data: None }
    }

    /// Whether the file says the same as before, whatever the order of members.
    fn is_from(&self, source: &str) -> bool {
        let parse = |text: &str| serde_json::from_str::<Value>(text).ok();
        self.data.as_ref().is_some_and(|data| {
            *data.source == *source
                || parse(&data.source).is_some_and(|old| parse(source) == Some(old))
        })
    }

    pub(crate) fn is_live(&self) -> bool {
        self.data.is_some()
    }

    /// Whether a client with this need is sent the item.
    pub(crate) fn is_needed(&self, need: Need) -> bool {
        match need {
            Need::Full => self.is_live(),
            Need::ChangesSince(number) => self.changed_in > number,
            Need::Nothing => false,
        }
    }

    /// The item as it is served; `None` if it was deleted.
    pub(crate) fn object(&self) -> Option<&Arc<str>> {
        self.data.as_ref().map(|data| &data.object)
    }
}

#[cfg(test)]
mod tests;

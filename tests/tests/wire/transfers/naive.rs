//! The transfers of one client as a naive model: lists, ordered maps, and no cleverness.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::script::{Content, Event, Id};

/// What stands in the place of one key.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Place {
    Live(Content),
    Tombstone(u64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Held {
    Nothing,
    Salvaged,
    Whole,
}

/// The rules of B 1, each transfer a list that is applied at its end.
#[derive(Clone, Debug)]
pub(super) struct Naive {
    pub(super) places: BTreeMap<Id, Place>,
    pub(super) held: Held,
    pub(super) selector: Option<String>,
    has_base: bool,
    open: Option<Open>,
}

#[derive(Clone, Debug)]
struct Open {
    mode: Mode,
    collected: Vec<Event>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Full,
    Changes,
    ImplicitAfterTransfer,
    ImplicitAfterError,
}

/// What an event came to.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    Nothing,
    Collected,
    Opened,
    Unchanged,
    Aborted,
    Goodbye,
    Invalid,
    /// These flags are announced.
    Completed(BTreeSet<String>),
}

impl Naive {
    pub(super) fn new() -> Self {
        let places = BTreeMap::new();
        Self { places, held: Held::Nothing, selector: None, has_base: false, open: None }
    }

    /// The next connection.
    pub(super) fn connect(&mut self) {
        self.has_base = self.selector.is_some();
        self.open = None;
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.as_ref().is_some_and(|open| match open.mode {
            Mode::Full | Mode::Changes => true,
            Mode::ImplicitAfterTransfer | Mode::ImplicitAfterError => !open.collected.is_empty(),
        })
    }

    pub(super) fn on(&mut self, event: &Event) -> Outcome {
        match event {
            Event::Noise => Outcome::Nothing,
            Event::Goodbye => Outcome::Goodbye,
            Event::Error => {
                if self.open.is_some() {
                    self.enter(Mode::ImplicitAfterError);
                }
                Outcome::Aborted
            }
            Event::Full => self.enter(Mode::Full),
            Event::Changes | Event::None if !self.can_change() => Outcome::Invalid,
            Event::Changes => self.enter(Mode::Changes),
            Event::None => {
                self.enter(Mode::ImplicitAfterTransfer);
                Outcome::Unchanged
            }
            Event::Put(..) | Event::BadPut(_) | Event::Delete(..) => self.collect(event),
            Event::Transferred(state) => self.complete(state),
        }
    }

    fn can_change(&self) -> bool {
        self.held == Held::Whole && self.has_base
    }

    fn enter(&mut self, mode: Mode) -> Outcome {
        self.open = Some(Open { mode, collected: Vec::new() });
        Outcome::Opened
    }

    fn collect(&mut self, event: &Event) -> Outcome {
        let (can_change, is_whole) = (self.can_change(), self.held == Held::Whole);
        let Some(open) = &mut self.open else { return Outcome::Nothing };
        let is_bad = matches!(event, Event::BadPut(_));
        let may_collect = match open.mode {
            Mode::Full => !is_bad || !is_whole,
            Mode::Changes => !is_bad,
            Mode::ImplicitAfterTransfer | Mode::ImplicitAfterError => can_change && !is_bad,
        };
        if !may_collect {
            return Outcome::Invalid;
        }
        open.collected.push(event.clone());
        Outcome::Collected
    }

    fn complete(&mut self, state: &str) -> Outcome {
        let can_change = self.can_change();
        let Some(open) = self.open.clone() else { return Outcome::Invalid };
        match open.mode {
            Mode::ImplicitAfterError if open.collected.is_empty() => return Outcome::Nothing,
            Mode::ImplicitAfterTransfer if !can_change => return Outcome::Invalid,
            _ => {}
        }
        let before = self.places.clone();
        let is_full = open.mode == Mode::Full;
        if is_full {
            self.places.clear();
        }
        for event in &open.collected {
            self.apply(event, is_full);
        }
        let is_salvage = open.collected.iter().any(|event| matches!(event, Event::BadPut(_)));
        self.selector = (!is_salvage).then(|| state.to_owned());
        self.has_base = !is_salvage;
        if is_full {
            self.held = if is_salvage { Held::Salvaged } else { Held::Whole };
        }
        self.enter(Mode::ImplicitAfterTransfer);
        Outcome::Completed(announced(&before, &self.places))
    }

    fn apply(&mut self, event: &Event, is_full: bool) {
        let (id, place) = match event {
            Event::Put(id, content) if content.is_deleted => {
                (id, Place::Tombstone(content.version))
            }
            Event::Put(id, content) => (id, Place::Live(content.clone())),
            Event::Delete(id, version) => (id, Place::Tombstone(*version)),
            _ => return,
        };
        if is_full && matches!(place, Place::Tombstone(_)) {
            self.places.remove(id);
        } else {
            self.places.insert(id.clone(), place);
        }
    }
}

/// All that changed and all that names it, until nothing is added any more (B 7.1).
fn announced(before: &BTreeMap<Id, Place>, after: &BTreeMap<Id, Place>) -> BTreeSet<String> {
    let live = |places: &BTreeMap<Id, Place>, id: &Id| match places.get(id) {
        Some(Place::Live(content)) => Some(content.clone()),
        Some(Place::Tombstone(_)) | None => None,
    };
    let json = |places, id: &Id| -> Option<Value> {
        live(places, id).map(|content| serde_json::from_str(&content.text(id)).expect("JSON"))
    };
    let ids: BTreeSet<&Id> = before.keys().chain(after.keys()).collect();
    let mut told: BTreeSet<&Id> =
        ids.iter().copied().filter(|id| json(before, id) != json(after, id)).collect();
    loop {
        let named = |id: &Id| {
            live(after, id).is_some_and(|content| {
                content.references(id).iter().any(|reference| told.contains(reference))
            })
        };
        let more: Vec<&Id> =
            ids.iter().copied().filter(|id| !told.contains(id) && named(id)).collect();
        if more.is_empty() {
            break;
        }
        told.extend(more);
    }
    told.into_iter().filter(|id| id.is_flag).map(|id| id.key.clone()).collect()
}

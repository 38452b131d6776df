//! A persistent store for the core to write to, with outages.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use fdv2_core::model::Kind;
use fdv2_core::persistence::{Record, Scope, StoreError, StoreWrite, Upserted};
use fdv2_core::{Effect, EffectId, Instant, Outcome};

/// How a store fares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreHealth {
    /// It does what it is asked.
    Up,
    /// It refuses everything.
    Down,
    /// It writes the first half of the records, and then fails.
    Torn,
    /// It answers nothing. What it was asked it does, in order, when it is up again.
    Hanging,
}

/// A database with the calls that are under way.
#[derive(Clone, Debug)]
pub struct Store {
    /// What it holds.
    pub records: BTreeMap<(Kind, Arc<str>), Record>,
    /// Whether it has its `$inited` marker.
    pub is_initialized: bool,
    /// What was lost by others since everything was last written.
    pub is_incomplete: bool,
    /// Counts up with each change of what it holds.
    pub(super) revision: u64,
    /// How it fares.
    health: StoreHealth,
    latency: Duration,
    stuck: VecDeque<(EffectId, Option<StoreWrite>)>,
    due: Option<(Instant, EffectId, Outcome)>,
    writes: Vec<Scope>,
}

impl Default for Store {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            is_initialized: false,
            is_incomplete: false,
            revision: 0,
            health: StoreHealth::Up,
            latency: Duration::ZERO,
            stuck: VecDeque::new(),
            due: None,
            writes: Vec::new(),
        }
    }
}

impl Store {
    /// All that decides what it does next: what it holds, how it fares, and what is under way.
    pub fn state(&self) -> impl std::fmt::Debug + '_ {
        let held = (&self.records, self.is_initialized, self.is_incomplete);
        (held, self.health, self.latency, &self.stuck, &self.due)
    }

    /// Every write that was begun, by what it was about.
    pub fn writes(&self) -> &[Scope] {
        &self.writes
    }

    /// From now on each call takes so long.
    pub fn take(&mut self, latency: Duration) {
        self.latency = latency;
    }

    /// It fares otherwise from now on.
    pub fn fare(&mut self, now: Instant, health: StoreHealth) {
        self.health = health;
        if health == StoreHealth::Hanging {
            return;
        }
        for (id, write) in std::mem::take(&mut self.stuck) {
            self.call(now, id, write);
        }
    }

    /// Somebody else empties it.
    pub fn wipe(&mut self) {
        self.records.clear();
        self.is_initialized = false;
        self.is_incomplete = true;
    }

    pub(super) fn begin(&mut self, now: Instant, id: EffectId, effect: &Effect) {
        let write = match effect {
            Effect::WriteStore(write) => Some(write.clone()),
            Effect::ProbeStore => None,
            Effect::Request(_) | Effect::OpenSource(_) => return,
        };
        self.writes.extend(write.as_ref().map(|write| write.scope().clone()));
        self.call(now, id, write);
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.due.as_ref().map(|(at, ..)| *at)
    }

    pub(super) fn take_due(&mut self, now: Instant) -> Option<(EffectId, Outcome)> {
        self.due.take_if(|(at, ..)| *at <= now).map(|(_, id, outcome)| (id, outcome))
    }

    fn call(&mut self, now: Instant, id: EffectId, write: Option<StoreWrite>) {
        self.revision += 1;
        let outcome = match (self.health, write) {
            (StoreHealth::Hanging, write) => return self.stuck.push_back((id, write)),
            (StoreHealth::Up, Some(write)) => Outcome::StoreWritten(Ok(self.write(&write))),
            (StoreHealth::Up, None) => Outcome::StoreProbed(Ok(())),
            (StoreHealth::Down, Some(_)) => Outcome::StoreWritten(Err(refused())),
            (StoreHealth::Torn, Some(write)) => {
                let records = write.records();
                let half = records.len().div_ceil(2);
                records.into_iter().take(half).for_each(|record| self.upsert(record));
                Outcome::StoreWritten(Err(refused()))
            }
            (StoreHealth::Down | StoreHealth::Torn, None) => Outcome::StoreProbed(Err(refused())),
        };
        self.due = Some((now + self.latency, id, outcome));
    }

    fn write(&mut self, write: &StoreWrite) -> Upserted {
        match write.scope() {
            Scope::Everything => {
                self.records.clear();
                self.is_initialized = true;
                self.is_incomplete = false;
            }
            Scope::Items(_) if !self.is_initialized => return Upserted::NotInitialized,
            Scope::Items(_) => {}
        }
        write.records().into_iter().for_each(|record| self.upsert(record));
        Upserted::Written
    }

    /// The version check of B 9.4.
    fn upsert(&mut self, record: Record) {
        let key = (record.kind(), Arc::clone(record.key()));
        let is_newer = self.records.get(&key).is_none_or(|held| held.version() < record.version());
        if is_newer {
            self.records.insert(key, record);
        }
    }
}

fn refused() -> StoreError {
    StoreError::new("the store refused")
}

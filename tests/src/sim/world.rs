//! What the outside knows: the sum of all commands so far.

use std::sync::Arc;

use fdv2_core::effect::{SourceId, SourceUpdate, SwitchReason};
use fdv2_core::status::{Readiness, SourceState, SourceStatus, StoreStatus};
use fdv2_core::{Command, EffectId, Event, Lane, Outcome, Snapshot, Update};

/// One thing for each lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes<T> {
    source: Option<T>,
    store: Option<T>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { source: None, store: None }
    }
}

impl<T: Copy> Lanes<T> {
    /// What this lane has.
    pub fn of(&self, lane: Lane) -> Option<T> {
        match lane {
            Lane::Source => self.source,
            Lane::Store => self.store,
        }
    }

    /// Puts something in, and gives what was there.
    pub fn insert(&mut self, lane: Lane, value: T) -> Option<T> {
        self.slot(lane).replace(value)
    }

    /// Takes out what is there.
    pub fn remove(&mut self, lane: Lane) -> Option<T> {
        self.slot(lane).take()
    }

    /// Whether no lane has anything.
    pub fn is_empty(&self) -> bool {
        self.source.is_none() && self.store.is_none()
    }

    fn slot(&mut self, lane: Lane) -> &mut Option<T> {
        match lane {
            Lane::Source => &mut self.source,
            Lane::Store => &mut self.store,
        }
    }
}

/// What a driver and its readers know after some steps.
#[derive(Clone, Debug)]
pub struct World {
    /// The live effect of each lane.
    pub live: Lanes<EffectId>,
    /// The newest generation of each lane.
    pub newest: Lanes<u64>,
    /// The newest status, if one was told.
    pub status: Option<SourceStatus>,
    /// The newest answer to waiters.
    pub readiness: Readiness,
    /// The newest data.
    pub snapshot: Option<Arc<Snapshot>>,
    /// The newest status of the store, if one was told.
    pub store_status: Option<StoreStatus>,
    /// The newest environment id.
    pub environment_id: Option<Arc<str>>,
    /// The source that runs.
    pub running: Option<SourceId>,
    /// The sources that were removed for good.
    pub removed: Vec<SourceId>,
    /// Whether `Start` went in.
    pub is_started: bool,
    /// Whether `Shutdown` went in.
    pub is_closing: bool,
    /// Whether `Stopped` came out.
    pub is_stopped: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            live: Lanes::default(),
            newest: Lanes::default(),
            status: None,
            readiness: Readiness::Pending,
            snapshot: None,
            store_status: None,
            environment_id: None,
            running: None,
            removed: Vec::new(),
            is_started: false,
            is_closing: false,
            is_stopped: false,
        }
    }
}

impl World {
    /// The state of the data source.
    pub fn state(&self) -> SourceState {
        self.status.as_ref().map_or(SourceState::Initializing, |status| status.state)
    }

    /// The state of the selector that the published data has.
    pub fn selector(&self) -> Option<&str> {
        self.snapshot.as_ref()?.selector().map(|selector| selector.state())
    }

    /// Takes note of what goes in: an effect that has told its end is over.
    pub fn observe(&mut self, event: &Event) {
        match event {
            Event::Start => self.is_started = true,
            Event::Shutdown { .. } => self.is_closing = true,
            Event::Effect { id, outcome } if ends(outcome) => {
                self.end(*id);
            }
            _ => {}
        }
    }

    /// Takes note of what comes out.
    pub fn apply(&mut self, command: &Command) {
        match command {
            Command::Start { id, .. } => {
                self.live.insert(id.lane, *id);
                self.newest.insert(id.lane, id.generation);
            }
            Command::Cancel { id } => self.end(*id),
            Command::Emit(update) => self.learn(update),
            Command::Discard(_) => {}
        }
    }

    fn end(&mut self, id: EffectId) {
        if self.live.of(id.lane) == Some(id) {
            self.live.remove(id.lane);
        }
    }

    fn learn(&mut self, update: &Update) {
        match update {
            Update::EnvironmentId(id) => self.environment_id = Some(id.clone()),
            Update::Snapshot(snapshot) => self.snapshot = Some(snapshot.clone()),
            Update::StoreStatus(status) => self.store_status = Some(status.clone()),
            Update::SourceStatus(status) => self.status = Some(status.clone()),
            Update::Readiness(readiness) => self.readiness = readiness.clone(),
            Update::SourceSwitched(switched) => {
                let left = std::mem::replace(&mut self.running, switched.to);
                if switched.why == SwitchReason::Removed {
                    self.removed.extend(left);
                }
            }
            Update::Stopped => self.is_stopped = true,
            _ => {}
        }
    }
}

/// Whether nothing can follow this outcome.
fn ends(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::ResponseEnd(_)
            | Outcome::StoreWritten(_)
            | Outcome::StoreProbed(_)
            | Outcome::SourceUpdate(
                SourceUpdate::Failed(_) | SourceUpdate::FailedFinally(_) | SourceUpdate::Ended
            )
    )
}

//! What the outside knows: the sum of all commands so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use fdv2_core::effect::{SourceId, SourceUpdate};
use fdv2_core::status::{Readiness, SourceState, SourceStatus, StoreStatus};
use fdv2_core::{Command, EffectId, Event, Lane, Outcome, Snapshot, Update};

/// What a driver and its readers know after some steps.
#[derive(Clone, Debug)]
pub struct World {
    /// The live effect of each lane.
    pub live: BTreeMap<Lane, EffectId>,
    /// The newest generation of each lane.
    pub newest: BTreeMap<Lane, u64>,
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
    /// Whether `Start` went in.
    pub is_started: bool,
    /// Whether `Stopped` came out.
    pub is_stopped: bool,
}

impl Default for World {
    fn default() -> Self {
        Self {
            live: BTreeMap::new(),
            newest: BTreeMap::new(),
            status: None,
            readiness: Readiness::Pending,
            snapshot: None,
            store_status: None,
            environment_id: None,
            running: None,
            is_started: false,
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
            Event::Effect { id, outcome } if ends(outcome) => {
                self.live.retain(|_, live| live != id);
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
            Command::Cancel { id } => self.live.retain(|_, live| live != id),
            Command::Emit(update) => self.learn(update),
            Command::Discard(_) => {}
        }
    }

    fn learn(&mut self, update: &Update) {
        match update {
            Update::EnvironmentId(id) => self.environment_id = Some(id.clone()),
            Update::Snapshot(snapshot) => self.snapshot = Some(snapshot.clone()),
            Update::StoreStatus(status) => self.store_status = Some(status.clone()),
            Update::SourceStatus(status) => self.status = Some(status.clone()),
            Update::Readiness(readiness) => self.readiness = readiness.clone(),
            Update::SourceSwitched(switched) => self.running = switched.to,
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

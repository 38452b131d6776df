//! What one step has to say, put in the order of B 6.3.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::effect::{Command, SourceSwitched, Update};
use crate::snapshot::{Commit, FlagsChanged, Garbage, Snapshot};
use crate::source::Oddity;
use crate::status::{Readiness, SourceStatus, StoreStatus};

/// Commands of finished steps, and what the present step has said so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outbox {
    queue: VecDeque<Command>,
    step: Step,
}

/// One step. Fields are in the order in which they are told.
#[derive(Clone, Debug, Default, PartialEq)]
struct Step {
    environment_id: Option<Arc<str>>,
    snapshot: Option<Arc<Snapshot>>,
    statuses: Vec<SourceStatus>,
    readiness: Option<Readiness>,
    changes: Option<FlagsChanged>,
    store_statuses: Vec<StoreStatus>,
    others: Vec<Update>,
    effects: Vec<Command>,
    store_effects: Vec<Command>,
    garbage: Garbage,
    /// Nothing follows it.
    stopped: Option<Update>,
}

impl Outbox {
    pub(crate) fn environment_id(&mut self, id: Arc<str>) {
        self.step.environment_id = Some(id);
    }

    /// Publishes a commit.
    pub(crate) fn commit(&mut self, commit: Commit) {
        self.step.snapshot = Some(commit.snapshot);
        self.step.changes = commit.changes;
        self.discard(commit.garbage);
    }

    pub(crate) fn status(&mut self, status: Option<SourceStatus>) {
        self.step.statuses.extend(status);
    }

    pub(crate) fn readiness(&mut self, readiness: Option<Readiness>) {
        if readiness.is_some() {
            self.step.readiness = readiness;
        }
    }

    pub(crate) fn store_status(&mut self, status: Option<StoreStatus>) {
        self.step.store_statuses.extend(status);
    }

    pub(crate) fn odd(&mut self, oddity: Oddity) {
        self.step.others.push(Update::Odd(oddity));
    }

    pub(crate) fn switched(&mut self, switched: SourceSwitched) {
        self.step.others.push(Update::SourceSwitched(switched));
    }

    pub(crate) fn stopped(&mut self) {
        self.step.stopped = Some(Update::Stopped);
    }

    /// A start or a cancel for a source.
    pub(crate) fn effect(&mut self, command: Command) {
        self.step.effects.push(command);
    }

    /// A start or a cancel for the store.
    pub(crate) fn store_effect(&mut self, command: Command) {
        self.step.store_effects.push(command);
    }

    pub(crate) fn discard(&mut self, garbage: Garbage) {
        self.step.garbage = std::mem::take(&mut self.step.garbage).and(garbage);
    }

    /// Ends the step: what it said goes to the queue.
    pub(crate) fn flush(&mut self) {
        let step = &mut self.step;
        let emit = |update| Command::Emit(update);
        self.queue.extend(step.environment_id.take().map(Update::EnvironmentId).map(emit));
        self.queue.extend(step.snapshot.take().map(Update::Snapshot).map(emit));
        self.queue.extend(step.statuses.drain(..).map(Update::SourceStatus).map(emit));
        self.queue.extend(step.readiness.take().map(Update::Readiness).map(emit));
        self.queue.extend(step.changes.take().map(Update::FlagsChanged).map(emit));
        self.queue.extend(step.store_statuses.drain(..).map(Update::StoreStatus).map(emit));
        self.queue.extend(step.others.drain(..).map(emit));
        self.queue.extend(step.effects.drain(..));
        self.queue.extend(step.store_effects.drain(..));
        let garbage = std::mem::take(&mut step.garbage);
        if !garbage.is_empty() {
            self.queue.push_back(Command::Discard(garbage));
        }
        self.queue.extend(self.step.stopped.take().map(emit));
    }

    pub(crate) fn queue(&mut self) -> &mut VecDeque<Command> {
        &mut self.queue
    }
}

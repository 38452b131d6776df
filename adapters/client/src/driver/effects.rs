//! Doing what the core says.

use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll};

use fdv2_core::status::Readiness;
use fdv2_core::{Command, Effect, EffectId, OpenSource, Outcome, Request, Update};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::running::{Origin, Running, failed_finally};
use super::storing::Storing;
use crate::Transport;
use crate::contain::contain;
use crate::parts::Parts;
use crate::shared::Shared;
use crate::source::CustomSources;
use crate::store::Store;

/// Executes commands, and holds the live effect of each lane.
pub(super) struct Effects<T> {
    running: Option<Running>,
    /// Gone once nothing will be asked for any more (B 3.8, 11.4).
    origins: Option<Origins<T>>,
    storing: Option<Storing>,
    store: Option<Store>,
    /// Readiness that is told together with the changes that follow it, if any do.
    readiness: Option<Readiness>,
    shared: Arc<Shared>,
}

impl<T: Transport> Effects<T> {
    pub(super) fn new(transport: T, parts: Parts, shared: Arc<Shared>) -> Self {
        Self {
            running: None,
            origins: Some(Origins { transport, sources: parts.sources }),
            storing: None,
            store: parts.store,
            readiness: None,
            shared,
        }
    }

    /// Executes the next command of a step.
    ///
    /// Whoever waited to be ready and then listens is not told of the changes that made it so: there
    /// is no moment between the two.
    pub(super) fn execute(&mut self, command: Command) {
        let command = match command {
            Command::Emit(Update::Readiness(readiness)) => {
                self.readiness = Some(readiness);
                return;
            }
            Command::Emit(Update::FlagsChanged(changed)) => {
                return self.shared.publish_changes(self.readiness.take(), &changed);
            }
            other => other,
        };
        self.settle();
        match command {
            Command::Start { id, effect } => self.start(id, effect),
            Command::Cancel { id } => self.cancel(id),
            Command::Emit(update) => self.emit(update),
            Command::Discard(garbage) if garbage.is_empty() => {}
            Command::Discard(garbage) => self.shared.graveyard().bury(garbage),
        }
    }

    /// The step has ended.
    pub(super) fn settle(&mut self) {
        if let Some(readiness) = self.readiness.take() {
            self.shared.publish(Update::Readiness(readiness));
        }
    }

    /// The next outcome of a live effect. The store's are few, and go first.
    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<(EffectId, Outcome)> {
        if let Some(storing) = &mut self.storing
            && let Poll::Ready(outcome) = storing.poll_outcome(cx)
        {
            return Poll::Ready((storing.id(), outcome));
        }
        let Some(running) = &mut self.running else { return Poll::Pending };
        running.poll_outcome(cx).map(|outcome| (running.id(), outcome))
    }

    fn start(&mut self, id: EffectId, effect: Effect) {
        // The lane is free: what ended by itself has only its name left here.
        match effect {
            Effect::Request(request) => {
                self.begin(|origins| origins.send(id, request));
            }
            Effect::OpenSource(open) => self.begin(|origins| origins.open(id, open)),
            Effect::WriteStore(write) => {
                let write = |store| Storing::write(id, store, write, &self.shared);
                self.storing = self.store.as_ref().map(write);
            }
            Effect::ProbeStore => {
                let probe = |store| Storing::probe(id, store, &self.shared);
                self.storing = self.store.as_ref().map(probe);
            }
        }
    }

    fn begin(&mut self, start: impl FnOnce(&Origins<T>) -> Running) {
        self.running = None;
        self.running = self.origins.as_ref().map(start);
    }

    fn cancel(&mut self, id: EffectId) {
        if self.running.as_ref().is_some_and(|running| running.id() == id) {
            self.running = None;
        }
        if self.storing.as_ref().is_some_and(|storing| storing.id() == id) {
            self.storing = None;
        }
    }

    fn emit(&mut self, update: Update) {
        if is_last(&update) {
            self.running = None;
            self.origins = None;
        }
        self.shared.publish(update);
    }
}

/// Whether nothing will be started after it.
fn is_last(update: &Update) -> bool {
    match update {
        Update::SourceStatus(status) => status.is_last,
        Update::Stopped => true,
        _ => false,
    }
}

/// What can begin a source's effect. Nothing happens before it is polled.
struct Origins<T> {
    transport: T,
    sources: CustomSources,
}

impl<T> Drop for Origins<T> {
    fn drop(&mut self) {
        mem::take(&mut self.sources).let_go();
    }
}

impl<T: Transport> Origins<T> {
    fn send(&self, id: EffectId, request: Request) -> Running {
        running(id, Origin::Transport, || self.transport.send(request))
    }

    fn open(&self, id: EffectId, open: OpenSource) -> Running {
        running(id, Origin::Custom, || self.open_source(open))
    }

    fn open_source(&self, open: OpenSource) -> BoxStream<'static, Outcome> {
        match self.sources.find(&open.name) {
            Some(source) => source.open(open).map(Outcome::SourceUpdate).boxed(),
            None => once(failed_finally("no custom source of this name was handed in")),
        }
    }
}

/// An effect whose beginning may panic.
fn running(
    id: EffectId,
    origin: Origin,
    begin: impl FnOnce() -> BoxStream<'static, Outcome>,
) -> Running {
    let outcomes = contain(begin).unwrap_or_else(|| once(origin.panicked()));
    Running::new(id, origin, outcomes)
}

fn once(outcome: Outcome) -> BoxStream<'static, Outcome> {
    stream::iter([outcome]).boxed()
}

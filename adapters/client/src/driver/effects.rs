//! Doing what the core says.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::{Context, Poll};

use fdv2_core::{Command, Effect, EffectId, OpenSource, Outcome, Update};
use futures::StreamExt;
use futures::stream::{self, BoxStream};

use super::running::{Origin, Running, failed_finally};
use crate::Transport;
use crate::shared::Shared;
use crate::source::CustomSources;

/// Executes commands, and holds the live effect.
pub(super) struct Effects<T> {
    running: Option<Running>,
    /// Gone once nothing will be asked for any more (B 3.8, 11.4).
    origins: Option<Origins<T>>,
    shared: Arc<Shared>,
}

impl<T: Transport> Effects<T> {
    pub(super) fn new(transport: T, sources: CustomSources, shared: Arc<Shared>) -> Self {
        Self { running: None, origins: Some(Origins { transport, sources }), shared }
    }

    pub(super) fn execute(&mut self, command: Command) {
        match command {
            Command::Start { id, effect } => self.start(id, effect),
            Command::Cancel { id } => self.cancel(id),
            Command::Emit(update) => self.emit(update),
            Command::Discard(garbage) if garbage.is_empty() => {}
            Command::Discard(garbage) => self.shared.graveyard().bury(garbage),
        }
    }

    /// The next outcome of the live effect.
    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<(EffectId, Outcome)> {
        let Some(running) = &mut self.running else { return Poll::Pending };
        running.poll_outcome(cx).map(|outcome| (running.id(), outcome))
    }

    fn start(&mut self, id: EffectId, effect: Effect) {
        // The lane is free: what ended by itself has only its name left here.
        self.running = None;
        self.running = self.origins.as_ref().map(|origins| origins.start(id, effect));
    }

    fn cancel(&mut self, id: EffectId) {
        if self.running.as_ref().is_some_and(|running| running.id() == id) {
            self.running = None;
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

/// What can begin an effect.
struct Origins<T> {
    transport: T,
    sources: CustomSources,
}

impl<T: Transport> Origins<T> {
    /// Begins an effect. Nothing happens before it is polled.
    fn start(&self, id: EffectId, effect: Effect) -> Running {
        let (origin, opened) = match effect {
            Effect::Request(request) => {
                let send = AssertUnwindSafe(|| self.transport.send(request));
                (Origin::Transport, catch_unwind(send))
            }
            Effect::OpenSource(open) => {
                let open = AssertUnwindSafe(|| self.open(open));
                (Origin::Custom, catch_unwind(open))
            }
        };
        let outcomes = opened.unwrap_or_else(|_| once(origin.panicked()));
        Running::new(id, origin, outcomes)
    }

    fn open(&self, open: OpenSource) -> BoxStream<'static, Outcome> {
        match self.sources.find(&open.name) {
            Some(source) => source.open(open).map(Outcome::SourceUpdate).boxed(),
            None => once(failed_finally("no custom source of this name was handed in")),
        }
    }
}

fn once(outcome: Outcome) -> BoxStream<'static, Outcome> {
    stream::iter([outcome]).boxed()
}

//! What the driver tells of its work: counted always, and as traces and metrics where these are
//! features.

#[cfg(any(feature = "metrics", feature = "tracing"))]
mod contained;
mod facts;
#[cfg(feature = "metrics")]
mod meter;
mod stats;
#[cfg(feature = "tracing")]
mod trace;

use std::sync::Arc;

use fdv2_core::effect::SourceId;
use fdv2_core::persistence::Scope;
use fdv2_core::status::SourceError;
use fdv2_core::{
    Command, Effect, EffectId, Event, Lane, Outcome, Request, SourceUpdate, StoreRead, Update,
};

#[cfg(any(feature = "metrics", feature = "tracing"))]
use self::contained::Contained;
use self::facts::{AttemptKind, Fact, Work};
pub use self::stats::{AttemptStats, ErrorStats, Stats, StoreStats};
use crate::shared::Shared;

/// Sees every event that goes into the core and every command that comes out of it, and tells what
/// they mean.
pub(crate) struct Observer {
    shared: Arc<Shared>,
    source: Option<SourceId>,
    attempt: Option<AttemptKind>,
    /// The attempt has ended, but what follows from that has not been told yet.
    is_attempt_over: bool,
    /// The event was a redirect: a request that it leads to carries the attempt on.
    is_redirected: bool,
    last_error: Option<SourceError>,
    work: Option<Work>,
    #[cfg(feature = "tracing")]
    tracer: Contained<trace::Tracer>,
    #[cfg(feature = "metrics")]
    meter: Contained<meter::Meter>,
}

impl Observer {
    /// The observer of the client with this instance id.
    #[cfg_attr(not(feature = "tracing"), expect(unused_variables))]
    pub(crate) fn new(shared: Arc<Shared>, instance_id: &str) -> Self {
        Self {
            shared,
            source: None,
            attempt: None,
            is_attempt_over: false,
            is_redirected: false,
            last_error: None,
            work: None,
            #[cfg(feature = "tracing")]
            tracer: Contained::new(|| trace::Tracer::new(instance_id)),
            #[cfg(feature = "metrics")]
            meter: Contained::new(meter::Meter::new),
        }
    }

    /// Before the core is told of `event`.
    pub(crate) fn on_event(&mut self, event: &Event) {
        self.is_redirected = false;
        match event {
            Event::Effect { outcome, .. } => self.on_outcome(outcome),
            Event::StoreRead(StoreRead::Failed(error)) => self.tell(&Fact::ReadFailed(error)),
            Event::StoreRead(StoreRead::Unreadable(record)) => self.tell(&Fact::Unreadable(record)),
            _ => {}
        }
    }

    /// Before `command` is executed.
    pub(crate) fn on_command(&mut self, command: &Command) {
        match command {
            Command::Start { effect, .. } => self.on_start(effect),
            Command::Cancel { id } => self.on_cancel(*id),
            Command::Emit(update) => self.on_update(update),
            Command::Discard(_) => {}
        }
    }

    /// After everything that an event leads to.
    pub(crate) fn on_done(&mut self) {
        if self.is_attempt_over {
            self.end_attempt();
        }
    }

    fn on_outcome(&mut self, outcome: &Outcome) {
        match outcome {
            Outcome::ResponseHead(head) => {
                self.is_redirected = matches!(head.status, 301 | 302 | 307 | 308);
                self.tell(&Fact::Answered(head.status));
            }
            Outcome::ResponseChunk(chunk) => self.tell(&Fact::Received(chunk.len())),
            Outcome::ResponseEnd(_)
            | Outcome::SourceUpdate(
                SourceUpdate::Failed(_) | SourceUpdate::FailedFinally(_) | SourceUpdate::Ended,
            ) => self.is_attempt_over = true,
            Outcome::StoreWritten(result) => {
                self.work = None;
                self.tell(&Fact::Written(result.as_ref()));
            }
            Outcome::StoreProbed(result) => {
                self.work = None;
                self.tell(&Fact::Probed(result.as_ref().copied()));
            }
            _ => {}
        }
    }

    fn on_start(&mut self, effect: &Effect) {
        match effect {
            Effect::Request(request) if self.is_redirected => {
                self.is_attempt_over = false;
                self.tell(&Fact::Redirected(request));
            }
            Effect::Request(request) => {
                self.begin_attempt(self.kind_of(request), &Fact::Requested(request));
            }
            Effect::OpenSource(open) => {
                self.begin_attempt(AttemptKind::Custom, &Fact::Opened(&open.name));
            }
            Effect::WriteStore(write) => {
                self.work = Some(Work::Write);
                self.tell(&Fact::WriteBegan(match write.scope() {
                    Scope::Everything => write.snapshot().objects(),
                    Scope::Items(items) => items.len(),
                }));
            }
            Effect::ProbeStore => {
                self.work = Some(Work::Probe);
                self.tell(&Fact::ProbeBegan);
            }
        }
    }

    fn on_cancel(&mut self, id: EffectId) {
        match id.lane {
            Lane::Source => self.is_attempt_over = true,
            Lane::Store => {
                if let Some(work) = self.work.take() {
                    self.tell(&Fact::GivenUp(work));
                }
            }
        }
    }

    fn on_update(&mut self, update: &Update) {
        match update {
            Update::Snapshot(snapshot) => self.tell(&Fact::Applied(snapshot)),
            Update::SourceStatus(status) => {
                if let Some(error) = &status.last_error
                    && self.last_error.as_ref() != Some(error)
                {
                    self.is_redirected = false;
                    self.last_error = Some(error.clone());
                    self.tell(&Fact::Failed(error));
                }
                self.tell(&Fact::Status(status));
            }
            Update::Readiness(readiness) => self.tell(&Fact::Readiness(readiness)),
            Update::StoreStatus(status) => self.tell(&Fact::StoreStatus(status)),
            Update::SourceSwitched(switched) => {
                self.is_redirected = false;
                if self.is_attempt_over {
                    self.end_attempt();
                }
                self.source = switched.to;
                self.tell(&Fact::Switched(switched));
            }
            Update::Odd(oddity) => self.tell(&Fact::Odd(*oddity)),
            Update::Stopped => self.tell(&Fact::Stopped),
            _ => {}
        }
    }

    fn begin_attempt(&mut self, kind: AttemptKind, fact: &Fact<'_>) {
        if self.attempt.is_some() {
            self.end_attempt();
        }
        self.attempt = Some(kind);
        self.is_attempt_over = false;
        self.tell(fact);
    }

    fn end_attempt(&mut self) {
        self.tell(&Fact::Ended);
        self.attempt = None;
        self.is_attempt_over = false;
    }

    fn kind_of(&self, request: &Request) -> AttemptKind {
        let accept = request.0.headers().get(http::header::ACCEPT);
        if self.source == Some(SourceId::Fdv1) {
            AttemptKind::Fdv1
        } else if accept.is_some_and(|accept| accept == "text/event-stream") {
            AttemptKind::Stream
        } else {
            AttemptKind::Poll
        }
    }

    fn tell(&mut self, fact: &Fact<'_>) {
        self.shared.count(|stats| stats.count(self.attempt, fact));
        #[cfg(feature = "tracing")]
        self.tracer.run(|tracer| tracer.tell(self.attempt, fact));
        #[cfg(feature = "metrics")]
        self.meter.run(|meter| meter.tell(self.attempt, fact));
    }
}

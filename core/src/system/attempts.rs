//! Beginning and ending attempts: effects, and what goes into a request.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;

use super::{DataSystem, Live};
use crate::config::{ResolvedSource, Source};
use crate::effect::{
    Command, Effect, EffectId, Lane, OpenSource, Outcome, Request, SourceId, SourceUpdate,
};
use crate::source::{
    self, Attempt, Backoff, CustomAttempt, End, Failure, HttpAttempt, Protocol, Target,
};
use crate::time::Instant;

/// The initial delay of a back-off where none is configured (B 8.1).
const INITIAL_DELAY: Duration = Duration::from_secs(1);

impl DataSystem {
    /// The configuration of a source.
    pub(super) fn resolved(&self, source: SourceId) -> Option<&ResolvedSource> {
        let inner = self.config.inner();
        match source {
            SourceId::Initializer(index) => inner.initializers.get(index),
            SourceId::Synchronizer(index) => inner.synchronizers.get(index),
            SourceId::Fdv1 => inner.fdv1.as_ref(),
        }
    }

    /// The back-off of a source.
    pub(super) fn backoff(&mut self, source: SourceId) -> &mut Backoff {
        let initial = self.initial_delay(source);
        self.memory.backoff(source, initial)
    }

    /// The delay that a source's back-off begins with.
    fn initial_delay(&self, source: SourceId) -> Duration {
        match self.resolved(source).map(|resolved| &resolved.source) {
            Some(Source::Streaming(streaming)) => streaming.initial_retry_delay,
            Some(Source::Polling(_) | Source::Custom(_)) | None => INITIAL_DELAY,
        }
    }

    /// Begins an attempt of the source whose turn it is.
    pub(super) fn begin_attempt(&mut self, now: Instant) {
        let Some(stint) = &mut self.stint else { return };
        stint.on_attempt();
        let source = stint.source();
        let Some((effect, attempt)) = self.new_attempt(now, source) else {
            let failure = Failure::network("the request's URL is one that HTTP cannot carry");
            return self.on_end(now, End::Failed(failure));
        };
        let id = self.start_effect(effect);
        self.live = Some(Live { id, is_finished: false, attempt });
    }

    fn new_attempt(&self, now: Instant, source: SourceId) -> Option<(Effect, Attempt)> {
        let resolved = self.resolved(source)?;
        let Some(url) = &resolved.url else {
            let open = OpenSource {
                name: Arc::from(resolved.source.label()),
                basis: self.held.selector().cloned(),
            };
            let is_initializer = matches!(source, SourceId::Initializer(_));
            let attempt = CustomAttempt::new(is_initializer, open.basis.is_some(), now);
            return Some((Effect::OpenSource(open), Attempt::Custom(attempt)));
        };
        let protocol = match (source, &resolved.source) {
            (SourceId::Fdv1, _) => Protocol::Fdv1,
            (_, Source::Streaming(_)) => Protocol::Stream,
            (_, Source::Polling(_) | Source::Custom(_)) => Protocol::Poll,
        };
        let basis = (protocol != Protocol::Fdv1)
            .then(|| self.held.selector().map(|selector| selector.state()))
            .flatten();
        let filter = self.config.inner().filter.as_deref();
        let headers = self.request_headers(source, protocol);
        let target = Target::new(url, basis, filter, headers);
        let request = target.request()?;
        let attempt = HttpAttempt::new(protocol, target, now);
        Some((Effect::Request(request), Attempt::Http(Box::new(attempt))))
    }

    fn request_headers(&self, source: SourceId, protocol: Protocol) -> HeaderMap {
        let (accept, tag) = match protocol {
            Protocol::Stream => ("text/event-stream", None),
            Protocol::Poll | Protocol::Fdv1 => ("application/json", self.memory.tag(source)),
        };
        source::headers(&self.headers, accept, tag)
    }

    fn start_effect(&mut self, effect: Effect) -> EffectId {
        self.generation += 1;
        let id = EffectId { lane: Lane::Source, generation: self.generation };
        self.outbox.effect(Command::Start { id, effect });
        id
    }

    /// A redirect: another request carries the attempt on.
    pub(super) fn redirect(&mut self, request: Request) {
        let Some(mut live) = self.live.take() else { return };
        self.cancel_effect(&live);
        live.id = self.start_effect(Effect::Request(request));
        live.is_finished = false;
        self.live = Some(live);
    }

    /// Ends the live attempt, if there is one: its effect is cancelled, what it had collected is
    /// freed elsewhere.
    pub(super) fn drop_attempt(&mut self) -> Option<Instant> {
        let live = self.live.take()?;
        self.cancel_effect(&live);
        let started = live.attempt.started();
        self.outbox.discard(live.attempt.into_garbage());
        Some(started)
    }

    fn cancel_effect(&mut self, live: &Live) {
        if !live.is_finished {
            self.outbox.effect(Command::Cancel { id: live.id });
        }
    }

    /// When the next attempt is due after one that ended now. Polls keep their interval (B 4.1),
    /// everything else backs off (B 8.1, 8.2).
    pub(super) fn next_attempt_at(
        &mut self,
        now: Instant,
        source: SourceId,
        started: Instant,
        is_failure: bool,
    ) -> Instant {
        let Some(interval) = self.poll_interval(source) else {
            return now + self.next_delay(source);
        };
        let scheduled = (started + interval).max(now);
        if is_failure && !self.held.is_held() {
            return scheduled.min(now + self.next_delay(source));
        }
        scheduled
    }

    /// The interval of a source that polls, raised to the least that is allowed (B 4.1).
    fn poll_interval(&self, source: SourceId) -> Option<Duration> {
        match &self.resolved(source)?.source {
            Source::Polling(polling) => {
                Some(polling.interval.max(self.config.timing().min_poll_interval))
            }
            Source::Streaming(_) | Source::Custom(_) => None,
        }
    }

    /// The pause before a source is tried again. That of files does not grow: they are read again
    /// when they change (B 4.6).
    fn next_delay(&mut self, source: SourceId) -> Duration {
        let is_file = matches!(
            self.resolved(source).map(|resolved| &resolved.source),
            Some(Source::Custom(custom)) if custom.is_file
        );
        if is_file {
            return self.rng.between(INITIAL_DELAY / 2, INITIAL_DELAY);
        }
        let initial = self.initial_delay(source);
        let timing = self.config.timing();
        self.memory.backoff(source, initial).next_delay(timing, &mut self.rng)
    }
}

/// Whether an outcome is the last that its effect tells.
pub(super) fn is_last(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::ResponseEnd(_)
            | Outcome::SourceUpdate(
                SourceUpdate::Failed(_) | SourceUpdate::FailedFinally(_) | SourceUpdate::Ended
            )
    )
}

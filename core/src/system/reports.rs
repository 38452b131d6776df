//! What the live attempt tells, and what follows from it.

use std::sync::Arc;

use super::attempts::is_last;
use super::{DataSystem, Phase};
use crate::effect::{EffectId, Outcome, SourceId};
use crate::snapshot::Commit;
use crate::source::{Attempt, End, Failure, Look, Oddity, Report};
use crate::time::Instant;

impl DataSystem {
    /// The guard at the door: an outcome of an effect that is not live changes nothing.
    pub(super) fn on_outcome(&mut self, now: Instant, id: EffectId, outcome: Outcome) {
        let Some(live) = self.live.as_mut().filter(|live| live.id == id && !live.is_finished)
        else {
            return;
        };
        live.is_finished = is_last(&outcome);
        self.with_attempt(now, |attempt, look| attempt.accept(look, outcome));
        while let Some(report) = self.with_attempt(now, Attempt::next_report).flatten() {
            self.on_report(now, report);
            // A step is what one event leads to, however the bytes were cut (B 1.16, 6.3), the
            // write that it begins included.
            if !self.is_mid_event() {
                self.begin_store_work(now);
                self.outbox.flush();
            }
        }
    }

    /// The live attempt, with what it needs to know of the rest.
    fn with_attempt<R>(
        &mut self,
        now: Instant,
        act: impl FnOnce(&mut Attempt, Look<'_>) -> R,
    ) -> Option<R> {
        let look = Look {
            now,
            held: &self.held,
            limits: self.config.limits(),
            may_salvage: !self.is_store_initialized,
        };
        self.live.as_mut().map(|live| act(&mut live.attempt, look))
    }

    fn is_mid_event(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.attempt.is_mid_event())
    }

    fn on_report(&mut self, now: Instant, report: Report) {
        let Some(source) = self.current() else { return };
        match report {
            Report::Redirected(request) => self.redirect(request),
            Report::Directed(directive) => self.directed.on_directive(directive),
            Report::RetryDelay(delay) => self.backoff(source).on_retry_field(delay),
            Report::Progress => self.on_progress(now),
            Report::Committed(commit) => self.on_commit(now, source, commit),
            Report::Unchanged => self.on_unchanged(now, source),
            Report::Aborted => self.on_aborted(now, source),
            Report::Discard(garbage) => self.outbox.discard(garbage),
            Report::Odd(oddity) => self.on_odd(oddity),
            Report::Ended(end) => self.on_end(now, end),
        }
    }

    fn on_progress(&mut self, now: Instant) {
        if let Some(stint) = &mut self.stint {
            stint.on_progress(now);
        }
    }

    fn on_odd(&mut self, oddity: Oddity) {
        let count = self.oddities.entry(oddity).or_insert(0);
        *count = count.saturating_add(1);
        if *count == 1 {
            self.outbox.odd(oddity);
        }
    }

    /// A change set becomes visible. A salvaged one counts as data, not as health; not even as
    /// data if the store proved to be initialized while it came in (B 1.15).
    fn on_commit(&mut self, now: Instant, source: SourceId, commit: Commit) {
        let is_whole = commit.salvaged.is_none();
        if !is_whole && self.is_store_initialized {
            return self.outbox.discard(commit.abandon());
        }
        let has_selector = commit.snapshot.selector().is_some();
        self.memory.forget_tags();
        self.persist(source, &commit);
        self.held = Arc::clone(&commit.snapshot);
        self.outbox.commit(commit);
        self.on_progress(now);
        if has_selector || !self.is_initializing() {
            self.outbox.readiness(self.ready.on_ready());
        }
        if is_whole {
            self.on_completed(now, source, has_selector);
        }
    }

    fn on_unchanged(&mut self, now: Instant, source: SourceId) {
        let has_selector = self.held.selector().is_some();
        self.on_completed(now, source, has_selector);
    }

    /// A transfer completed: the source is healthy, and what its response's head said counts.
    fn on_completed(&mut self, now: Instant, source: SourceId, has_selector: bool) {
        self.take_head(source);
        let timing = *self.config.timing();
        if let Some(stint) = &mut self.stint {
            stint.on_completed(now, &timing);
        }
        self.backoff(source).on_health(now);
        if matches!(source, SourceId::Synchronizer(_)) {
            self.roster.on_completed(&timing);
        }
        if has_selector || !self.is_initializing() {
            self.outbox.status(self.status.on_valid(now));
        }
        if self.live.as_ref().is_some_and(|live| live.attempt.is_lasting()) {
            self.engage_directive(now, None);
        }
    }

    /// The environment's id (B 6.6) and the ETag (B 4.2) of a response that brought valid data.
    fn take_head(&mut self, source: SourceId) {
        let attempt = self.live.as_ref().map(|live| &live.attempt);
        if let Some(tag) = attempt.and_then(Attempt::tag) {
            self.memory.remember_tag(source, tag.clone());
        }
        let id = attempt.and_then(Attempt::environment_id);
        if let Some(id) = id.filter(|id| self.environment_id.as_ref() != Some(*id)) {
            self.environment_id = Some(Arc::clone(id));
            self.outbox.environment_id(Arc::clone(id));
        }
    }

    /// An `error` event: the connection stays, health does not (B 1.5, 3.2).
    fn on_aborted(&mut self, now: Instant, source: SourceId) {
        self.on_trouble(now, source);
        self.engage_directive(now, None);
    }

    pub(super) fn on_trouble(&mut self, now: Instant, source: SourceId) {
        if let Some(stint) = &mut self.stint {
            stint.on_trouble(now);
        }
        self.end_health(now, source);
    }

    /// The attempt is over. What comes next is the matter of the phase.
    pub(super) fn on_end(&mut self, now: Instant, end: End) {
        let Some(source) = self.current() else { return };
        let started = self.drop_attempt().unwrap_or(now);
        self.record_end(now, source, &end);
        let failure = match end {
            End::Failed(failure) => Some(failure),
            End::Completed | End::Goodbye | End::StreamEnded => None,
        };
        if self.directed.is_pending() {
            return self.engage_directive(now, failure.as_ref());
        }
        match (source, failure) {
            (SourceId::Initializer(index), _) => self.next_initializer(now, index),
            (source, Some(failure)) if failure.is_final => self.remove(now, source, &failure),
            (source, failure) => self.schedule(now, source, started, failure.is_some()),
        }
    }

    fn schedule(&mut self, now: Instant, source: SourceId, started: Instant, is_failure: bool) {
        debug_assert_eq!(self.phase, Phase::Running, "only a source that has its turn is retried");
        let at = self.next_attempt_at(now, source, started, is_failure);
        if let Some(stint) = &mut self.stint {
            stint.schedule(at);
        }
    }

    /// Tells status and clocks of the end (B 3.2, 6.1).
    fn record_end(&mut self, now: Instant, source: SourceId, end: &End) {
        let failure = match end {
            End::Completed => return,
            End::Failed(failure) if failure.is_baseless_none && self.is_initializing() => return,
            End::Failed(failure) => Some(failure.clone()),
            End::StreamEnded => Some(Failure::network("the server ended the stream")),
            End::Goodbye => None,
        };
        self.on_trouble(now, source);
        let error = failure.map(|failure| failure.at(now));
        if let Some(stint) = self.stint.as_mut().filter(|_| error.is_some()) {
            stint.on_error();
        }
        let status = self.status.on_interrupted(now, error, self.held.is_held());
        self.outbox.status(status);
    }
}

//! Whose turn it is: start, initializers, fallback, recovery, directive, removal, the end.

use super::{DataSystem, Phase};
use crate::effect::{SourceId, SourceSwitched, SwitchReason};
use crate::policy::{Next, Stint};
use crate::source::{End, Failure};
use crate::status::{ErrorKind, SourceError};
use crate::time::Instant;

impl DataSystem {
    pub(super) fn start(&mut self, now: Instant) {
        self.status.on_start(now);
        if self.config.is_offline() || !self.config.has_sources() {
            self.phase = Phase::Settled;
            self.outbox.status(self.status.on_valid(now));
            self.outbox.readiness(self.ready.on_ready());
            return;
        }
        let first = if self.config.inner().initializers.is_empty() {
            SourceId::Synchronizer(0)
        } else {
            SourceId::Initializer(0)
        };
        self.switch(now, Stint::new(first, now), SwitchReason::Started);
    }

    /// Gives a source its turn. Its first attempt is due at the turn's start.
    fn begin_turn(&mut self, stint: Stint, why: SwitchReason) {
        self.phase = Phase::Running;
        self.switched(Some(stint.source()), why);
        self.stint = Some(stint);
    }

    fn switched(&mut self, to: Option<SourceId>, why: SwitchReason) {
        let error = self.status.last_error().cloned();
        self.outbox.switched(SourceSwitched { to, why, error });
    }

    /// Gives a source its turn now, and begins its first attempt.
    fn switch(&mut self, now: Instant, stint: Stint, why: SwitchReason) {
        self.begin_turn(stint, why);
        self.begin_attempt(now);
    }

    /// The initializer at `index` is through (B 3.1).
    pub(super) fn next_initializer(&mut self, now: Instant, index: usize) {
        let next = index + 1;
        if self.held.selector().is_none() && next < self.config.inner().initializers.len() {
            let stint = Stint::new(SourceId::Initializer(next), now);
            return self.switch(now, stint, SwitchReason::Initialized);
        }
        self.end_initializers();
        match self.roster.first() {
            Some(first) => {
                let stint = Stint::new(SourceId::Synchronizer(first), now);
                self.switch(now, stint, SwitchReason::Initialized);
            }
            None => self.settle(now, SwitchReason::Initialized),
        }
    }

    /// The initializers are through: data without a selector is enough to be ready (B 6.4).
    fn end_initializers(&mut self) {
        if self.held.is_held() {
            self.outbox.readiness(self.ready.on_ready());
        }
    }

    /// Initializers only (B 6.8).
    fn settle(&mut self, now: Instant, why: SwitchReason) {
        if !self.held.is_held() {
            return self.give_up(now, why);
        }
        self.stint = None;
        self.phase = Phase::Settled;
        self.outbox.status(self.status.on_valid(now));
        self.switched(None, why);
    }

    /// The initializer makes no progress, or takes too long (B 3.1).
    pub(super) fn leave_initializer(&mut self, now: Instant) {
        self.leave(now, "the initializer made too little progress");
        if let Some(SourceId::Initializer(index)) = self.current() {
            if self.directed.is_pending() {
                return self.engage_directive(now, None);
            }
            self.next_initializer(now, index);
        }
    }

    /// Leaves the source whose turn it is. If it showed no error, that it was left is one (B 3.3).
    fn leave(&mut self, now: Instant, message: &'static str) {
        self.end_turn(now);
        if self.stint.as_ref().is_some_and(|stint| !stint.has_shown_error()) {
            let error = Failure::network(message).at(now);
            self.outbox.status(self.status.on_error(now, error));
        }
    }

    /// Ends the turn of the source that has it, without a word.
    fn end_turn(&mut self, now: Instant) {
        self.drop_attempt();
        if let Some(source) = self.current() {
            self.end_health(now, source);
        }
    }

    /// Health ends where the turn does, for the back-off's counter (B 8.1).
    pub(super) fn end_health(&mut self, now: Instant, source: SourceId) {
        let timing = *self.config.timing();
        self.backoff(source).on_trouble(now, &timing);
    }

    /// Unhealthy for too long: the next synchronizer, or with no other an end of the attempt
    /// (B 3.3, 3.5).
    pub(super) fn fall_back(&mut self, now: Instant) {
        let Some(SourceId::Synchronizer(index)) = self.current() else { return };
        if !self.roster.has_other(index) {
            let failure = Failure::network("the connection brought no data for too long");
            return self.on_end(now, End::Failed(failure));
        }
        self.leave(now, "the source brought no data in time");
        self.advance(now, index, SwitchReason::Fallback);
    }

    /// The next synchronizer of the list has its turn, after the pause of a fruitless round.
    fn advance(&mut self, now: Instant, index: usize, why: SwitchReason) {
        let timing = *self.config.timing();
        match self.roster.next_after(index, &timing, &mut self.rng) {
            Some(Next { index, pause }) if pause.is_zero() => {
                self.switch(now, Stint::new(SourceId::Synchronizer(index), now), why);
            }
            Some(Next { index, pause }) => {
                self.begin_turn(Stint::new(SourceId::Synchronizer(index), now + pause), why);
            }
            None => self.give_up(now, why),
        }
    }

    /// Back to the first available synchronizer, on trial (B 3.4).
    pub(super) fn recover(&mut self, now: Instant) {
        let (Some(SourceId::Synchronizer(left)), Some(first)) =
            (self.current(), self.roster.first())
        else {
            return;
        };
        self.end_turn(now);
        self.roster.begin_round();
        let stint = Stint::new(SourceId::Synchronizer(first), now).on_trial(left);
        self.switch(now, stint, SwitchReason::Recovery);
    }

    /// The first available synchronizer is silent: back to the one that was left for it (B 3.4).
    pub(super) fn end_trial(&mut self, now: Instant) {
        let Some(left) = self.stint.as_ref().and_then(Stint::left) else { return };
        self.leave(now, "the source was silent after the recovery to it");
        let stint = Stint::new(SourceId::Synchronizer(left), now);
        self.switch(now, stint, SwitchReason::RecoveryFailed);
    }

    /// Removes a source for good and moves on (B 3.6).
    pub(super) fn remove(&mut self, now: Instant, source: SourceId, failure: &Failure) {
        match source {
            SourceId::Synchronizer(index) => {
                self.roster.remove(index);
                self.advance(now, index, SwitchReason::Removed);
            }
            SourceId::Fdv1 => {
                self.has_fdv1 = false;
                match self.roster.first() {
                    Some(_) => self.halt(now, failure.at(now), SwitchReason::Removed),
                    None => self.give_up(now, SwitchReason::Removed),
                }
            }
            SourceId::Initializer(index) => self.next_initializer(now, index),
        }
    }

    /// Puts a pending directive in force: only FDv1 from now on (B 5.2, 5.3, 5.5).
    pub(super) fn engage_directive(&mut self, now: Instant, failure: Option<&Failure>) {
        if !self.directed.engage(now, &mut self.rng) {
            return;
        }
        self.end_turn(now);
        self.end_initializers();
        if self.has_fdv1 {
            let stint = Stint::new(SourceId::Fdv1, now);
            return self.switch(now, stint, SwitchReason::Directive);
        }
        self.halt(now, no_fdv1(failure).at(now), SwitchReason::Directive);
    }

    /// Nothing is asked for until the directive's time ends (B 5.5, 5.6).
    fn halt(&mut self, now: Instant, error: SourceError, why: SwitchReason) {
        self.phase = Phase::Halted;
        self.stint = None;
        self.outbox.status(self.status.on_off(now, Some(error.clone()), false));
        self.outbox.readiness(self.ready.on_given_up(Some(error)));
        self.switched(None, why);
    }

    /// The directive's time has ended: the first synchronizer not removed starts; with none left
    /// FDv1 goes on (B 5.4).
    pub(super) fn end_directive(&mut self, now: Instant) {
        self.directed.clear();
        let Some(first) = self.roster.first() else {
            if self.phase == Phase::Halted {
                self.settle(now, SwitchReason::DirectiveEnded);
            }
            return;
        };
        self.end_turn(now);
        self.roster.begin_round();
        let stint = Stint::new(SourceId::Synchronizer(first), now);
        self.switch(now, stint, SwitchReason::DirectiveEnded);
    }

    /// No source is left (B 3.8).
    fn give_up(&mut self, now: Instant, why: SwitchReason) {
        self.drop_attempt();
        self.phase = Phase::Settled;
        self.stint = None;
        self.directed.clear();
        self.outbox.status(self.status.on_off(now, None, true));
        let error = self.status.last_error().cloned();
        self.outbox.readiness(self.ready.on_given_up(error));
        self.switched(None, why);
    }

    /// Closing: no source is asked any more. The last snapshot stays readable (B 10.4).
    pub(super) fn end_sources(&mut self, now: Instant) {
        self.drop_attempt();
        self.stint = None;
        self.directed.clear();
        self.outbox.status(self.status.on_off(now, None, true));
    }
}

/// Why nothing is asked for: the directive, with the failure that it came with.
fn no_fdv1(failure: Option<&Failure>) -> Failure {
    const REASON: &str = "the server directed a fallback to FDv1, and there is no FDv1 source";
    match failure {
        Some(failure) => {
            Failure { message: format!("{}; {REASON}", failure.message).into(), ..failure.clone() }
        }
        None => Failure::new(ErrorKind::Unknown, REASON),
    }
}

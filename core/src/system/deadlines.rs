//! Which deadline is next, and what happens when it has come (B 3.11).

use super::{DataSystem, Phase};
use crate::effect::SourceId;
use crate::policy::Surroundings;
use crate::source::{End, Failure};
use crate::time::Instant;
use crate::timer::{Earliest, Timer};

impl DataSystem {
    /// The deadline that goes first.
    pub(super) fn earliest(&self) -> Option<(Instant, Timer)> {
        let mut earliest = Earliest::default();
        if matches!(self.phase, Phase::Running | Phase::Halted) {
            earliest.offer(Timer::DirectiveEnd, self.directed.until());
        }
        self.mirror.offer_deadlines(self.config.timing(), &mut earliest);
        self.offer_attempt(&mut earliest);
        self.offer_turn(&mut earliest);
        earliest.first()
    }

    fn offer_attempt(&self, earliest: &mut Earliest) {
        let timing = self.config.timing();
        let Some(live) = &self.live else {
            let next = self.stint.as_ref().and_then(|stint| stint.next_attempt());
            return earliest.offer(Timer::Attempt, next);
        };
        live.attempt.offer_deadlines(timing, earliest);
        if self.directed.is_pending() {
            earliest.offer(Timer::Directive, live.attempt.directive_limit(timing));
        }
    }

    fn offer_turn(&self, earliest: &mut Earliest) {
        let Some(stint) = &self.stint else { return };
        match stint.source() {
            SourceId::Initializer(_) => {
                let due = stint.initializer_due(self.config.timing());
                earliest.offer(Timer::Initializer, Some(due));
            }
            SourceId::Synchronizer(index) if !self.directed.is_pending() => {
                let around = self.surroundings(index);
                earliest.offer(Timer::Recovery, stint.recovery_due(around));
                earliest.offer(Timer::RecoveryTrial, stint.trial_due(around));
                earliest.offer(Timer::Fallback, stint.fallback_due(around));
            }
            SourceId::Synchronizer(_) | SourceId::Fdv1 => {}
        }
    }

    fn surroundings(&self, index: usize) -> Surroundings<'_> {
        let attempt = self.live.as_ref().map(|live| &live.attempt);
        Surroundings {
            timing: self.config.timing(),
            is_empty: !self.held.is_held(),
            has_other: self.roster.has_other(index),
            is_later: self.roster.first() != Some(index),
            attempt_started: attempt.map(|attempt| attempt.started()),
            open_progress: attempt.and_then(|attempt| attempt.open_progress()),
        }
    }

    /// Fires everything that is due, one by one: each may change what is due next.
    pub(super) fn fire_due(&mut self, now: Instant) {
        while let Some((_, timer)) = self.earliest().filter(|(at, _)| *at <= now) {
            self.fire(now, timer);
            self.begin_store_work(now);
            self.outbox.flush();
        }
    }

    fn fire(&mut self, now: Instant, timer: Timer) {
        match timer {
            Timer::Grace => self.stop(),
            Timer::StoreWrite => self.give_up_write(now),
            // The probe begins as the store's next work.
            Timer::StoreProbe => {}
            Timer::Directive => self.engage_directive(now, None),
            Timer::DirectiveEnd => self.end_directive(now),
            Timer::Recovery => self.recover(now),
            Timer::RecoveryTrial => self.end_trial(now),
            Timer::Fallback => self.fall_back(now),
            Timer::Initializer => self.leave_initializer(now),
            Timer::Head => self.time_out(now, "the response head did not come in time"),
            Timer::Silence => self.time_out(now, "the connection was silent for too long"),
            Timer::PollLimit => self.time_out(now, "the poll's body was not whole in time"),
            Timer::Stall => self.time_out(now, "the open transfer made no progress"),
            Timer::Attempt => self.begin_attempt(now),
        }
    }

    fn time_out(&mut self, now: Instant, message: &'static str) {
        self.on_end(now, End::Failed(Failure::network(message)));
    }
}

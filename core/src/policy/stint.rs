//! One source's turn, from its start until it is left.

use super::health::Health;
use crate::config::Timing;
use crate::effect::SourceId;
use crate::time::Instant;

/// A source's turn. Plain data; every deadline is worked out from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stint {
    source: SourceId,
    started: Instant,
    health: Health,
    last_progress: Instant,
    has_shown_error: bool,
    /// After a recovery, the synchronizer to return to if this one is silent (B 3.4).
    left: Option<usize>,
    /// When the next attempt is due, while none is live.
    next_attempt: Option<Instant>,
}

/// What a turn's deadlines depend on besides the turn itself.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) timing: &'a Timing,
    /// No source ever applied data.
    pub(crate) is_empty: bool,
    /// There is another synchronizer to go to.
    pub(crate) has_other: bool,
    /// This is not the first available synchronizer.
    pub(crate) is_later: bool,
    /// When the live attempt began.
    pub(crate) attempt_started: Option<Instant>,
    /// The last progress of the transfer that is open.
    pub(crate) open_progress: Option<Instant>,
}

impl Stint {
    /// A turn that begins at `started`, which may be the end of a pause.
    pub(crate) fn new(source: SourceId, started: Instant) -> Self {
        Self {
            source,
            started,
            health: Health::new(started),
            last_progress: started,
            has_shown_error: false,
            left: None,
            next_attempt: Some(started),
        }
    }

    /// The same, on trial: back to `left` if it is silent.
    pub(crate) fn on_trial(self, left: usize) -> Self {
        Self { left: Some(left), ..self }
    }

    pub(crate) fn source(&self) -> SourceId {
        self.source
    }

    pub(crate) fn has_shown_error(&self) -> bool {
        self.has_shown_error
    }

    /// The synchronizer to return to, while on trial.
    pub(crate) fn left(&self) -> Option<usize> {
        self.left
    }

    pub(crate) fn next_attempt(&self) -> Option<Instant> {
        self.next_attempt
    }

    pub(crate) fn schedule(&mut self, at: Instant) {
        self.next_attempt = Some(at);
    }

    pub(crate) fn on_attempt(&mut self) {
        self.next_attempt = None;
    }

    pub(crate) fn on_progress(&mut self, now: Instant) {
        self.last_progress = now;
    }

    pub(crate) fn on_completed(&mut self, now: Instant, timing: &Timing) {
        self.on_progress(now);
        self.health.on_completed(now, timing);
        self.left = None;
    }

    pub(crate) fn on_trouble(&mut self, now: Instant) {
        self.health.on_trouble(now);
    }

    pub(crate) fn on_error(&mut self) {
        self.has_shown_error = true;
    }

    /// When an initializer is left (B 3.1).
    pub(crate) fn initializer_due(&self, timing: &Timing) -> Instant {
        let idle = self.last_progress + timing.initializer_idle;
        idle.min(self.started + timing.initializer_limit)
    }

    /// When to go back to the first available synchronizer (B 3.4).
    pub(crate) fn recovery_due(&self, around: Surroundings<'_>) -> Option<Instant> {
        around.is_later.then(|| self.health.recovery_due(around.timing)).flatten()
    }

    /// When a recovery has failed (B 3.4).
    pub(crate) fn trial_due(&self, around: Surroundings<'_>) -> Option<Instant> {
        self.left.map(|_| self.last_progress + around.timing.recovery_trial)
    }

    /// When the synchronizer, or with no other its attempt, has been unhealthy for too long
    /// (B 3.3, 3.5).
    pub(crate) fn fallback_due(&self, around: Surroundings<'_>) -> Option<Instant> {
        let unhealthy_since = self.health.unhealthy_since()?;
        if !around.has_other {
            let open_since = around.attempt_started?.max(unhealthy_since);
            return Some(around.hold_up(open_since + around.timing.fallback_after));
        }
        let unhealthy = around.hold_up(unhealthy_since + around.timing.fallback_after);
        Some(self.silence_due(around).map_or(unhealthy, |silent| silent.min(unhealthy)))
    }

    /// While there is no data at all, progress is asked for much sooner.
    fn silence_due(&self, around: Surroundings<'_>) -> Option<Instant> {
        if !around.is_empty {
            return None;
        }
        let within = around.timing.first_data_within;
        let latest = self.started + within + around.timing.progress_grace;
        Some(around.hold_up(self.last_progress + within).min(latest))
    }
}

impl Surroundings<'_> {
    /// A deadline waits while an open transfer makes progress, for so long in all (B 3.3).
    fn hold_up(&self, deadline: Instant) -> Instant {
        match self.open_progress {
            Some(progress) => deadline
                .max(progress + self.timing.progress_within)
                .min(deadline + self.timing.progress_grace),
            None => deadline,
        }
    }
}

//! Every reason to wake up, in the order in which they go on one instant (B 3.11).

use crate::time::Instant;

/// A reason to wake up. Timers are not armed and cleared: each deadline is worked out from the
/// state of its machine, so none can outlive its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Timer {
    /// Closing has waited long enough for the store (B 10.2).
    Grace,
    /// A pending directive takes effect, its transfer complete or not (B 5.2).
    Directive,
    /// The directive's time has ended (B 5.4).
    DirectiveEnd,
    /// Health has lasted: back to the first available synchronizer (B 3.4).
    Recovery,
    /// The first available synchronizer is silent after a recovery (B 3.4).
    RecoveryTrial,
    /// The synchronizer was unhealthy for too long (B 3.3, 3.5).
    Fallback,
    /// The initializer makes no progress, or is not through (B 3.1).
    Initializer,
    /// No response head (B 8.6).
    Head,
    /// No byte of the body (B 8.4, 4.4).
    Silence,
    /// The poll body is not whole (B 4.4).
    PollLimit,
    /// The open transfer makes no progress (B 8.6).
    Stall,
    /// The store does not answer a write (B 9.5).
    StoreWrite,
    /// The next attempt is due: a retry, a poll, or the end of a pause (B 8.1, 4.1, 3.7).
    Attempt,
    /// The next probe of a store that does not answer (B 9.6).
    StoreProbe,
}

impl Timer {
    /// What it is for, for people.
    pub(crate) fn what(self) -> &'static str {
        match self {
            Self::Grace => "closing has waited long enough for the store",
            Self::Directive => "a pending directive takes effect",
            Self::DirectiveEnd => "the directive's time ends",
            Self::Recovery => "recovery to the first available synchronizer",
            Self::RecoveryTrial => "the recovered synchronizer is silent",
            Self::Fallback => "fallback to the next synchronizer",
            Self::Initializer => "the initializer takes too long",
            Self::Head => "no response head",
            Self::Silence => "no byte of the body",
            Self::PollLimit => "the poll body is not whole",
            Self::Stall => "the open transfer stalls",
            Self::StoreWrite => "the store does not answer",
            Self::StoreProbe => "the next probe of the store",
            Self::Attempt => "the next attempt",
        }
    }
}

/// The deadlines of one moment, reduced to the one that goes first.
#[derive(Default)]
pub(crate) struct Earliest(Option<(Instant, Timer)>);

impl Earliest {
    /// Takes part, if there is a deadline.
    pub(crate) fn offer(&mut self, timer: Timer, deadline: Option<Instant>) {
        let Some(at) = deadline else { return };
        if self.0.is_none_or(|first| (at, timer) < first) {
            self.0 = Some((at, timer));
        }
    }

    pub(crate) fn first(self) -> Option<(Instant, Timer)> {
        self.0
    }
}

//! One connection or poll of a source, whatever the source is.

use std::sync::Arc;

use http::HeaderValue;

use super::custom::CustomAttempt;
use super::http::HttpAttempt;
use super::{Look, Report};
use crate::config::Timing;
use crate::effect::Outcome;
use crate::snapshot::Garbage;
use crate::time::Instant;
use crate::timer::Earliest;

/// A live attempt. Reports are taken one by one, so that what one of them commits is held when
/// the next is worked out.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attempt {
    Http(Box<HttpAttempt>),
    Custom(CustomAttempt),
}

impl Attempt {
    /// Takes in one outcome.
    pub(crate) fn accept(&mut self, look: Look<'_>, outcome: Outcome) {
        match self {
            Self::Http(http) => http.accept(look, outcome),
            Self::Custom(custom) => custom.accept(look, outcome),
        }
    }

    /// The next report of what was taken in, until there is none.
    pub(crate) fn next_report(&mut self, look: Look<'_>) -> Option<Report> {
        match self {
            Self::Http(http) => http.next_report(look),
            Self::Custom(custom) => custom.next_report(look),
        }
    }

    /// Whether more follows from the event that was last reported of.
    pub(crate) fn is_mid_event(&self) -> bool {
        match self {
            Self::Http(http) => http.is_mid_event(),
            Self::Custom(custom) => custom.is_mid_event(),
        }
    }

    /// When it began.
    pub(crate) fn started(&self) -> Instant {
        match self {
            Self::Http(http) => http.started(),
            Self::Custom(custom) => custom.started(),
        }
    }

    /// The last progress of a transfer that is open; `None` if none is (B 3.3).
    pub(crate) fn open_progress(&self) -> Option<Instant> {
        match self {
            Self::Http(http) => http.open_progress(),
            Self::Custom(custom) => custom.open_progress(),
        }
    }

    /// When a directive that came with the head takes effect at the latest (B 5.2).
    pub(crate) fn directive_limit(&self, timing: &Timing) -> Option<Instant> {
        match self {
            Self::Http(http) => http.directive_limit(timing),
            Self::Custom(custom) => custom.directive_limit(timing),
        }
    }

    /// The environment's id in the response's head (B 6.6).
    pub(crate) fn environment_id(&self) -> Option<&Arc<str>> {
        match self {
            Self::Http(http) => http.environment_id(),
            Self::Custom(custom) => custom.environment_id(),
        }
    }

    /// The ETag in the response's head (B 4.2).
    pub(crate) fn tag(&self) -> Option<&HeaderValue> {
        match self {
            Self::Http(http) => http.tag(),
            Self::Custom(_) => None,
        }
    }

    /// Whether it outlives a completed transfer. One that does not tells its end by itself.
    pub(crate) fn is_lasting(&self) -> bool {
        match self {
            Self::Http(http) => http.is_lasting(),
            Self::Custom(custom) => custom.is_lasting(),
        }
    }

    /// Its own timeouts.
    pub(crate) fn offer_deadlines(&self, timing: &Timing, earliest: &mut Earliest) {
        match self {
            Self::Http(http) => http.offer_deadlines(timing, earliest),
            Self::Custom(_) => {}
        }
    }

    /// What it had collected, to be freed elsewhere.
    pub(crate) fn into_garbage(self) -> Garbage {
        match self {
            Self::Http(http) => http.into_garbage(),
            Self::Custom(_) => Garbage::default(),
        }
    }
}

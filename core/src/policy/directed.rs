//! The directive to fall back to FDv1: pending, then in force (B 5.2 to 5.5).

use std::time::Duration;

use crate::rng::Rng;
use crate::source::{DEFAULT_TTL, Directive};
use crate::time::Instant;

/// Where the system stands with the server's directive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directed {
    pending: Option<Directive>,
    until: Option<Instant>,
}

impl Directed {
    /// A directive came, and is pending. The newest counts: a goodbye's goes before the header's
    /// that came with the same response (B 5.4).
    pub(crate) fn on_directive(&mut self, directive: Directive) {
        self.pending = Some(directive);
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.pending.is_some()
    }

    /// Puts the pending directive in force, if there is one.
    pub(crate) fn engage(&mut self, now: Instant, rng: &mut Rng) -> bool {
        let Some(directive) = self.pending.take() else { return false };
        let ttl = directive.ttl.unwrap_or_else(|| default_ttl(rng));
        self.until = Some(now + ttl);
        true
    }

    /// When the directive in force ends.
    pub(crate) fn until(&self) -> Option<Instant> {
        self.until
    }

    /// Nothing is pending or in force any more.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

fn default_ttl(rng: &mut Rng) -> Duration {
    let (least, most) = DEFAULT_TTL;
    rng.between(least, most)
}

//! The answer to waiters (B 6.4).

use super::{Readiness, SourceError};

/// Pending, then ready or failed; failed may still become ready, ready stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ready(Readiness);

impl Ready {
    pub(crate) fn new() -> Self {
        Self(Readiness::Pending)
    }

    /// Data is there that makes ready. Tells the answer if that is new.
    pub(crate) fn on_ready(&mut self) -> Option<Readiness> {
        self.change(Readiness::Ready)
    }

    /// Given up.
    pub(crate) fn on_given_up(&mut self, error: Option<SourceError>) -> Option<Readiness> {
        if self.0 == Readiness::Ready {
            return None;
        }
        self.change(Readiness::Failed(error))
    }

    fn change(&mut self, answer: Readiness) -> Option<Readiness> {
        if self.0 == answer {
            return None;
        }
        self.0 = answer;
        Some(self.0.clone())
    }
}

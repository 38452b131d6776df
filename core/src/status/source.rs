//! The legal transitions of the data source's status (B 6.1).

use super::{SourceError, SourceState, SourceStatus};
use crate::time::Instant;

/// The data source's status. Each method tells the new one if there is something new to tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status(SourceStatus);

impl Status {
    pub(crate) fn new() -> Self {
        Self(SourceStatus {
            state: SourceState::Initializing,
            since: Instant::EPOCH,
            last_error: None,
            is_last: false,
        })
    }

    pub(crate) fn last_error(&self) -> Option<&SourceError> {
        self.0.last_error.as_ref()
    }

    /// The system starts: the first state counts from now.
    pub(crate) fn on_start(&mut self, now: Instant) {
        self.0.since = now;
    }

    /// A completed transfer. The last error stays.
    pub(crate) fn on_valid(&mut self, now: Instant) -> Option<SourceStatus> {
        self.change(now, SourceState::Valid, None)
    }

    /// A failure, an end of stream or a goodbye. Before any data it only leaves its error.
    pub(crate) fn on_interrupted(
        &mut self,
        now: Instant,
        error: Option<SourceError>,
        is_held: bool,
    ) -> Option<SourceStatus> {
        let is_first = self.0.state == SourceState::Initializing && !is_held;
        let state = if is_first { SourceState::Initializing } else { SourceState::Interrupted };
        self.change(now, state, error)
    }

    /// An error that changes no state by itself, such as our leaving.
    pub(crate) fn on_error(&mut self, now: Instant, error: SourceError) -> Option<SourceStatus> {
        self.change(now, self.0.state, Some(error))
    }

    /// Nothing is being asked for any more.
    pub(crate) fn on_off(
        &mut self,
        now: Instant,
        error: Option<SourceError>,
        is_last: bool,
    ) -> Option<SourceStatus> {
        if self.0.is_last {
            return None;
        }
        let is_news = is_last;
        self.0.is_last = is_last;
        let changed = self.change(now, SourceState::Off, error);
        changed.or_else(|| is_news.then(|| self.0.clone()))
    }

    fn change(
        &mut self,
        now: Instant,
        state: SourceState,
        error: Option<SourceError>,
    ) -> Option<SourceStatus> {
        let is_old = error.is_none() || error == self.0.last_error;
        if self.0.state == state && is_old {
            return None;
        }
        if self.0.state != state {
            self.0.state = state;
            self.0.since = now;
        }
        self.0.last_error = error.or_else(|| self.0.last_error.take());
        Some(self.0.clone())
    }
}

//! What the outside is told of the persistent store (B 9.6, 9.10).

use std::sync::Arc;

use crate::time::Instant;

/// State of the persistent store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStatus {
    /// The store answers, and holds what it should. Always so without a store.
    pub is_available: bool,
    /// Writes are missing in it, until it is available again.
    pub is_stale: bool,
    /// There is a store, so that the status can change (B 9.10).
    pub is_monitored: bool,
    /// When this began.
    pub since: Instant,
    /// The newest error, kept when the store is available again. Holds no secret (B 11.1).
    pub last_error: Option<Arc<str>>,
    /// The newest record that could not be read. It is lost, and only it (B 9.7).
    pub unreadable: Option<Arc<str>>,
}

impl StoreStatus {
    /// Available until something else is known.
    pub fn new(is_monitored: bool) -> Self {
        Self {
            is_available: true,
            is_stale: false,
            is_monitored,
            since: Instant::EPOCH,
            last_error: None,
            unreadable: None,
        }
    }

    pub(crate) fn unavailable(&mut self, now: Instant, message: &str, is_stale: bool) -> Self {
        self.is_available = false;
        self.is_stale = is_stale;
        self.since = now;
        self.last_error = Some(message.into());
        self.clone()
    }

    pub(crate) fn available(&mut self, now: Instant) -> Self {
        self.is_available = true;
        self.is_stale = false;
        self.since = now;
        self.clone()
    }

    /// A record cannot be read.
    pub(crate) fn unreadable(&mut self, message: Arc<str>) -> Self {
        self.unreadable = Some(message);
        self.clone()
    }

    /// A write is missing. Tells it if that is new.
    pub(crate) fn stale(&mut self) -> Option<Self> {
        let was_stale = std::mem::replace(&mut self.is_stale, true);
        (!was_stale).then(|| self.clone())
    }
}

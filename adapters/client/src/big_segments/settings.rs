//! A store of memberships with its thread, and how it is used.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::reading::Query;
use super::store::BigSegmentStore;
use crate::evaluate::unix_millis;
use crate::store::{Lane, Owned, QUERIES, Reader, StoreError, Ticket, start};

/// The shortest interval between two questions for metadata.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(1);

/// A store of memberships with the thread that its calls run on, and how it is used.
///
/// Clones share store and thread. No runtime waits for the thread. It ends when the last clone is
/// gone and the call that has begun is done; then the store is closed and dropped.
#[derive(Clone)]
pub struct BigSegments {
    worker: Arc<Worker>,
    pub(super) cache_size: usize,
    pub(super) cache_time: Duration,
    pub(super) poll_interval: Duration,
    pub(super) stale_after: Duration,
    /// Milliseconds since 1970.
    pub(super) wall_clock: Arc<dyn Fn() -> u64 + Send + Sync>,
}

impl BigSegments {
    /// Gives `store` its thread.
    pub fn new(store: impl BigSegmentStore) -> Self {
        Self::shared(Arc::new(store))
    }

    /// Gives `store` its thread. Do that once for each store, and clone what it gives.
    pub fn shared(store: Arc<dyn BigSegmentStore>) -> Self {
        Self {
            worker: Arc::new(Worker::start(store)),
            cache_size: 1000,
            cache_time: Duration::from_secs(5),
            poll_interval: Duration::from_secs(5),
            stale_after: Duration::from_secs(120),
            wall_clock: Arc::new(unix_millis),
        }
    }

    /// Sets of how many contexts the memberships are remembered: of 1,000 by default. With 0 the
    /// synchronous evaluation never knows any.
    pub fn cache_size(mut self, contexts: usize) -> Self {
        self.cache_size = contexts;
        self
    }

    /// Sets for how long memberships count since they were read: 5 s by default.
    pub fn cache_time(mut self, time: Duration) -> Self {
        self.cache_time = time;
        self
    }

    /// Sets how often to ask how up to date the store is: every 5 s by default, and every
    /// millisecond at most.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.poll_interval = interval.max(SHORTEST_INTERVAL);
        self
    }

    /// Sets for how long the store counts as up to date: 2 minutes by default.
    pub fn stale_after(mut self, time: Duration) -> Self {
        self.stale_after = time;
        self
    }

    /// Sets what is taken for the milliseconds since 1970.
    #[cfg(test)]
    pub(crate) fn wall_clock(mut self, clock: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.wall_clock = Arc::new(clock);
        self
    }

    pub(super) fn ask(&self, query: Query, reader: Reader<Query>) -> Result<Ticket, StoreError> {
        match &self.worker.fault {
            None => self.worker.lane.read(query, reader),
            Some(fault) => Err(fault.clone()),
        }
    }
}

impl fmt::Debug for BigSegments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigSegments")
            .field("cache_size", &self.cache_size)
            .field("cache_time", &self.cache_time)
            .field("poll_interval", &self.poll_interval)
            .field("stale_after", &self.stale_after)
            .finish_non_exhaustive()
    }
}

/// The thread that asks a store.
struct Worker {
    lane: Arc<Lane<Query>>,
    /// Why there is no thread.
    fault: Option<StoreError>,
}

impl Worker {
    fn start(store: Arc<dyn BigSegmentStore>) -> Self {
        let lane = Lane::new(QUERIES);
        let fault = start("fdv2-segments", &lane, &Owned::new(store)).err();
        Self { lane, fault }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.lane.close();
    }
}

//! The handle that applications hold.

use std::fmt;
use std::future::Future;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::Guard;
use fdv2_core::config::SdkKey;
use fdv2_core::context::Context;
use fdv2_core::status::{Availability, Readiness, SourceStatus, StoreStatus};
use fdv2_core::{Config, DataSystem, Instant, Snapshot};
use futures::FutureExt;

use crate::big_segments::{self, BigSegmentStatus};
use crate::driver::drive;
use crate::hook::Hooks;
use crate::listen::{
    BigSegmentStatusStream, SourceSwitches, StatusStream, StoreStatusStream, Warnings,
};
use crate::observe::Stats;
use crate::parts::Parts;
use crate::reading::ThroughStore;
use crate::shared::Shared;
use crate::timer::Limit;
use crate::view::SnapshotView;
use crate::wait::{self, WaitError};
use crate::{Runtime, StartError, Transport, secure_mode};

/// A running data system: its flags, its health, and the way to close it.
///
/// Cheap to clone and to share. The data is read without any lock or wait, from any thread, in or
/// outside of a runtime. Dropping the last handle closes the system without waiting (B 10.3).
#[derive(Clone)]
pub struct Client(Arc<Handle>);

/// Closes when the last client goes.
struct Handle {
    shared: Arc<Shared>,
    sdk_key: Option<SdkKey>,
    instance_id: Box<str>,
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.shared.control().close(Client::CLOSE_TIMEOUT);
    }
}

impl Client {
    /// How long to wait in [`close`](Self::close) when there is no reason for another time: 2 s
    /// (B 10.1).
    pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

    /// Starts a system on `runtime`, with requests through `transport`. Returns at once: the data
    /// comes later, see [`wait_for_initialization`](Self::wait_for_initialization).
    ///
    /// This is what the crates of the runtimes build on. Applications use those.
    ///
    /// # Errors
    /// [`StartError::UnknownSource`], [`StartError::UnusedSource`], [`StartError::SameName`],
    /// [`StartError::NoStore`], [`StartError::UnusedStore`] and [`StartError::UsedTap`] when `config`
    /// and `parts` do not fit, and whatever [`Runtime::spawn`] refuses.
    pub fn start_with<R: Runtime, T: Transport>(
        config: Config,
        runtime: R,
        transport: T,
        parts: impl Into<Parts>,
    ) -> Result<Self, StartError> {
        let parts = parts.into();
        parts.check(&config)?;
        let clock = runtime.clone();
        let shared = Shared::new(
            Arc::new(move || clock.now()),
            parts.reading(&config),
            parts.memberships(&config),
            Hooks::new(parts.hooks.clone()),
        );
        let shared = Arc::new(shared);
        let sdk_key = config.sdk_key().cloned();
        let seed = seed();
        let tap = parts.open_tap(&config, seed)?;
        let system = DataSystem::new(config, seed);
        let instance_id = system.instance_id().into();
        let driver = drive(system, tap, runtime.clone(), transport, parts, Arc::clone(&shared));
        runtime.spawn(driver.boxed())?;
        let client = Self(Arc::new(Handle { shared, sdk_key, instance_id }));
        client.poll_big_segments(runtime)?;
        Ok(client)
    }

    /// The first question for the status is put here, before any evaluation can ask.
    fn poll_big_segments<R: Runtime>(&self, runtime: R) -> Result<(), StartError> {
        let Some(reading) = self.shared().memberships() else { return Ok(()) };
        let (shared, reading) = (Arc::clone(self.shared()), Arc::clone(reading));
        reading.serve(&shared);
        let first = reading.ask_metadata();
        let polling = big_segments::poll(runtime.clone(), shared, reading, first);
        runtime.spawn(polling.boxed())
    }

    /// The data of this moment, for many evaluations on the same data.
    pub fn snapshot(&self) -> SnapshotView {
        SnapshotView::new(Guard::into_inner(self.load()))
    }

    /// The data of this moment for one evaluation, without counting up a reference.
    pub(crate) fn load(&self) -> Guard<Arc<Snapshot>> {
        self.shared().snapshot().load()
    }

    /// The data source's status (B 6.1).
    pub fn status(&self) -> SourceStatus {
        self.shared().facts().status().clone()
    }

    /// Whether flags can be trusted (B 6.4).
    pub fn initialized(&self) -> bool {
        *self.shared().facts().readiness() == Readiness::Ready
    }

    /// How good the data is (B 6.5).
    pub fn availability(&self) -> Availability {
        let from_store = self.shared().reading().is_some_and(|reading| reading.is_available());
        let least = if from_store { Availability::Cached } else { Availability::Defaults };
        self.load().availability().max(least)
    }

    /// The persistent store's status (B 9.6). Without a store it is available, and nothing is
    /// monitored.
    pub fn store_status(&self) -> StoreStatus {
        self.shared().facts().store_status().clone()
    }

    /// The persistent store's statuses, from the present one on, until the client is closed. A
    /// reader that does not keep up loses the oldest ones.
    pub fn store_status_stream(&self) -> StoreStatusStream {
        StoreStatusStream::new(self.shared().facts().subscribe_store_status())
    }

    /// The status of the store of [big segments](crate::big_segments): not available before its
    /// first answer, and without one.
    pub fn big_segment_status(&self) -> BigSegmentStatus {
        self.shared().facts().big_segment_status().cloned().unwrap_or_default()
    }

    /// The statuses of the store of [big segments](crate::big_segments), from its first answer or
    /// the present one on, until the client is closed. A reader that does not keep up loses the
    /// oldest ones.
    pub fn big_segment_status_stream(&self) -> BigSegmentStatusStream {
        BigSegmentStatusStream::new(self.shared().facts().subscribe_big_segment_status())
    }

    /// Evaluation that asks stores for what it lacks, and waits for them, off the executor: the
    /// persistent store, while that is what counts (before the first data, and in daemon mode,
    /// B 9.9), and the store of [big segments](crate::big_segments). Where neither is needed it is
    /// the same as evaluating on the client.
    pub fn through_store(&self) -> ThroughStore<'_> {
        ThroughStore(self.shared())
    }

    /// The environment's id, once a response with valid data has named it (B 6.6).
    pub fn environment_id(&self) -> Option<Arc<str>> {
        self.shared().environment_id()
    }

    /// What tells this client from all others: a random UUID that every request of it carries
    /// (C 1.4).
    pub fn instance_id(&self) -> &str {
        &self.0.instance_id
    }

    /// Proof for a client-side SDK in secure mode that this service knows `context`: the
    /// HMAC-SHA256 of its canonical key under the SDK key, in hexadecimal (C 3.7). `None` without an
    /// SDK key, and for an invalid context.
    pub fn secure_mode_hash(&self, context: &Context) -> Option<String> {
        let key = self.0.sdk_key.as_ref().filter(|_| context.is_valid())?;
        secure_mode::hash(key, context)
    }

    /// The present moment on the clock of [`SourceStatus::since`] and of the times of errors.
    pub fn now(&self) -> Instant {
        self.shared().now()
    }

    /// Waits until the system is initialized, for at most `timeout` from now (B 6.4).
    ///
    /// Any number can wait at once, and any duration is legal. Dropping a wait changes nothing.
    ///
    /// # Errors
    /// [`WaitError`], at once when the answer is known already. All but
    /// [`WaitError::Closed`] can still turn into success later, for those who wait then.
    pub fn wait_for_initialization(
        &self,
        timeout: Duration,
    ) -> impl Future<Output = Result<(), WaitError>> + Send + use<> {
        wait::initialization(Arc::clone(self.shared()), Limit::after(timeout))
    }

    /// The data source's statuses, from the present one on. It ends after the last: OFF without any
    /// source left, or closed (B 3.8). A reader that does not keep up loses the oldest ones.
    pub fn status_stream(&self) -> StatusStream {
        StatusStream::new(self.shared().facts().subscribe_status())
    }

    /// The changes of source from now on, until the client is closed. A reader that does not keep
    /// up loses the oldest ones.
    pub fn source_switches(&self) -> SourceSwitches {
        SourceSwitches::new(self.shared().facts().subscribe_switches())
    }

    /// What harms nothing but should be known: what peers do that makes no sense, each kind once a
    /// client (B 1.1, 1.4), and the first failure of each [`Hook`](crate::Hook). Those so far come
    /// first. For the application's log.
    pub fn warnings(&self) -> Warnings {
        Warnings::new(self.shared().facts().subscribe_warnings())
    }

    /// What the client has done since it started, and what it holds: cheap enough for every scrape
    /// of an exporter.
    pub fn stats(&self) -> Stats {
        self.shared().stats()
    }

    /// Closes the system: connections are closed, waits are released, streams end, the status is
    /// OFF, and the last data stays readable (B 10).
    ///
    /// Takes `timeout` at most, whatever peers do. It can be called any number of times, from
    /// anywhere, at the same time. Once polled, it goes on even if the future is dropped.
    pub fn close(&self, timeout: Duration) -> impl Future<Output = ()> + Send + use<> {
        wait::close(Arc::clone(self.shared()), timeout)
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0.shared
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("status", &self.status().state)
            .field("initialized", &self.initialized())
            .field("availability", &self.availability())
            .finish_non_exhaustive()
    }
}

/// The randomness of one client: the delays of many must not fall together.
fn seed() -> u64 {
    std::hash::RandomState::new().hash_one(std::time::SystemTime::now())
}

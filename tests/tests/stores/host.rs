//! Clients with a store on every runtime, fed by the test.

use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};

use async_io::Timer;
use fdv2_client::big_segments::BigSegments;
use fdv2_client::config::{Custom, StoreMode};
use fdv2_client::store::{PersistentStore, Record, Store};
use fdv2_client::{CacheMode, Client, Config};
use fdv2_tests::feed::Feed;
use fdv2_tests::runtimes::within_patience;
use fdv2_tests::store_conformance::Contents;
use tokio::runtime::{Builder, Runtime};

pub(crate) use fdv2_tests::on_every_runtime;
pub(crate) use fdv2_tests::runtimes::{PATIENCE, eventually};

/// How long a closing client waits for its store.
pub(crate) const GRACE: Duration = Duration::from_millis(200);

/// A runtime.
pub(crate) enum Host {
    Tokio(Runtime),
    Smol(Arc<smol::Executor<'static>>),
}

impl Host {
    pub(crate) fn tokio_multi_thread() -> Self {
        let mut builder = Builder::new_multi_thread();
        Self::Tokio(builder.worker_threads(2).enable_all().build().unwrap())
    }

    pub(crate) fn tokio_current_thread() -> Self {
        Self::Tokio(Builder::new_current_thread().enable_all().build().unwrap())
    }

    pub(crate) fn smol() -> Self {
        Self::Smol(Arc::default())
    }

    /// Runs `future` on this runtime, for a bounded time.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let future = within_patience(future);
        match self {
            Self::Tokio(runtime) => runtime.block_on(future),
            Self::Smol(executor) => smol::block_on(executor.run(future)),
        }
    }

    /// Runs something that blocks where the application runs such things.
    pub(crate) async fn unblock<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> T {
        match self {
            Self::Tokio(runtime) => runtime.spawn_blocking(work).await.unwrap(),
            Self::Smol(_) => smol::unblock(work).await,
        }
    }

    /// A client of a store alone.
    pub(crate) fn daemon(&self, store: Store, cache: CacheMode) -> Client {
        let config = Config::daemon()
            .adjust_timing(|timing| timing.store_probe = Duration::from_millis(20))
            .build()
            .unwrap();
        self.start_as(config, store, cache)
    }

    /// A client of this configuration with a store.
    pub(crate) fn start_as(&self, config: Config, store: Store, cache: CacheMode) -> Client {
        let client = match self {
            Self::Tokio(runtime) => fdv2_tokio::ClientBuilder::new(config)
                .runtime(runtime.handle().clone())
                .store(store)
                .cache(cache)
                .start(),
            Self::Smol(executor) => fdv2_smol::ClientBuilder::new(config)
                .executor(executor)
                .store(store)
                .cache(cache)
                .start(),
        };
        client.unwrap()
    }

    /// A client that the test feeds, with a store of the members of big segments.
    pub(crate) fn start_with_segments(&self, segments: BigSegments) -> (Client, Feed) {
        let (feed, source) = Feed::new();
        let config = Config::custom("sdk-key").synchronizer(Custom::new("feed")).build().unwrap();
        let client = match self {
            Self::Tokio(runtime) => fdv2_tokio::ClientBuilder::new(config)
                .runtime(runtime.handle().clone())
                .custom_source("feed", source)
                .big_segments(segments)
                .start(),
            Self::Smol(executor) => fdv2_smol::ClientBuilder::new(config)
                .executor(executor)
                .custom_source("feed", source)
                .big_segments(segments)
                .start(),
        };
        (client.unwrap(), feed)
    }

    /// A client that the test feeds and that writes to `store`.
    pub(crate) fn start(&self, store: Store) -> (Client, Feed) {
        let (feed, source) = Feed::new();
        let config = Config::custom("sdk-key")
            .synchronizer(Custom::new("feed"))
            .store(StoreMode::ReadWrite)
            .adjust_timing(|timing| timing.store_probe = Duration::from_millis(20))
            .build()
            .unwrap();
        let client = match self {
            Self::Tokio(runtime) => fdv2_tokio::ClientBuilder::new(config)
                .runtime(runtime.handle().clone())
                .custom_source("feed", source)
                .store(store)
                .start(),
            Self::Smol(executor) => fdv2_smol::ClientBuilder::new(config)
                .executor(executor)
                .custom_source("feed", source)
                .store(store)
                .start(),
        };
        (client.unwrap(), feed)
    }
}

/// Waits until a store holds exactly these records.
pub(crate) async fn holds(store: &dyn PersistentStore, records: &[Record]) {
    let begun = Instant::now();
    let expected = Ok(Contents::of(records));
    loop {
        let held = Contents::read(store);
        if held == expected {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{held:?} instead of {expected:?}");
        Timer::after(Duration::from_millis(5)).await;
    }
}

/// Waits until readers see a flag in this version.
pub(crate) async fn shows(client: &Client, key: &str, version: u64) {
    let seen = || client.snapshot().flag(key).map(|flag| flag.version());
    eventually("the change of a flag", || seen() == Some(version)).await;
}

//! The runtimes, with their tasks counted.

use std::future::Future;
use std::sync::Arc;

use fdv2_client::store::Store;
use fdv2_client::{Client, Config};
use fdv2_tests::runtimes::within_patience;
use tokio::runtime::{Builder, Runtime};

/// A runtime.
pub(crate) enum Host {
    Tokio(Runtime),
    Smol(Arc<smol::Executor<'static>>),
}

impl Host {
    pub(crate) fn tokio_multi_thread() -> Self {
        Self::Tokio(Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
    }

    pub(crate) fn tokio_current_thread() -> Self {
        Self::Tokio(Builder::new_current_thread().enable_all().build().unwrap())
    }

    pub(crate) fn smol() -> Self {
        Self::Smol(Arc::default())
    }

    /// Runs `future` and all tasks of this runtime, for a bounded time.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        self.run_on(within_patience(future))
    }

    /// Runs `future`, which bounds its time itself, and all tasks of this runtime.
    pub(crate) fn run_on<T>(&self, future: impl Future<Output = T>) -> T {
        match self {
            Self::Tokio(runtime) => runtime.block_on(future),
            Self::Smol(executor) => smol::block_on(executor.run(future)),
        }
    }

    pub(crate) fn start(&self, config: Config, store: Option<Store>) -> Client {
        match self {
            Self::Tokio(runtime) => {
                let builder = fdv2_tokio::ClientBuilder::new(config);
                let builder = builder.runtime(runtime.handle().clone());
                match store {
                    Some(store) => builder.store(store).start().unwrap(),
                    None => builder.start().unwrap(),
                }
            }
            Self::Smol(executor) => {
                let builder = fdv2_smol::ClientBuilder::new(config).executor(executor);
                match store {
                    Some(store) => builder.store(store).start().unwrap(),
                    None => builder.start().unwrap(),
                }
            }
        }
    }

    /// Whether no task is alive.
    pub(crate) fn is_idle(&self) -> bool {
        match self {
            Self::Tokio(runtime) => runtime.metrics().num_alive_tasks() == 0,
            Self::Smol(executor) => executor.is_empty(),
        }
    }
}

//! The runtime that the clients are on.

use std::io;
use std::sync::Arc;

use clap::ValueEnum;
use fdv2_client::{Client, Config, StartError};

use crate::start::Extras;

#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum RuntimeName {
    Tokio,
    Smol,
}

/// A running one. Clones are the same.
#[derive(Clone)]
pub(crate) enum Runtime {
    Tokio(Arc<tokio::runtime::Runtime>),
    /// smol's global executor, whose threads are its own.
    Smol,
}

impl Runtime {
    pub(crate) fn new(name: RuntimeName) -> io::Result<Self> {
        Ok(match name {
            RuntimeName::Tokio => Self::Tokio(Arc::new(
                tokio::runtime::Builder::new_multi_thread()
                    .worker_threads(2)
                    .enable_all()
                    .thread_name("clients")
                    .build()?,
            )),
            RuntimeName::Smol => Self::Smol,
        })
    }

    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Tokio(_) => "tokio",
            Self::Smol => "smol",
        }
    }

    pub(crate) fn start(&self, config: Config, extras: Extras) -> Result<Client, StartError> {
        match self {
            Self::Tokio(runtime) => {
                let builder = fdv2_tokio::ClientBuilder::new(config);
                start!(builder.runtime(runtime.handle().clone()), extras)
            }
            Self::Smol => start!(fdv2_smol::ClientBuilder::new(config), extras),
        }
    }
}

/// The builders of both runtimes have the same methods, and no type in common.
macro_rules! start {
    ($builder:expr, $extras:expr) => {{
        let (mut builder, extras) = ($builder, $extras);
        if let Some((store, cache)) = extras.store {
            builder = builder.store(store).cache(cache);
        }
        if let Some(http) = extras.http {
            builder = builder.http(http);
        }
        if let Some(segments) = extras.big_segments {
            builder = builder.big_segments(segments);
        }
        for hook in extras.hooks {
            builder = builder.hook(hook);
        }
        builder.start()
    }};
}
use start;

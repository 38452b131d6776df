//! One client, on either runtime.

use std::fmt;

use fdv2_client::http::HttpOptions;
use fdv2_client::store::Store;
use fdv2_client::{Client, Config, StartError, Tap};

use crate::args::Runtime;

impl Runtime {
    /// Starts a client. Both are driven the same way from then on, from whatever thread.
    pub(crate) fn start(
        self,
        config: Config,
        store: Option<Store>,
        tap: Option<Tap>,
    ) -> Result<Client, StartError> {
        match self {
            Self::Tokio => {
                let builder = fdv2_tokio::ClientBuilder::new(config);
                let builder = with(builder, store, fdv2_tokio::ClientBuilder::store);
                with(builder, tap, fdv2_tokio::ClientBuilder::tap).start()
            }
            Self::Smol => {
                let builder = fdv2_smol::ClientBuilder::new(config);
                let builder = with(builder, store, fdv2_smol::ClientBuilder::store);
                with(builder, tap, fdv2_smol::ClientBuilder::tap).start()
            }
        }
    }

    /// Starts a client of a server on this machine, which leaves the environment's proxies alone.
    pub(crate) fn start_locally(
        self,
        config: Config,
        store: Option<Store>,
    ) -> Result<Client, StartError> {
        let http = HttpOptions::builder().no_proxy().build();
        let http = http.map_err(|error| StartError::Transport(error.to_string()))?;
        match self {
            Self::Tokio => {
                let builder = fdv2_tokio::ClientBuilder::new(config).http(http);
                with(builder, store, fdv2_tokio::ClientBuilder::store).start()
            }
            Self::Smol => {
                let builder = fdv2_smol::ClientBuilder::new(config).http(http);
                with(builder, store, fdv2_smol::ClientBuilder::store).start()
            }
        }
    }
}

/// Adds what there is.
fn with<B, T>(builder: B, added: Option<T>, add: impl FnOnce(B, T) -> B) -> B {
    match added {
        Some(added) => add(builder, added),
        None => builder,
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tokio => "tokio",
            Self::Smol => "smol",
        })
    }
}

//! One client, on either runtime.

use std::fmt;

use fdv2_client::store::Store;
use fdv2_client::{Client, Config, StartError};
use fdv2_smol::{HyperBackend, surf};
use fdv2_tokio::{reqwest, tls};

use crate::args::Runtime;

impl Runtime {
    /// Starts a client. Both are driven the same way from then on, from whatever thread.
    pub(crate) fn start(self, config: Config, store: Option<Store>) -> Result<Client, StartError> {
        match self {
            Self::Tokio => {
                let builder = fdv2_tokio::ClientBuilder::new(config);
                with(builder, store, fdv2_tokio::ClientBuilder::store).start()
            }
            Self::Smol => {
                let builder = fdv2_smol::ClientBuilder::new(config);
                with(builder, store, fdv2_smol::ClientBuilder::store).start()
            }
        }
    }

    /// Starts a client of a server on this machine: over an HTTP client of the command's own, which
    /// leaves the environment's proxies alone.
    pub(crate) fn start_locally(
        self,
        config: Config,
        store: Option<Store>,
    ) -> Result<Client, StartError> {
        let tls = tls::tls_config([])?;
        match self {
            Self::Tokio => {
                let http = reqwest::Client::builder().tls_backend_preconfigured(tls).no_proxy();
                let http =
                    http.build().map_err(|error| StartError::Transport(error.to_string()))?;
                let builder = fdv2_tokio::ClientBuilder::new(config).http_client(http);
                with(builder, store, fdv2_tokio::ClientBuilder::store).start()
            }
            Self::Smol => {
                let backend = HyperBackend::new(tls, config.limits().head_bytes).without_proxies();
                let http = surf::Client::with_http_client(backend);
                let builder = fdv2_smol::ClientBuilder::new(config).http_client(http);
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

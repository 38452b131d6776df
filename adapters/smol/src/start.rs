//! Starting a client on smol.

use std::sync::Arc;

use fdv2_client::http::{Http, HttpChoice};
use fdv2_client::{Client, Config, Parts, StartError};
use smol::Executor;

use crate::{SmolRuntime, SurfTransport};

/// Starts a client on smol's global executor, from any thread.
///
/// Returns at once; the flags come later, see [`Client::wait_for_initialization`].
///
/// # Errors
/// As [`ClientBuilder::start`].
pub fn start(config: Config) -> Result<Client, StartError> {
    ClientBuilder::new(config).start()
}

/// What a client is started with, beside its [`Config`].
#[must_use = "it starts nothing before `start`"]
pub struct ClientBuilder {
    config: Config,
    runtime: SmolRuntime,
    http: HttpChoice<surf::Client>,
    parts: Parts,
}

impl ClientBuilder {
    /// smol's global executor, and an HTTP client of our own.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            runtime: SmolRuntime::global(),
            http: HttpChoice::new(),
            parts: Parts::new(),
        }
    }

    /// Runs on this executor, as long as somebody holds and runs it: when it is gone, the client is
    /// closed (B 10.3). It can be started from any thread.
    pub fn executor(mut self, executor: &Arc<Executor<'static>>) -> Self {
        self.runtime = SmolRuntime::on(executor);
        self
    }

    /// Sends every request through the application's own HTTP client, which is never closed by us
    /// (B 11.4).
    ///
    /// It keeps its own backend, pool, TLS settings, redirects and timeouts. With that some
    /// promises become its own: a timeout in it ends streams, redirects it follows may carry the
    /// SDK key along (B 8.5), and surf's own backends do not close a socket at once, and lose bodies
    /// and headers of some forms. One made with [`HyperBackend`](crate::HyperBackend) keeps all
    /// promises.
    pub fn http_client(mut self, client: surf::Client) -> Self {
        self.http.own(client);
        self
    }

    fdv2_client::http_of_a_builder!();
    fdv2_client::parts_of_a_builder!();

    /// Starts the client.
    ///
    /// # Errors
    /// [`StartError::Runtime`] when the executor that was handed in is gone;
    /// [`StartError::Transport`] when the HTTP client cannot be made, for one with a SOCKS proxy;
    /// [`StartError::Contradiction`] when settings were handed in beside an HTTP client that they
    /// do not reach;
    /// [`StartError::UnknownSource`], [`StartError::UnusedSource`], [`StartError::SameName`],
    /// [`StartError::NoStore`], [`StartError::UnusedStore`] and [`StartError::UsedTap`] when what was
    /// handed in does not fit the configuration.
    pub fn start(self) -> Result<Client, StartError> {
        let head_bytes = self.config.limits().head_bytes;
        let transport = match self.http.decide()? {
            Http::Own(client) => SurfTransport::with_client(client, head_bytes),
            Http::Ours(options) => SurfTransport::new(options, head_bytes)?,
        };
        Client::start_with(self.config, self.runtime, transport, self.parts)
    }
}

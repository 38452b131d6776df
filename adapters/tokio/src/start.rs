//! Starting a client on tokio.

use fdv2_client::http::{Http, HttpChoice};
use fdv2_client::{Client, Config, Parts, StartError};
use tokio::runtime::Handle;

use crate::{ReqwestTransport, TokioRuntime};

/// Starts a client on the tokio runtime that this thread is in.
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
    runtime: Option<Handle>,
    http: HttpChoice<reqwest::Client>,
    parts: Parts,
}

impl ClientBuilder {
    /// The runtime that this thread is in, and an HTTP client of our own.
    pub fn new(config: Config) -> Self {
        Self { config, runtime: None, http: HttpChoice::new(), parts: Parts::new() }
    }

    /// Runs on this runtime. The client can then be started from any thread.
    pub fn runtime(mut self, handle: Handle) -> Self {
        self.runtime = Some(handle);
        self
    }

    /// Sends every request through the application's own HTTP client, which is never closed by us
    /// (B 11.4).
    ///
    /// It keeps its own pool, proxies, TLS settings, name look-ups, redirects and timeouts. With
    /// that some promises become its own: a timeout in it ends streams, redirects it follows may
    /// carry the SDK key along (B 8.5), and reqwest's default look-ups can hold up the end of the
    /// runtime (B 10.5).
    pub fn http_client(mut self, client: reqwest::Client) -> Self {
        self.http.own(client);
        self
    }

    fdv2_client::http_of_a_builder!();
    fdv2_client::parts_of_a_builder!();

    /// Starts the client.
    ///
    /// # Errors
    /// [`StartError::Runtime`] outside of a tokio runtime, and on one without time or I/O;
    /// [`StartError::Transport`] when the HTTP client cannot be made;
    /// [`StartError::Contradiction`] when settings were handed in beside an HTTP client that they
    /// do not reach;
    /// [`StartError::UnknownSource`], [`StartError::UnusedSource`], [`StartError::SameName`],
    /// [`StartError::NoStore`], [`StartError::UnusedStore`] and [`StartError::UsedTap`] when what was
    /// handed in does not fit the configuration.
    pub fn start(self) -> Result<Client, StartError> {
        let runtime = match self.runtime {
            Some(handle) => TokioRuntime::new(handle)?,
            None => TokioRuntime::current()?,
        };
        let head_bytes = self.config.limits().head_bytes;
        let transport = match self.http.decide()? {
            Http::Own(client) => ReqwestTransport::with_client(client, head_bytes),
            Http::Ours(options) => ReqwestTransport::new(options, head_bytes)?,
        };
        Client::start_with(self.config, runtime, transport, self.parts)
    }
}

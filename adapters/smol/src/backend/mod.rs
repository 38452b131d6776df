//! A backend of surf on hyper and `async-io`.

mod body;
mod connect;
mod paced;
mod proxy;
mod tcp;

use std::fmt;

use fdv2_client::StartError;
use fdv2_client::http::HttpOptions;
use fdv2_core::TransportError;
use http::header::{self, HeaderMap, HeaderValue};
use http_client::http_types::StatusCode;
use http_client::{Config, Error, HttpClient, Request, Response, async_trait};

use crate::convert;
use connect::Connector;

/// Speaks HTTP/1.1, one connection a request, and spawns nothing: the connection is polled inside
/// the response's body, so that dropping the body closes the socket at once.
///
/// It has no timeouts, follows no redirects, and asks for gzip but leaves it to its user to undo. A
/// SOCKS proxy of the environment (`ALL_PROXY`) is an error at each request.
/// With it an application can make a [`surf::Client`] of its own, with its own middleware.
pub struct HyperBackend {
    connector: Connector,
    head_bytes: usize,
    config: Config,
}

impl HyperBackend {
    /// A backend with these settings. A response head over `head_bytes` is an error.
    ///
    /// # Errors
    /// [`StartError::Transport`] when a SOCKS proxy is named, which only tokio has, and when the
    /// environment names a proxy that cannot be used.
    pub fn new(options: impl Into<HttpOptions>, head_bytes: usize) -> Result<Self, StartError> {
        let config = Config::new().set_http_keep_alive(false).set_tcp_no_delay(true);
        Ok(Self {
            connector: Connector::new(&options.into())?,
            head_bytes,
            config: config.set_timeout(None),
        })
    }

    async fn exchange(&self, request: Request) -> Result<Response, TransportError> {
        let mut request = convert::from_surf(request).await?;
        complete(request.headers_mut());
        let (socket, request) = self.connector.connect(request).await?;
        let (head, body) = body::exchange(socket, request, self.head_bytes).await?;
        Ok(convert::to_surf_response(head, body))
    }
}

/// Adds the headers that belong to the connection.
fn complete(headers: &mut HeaderMap) {
    headers.entry(header::ACCEPT_ENCODING).or_insert(HeaderValue::from_static("gzip"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
}

impl fmt::Debug for HyperBackend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HyperBackend").field("head_bytes", &self.head_bytes).finish()
    }
}

#[async_trait]
impl HttpClient for HyperBackend {
    async fn send(&self, request: Request) -> Result<Response, Error> {
        let exchange = self.exchange(request).await;
        exchange.map_err(|error| Error::new(StatusCode::BadGateway, error))
    }

    /// Nothing of it applies here; it is only kept.
    fn set_config(&mut self, config: Config) -> Result<(), Error> {
        self.config = config;
        Ok(())
    }

    fn config(&self) -> &Config {
        &self.config
    }
}

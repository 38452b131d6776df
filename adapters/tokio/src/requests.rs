//! Requests by reqwest.

use std::error::Error;

use fdv2_client::StartError;
use fdv2_client::tls::rustls::ClientConfig;
use fdv2_client::transport::{Transport, check_head, describe};
use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::stream::{self, BoxStream, StreamExt};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};

use crate::lookup::Lookups;

/// The HTTP client of tokio's users: [`reqwest`].
#[derive(Clone)]
pub struct ReqwestTransport {
    client: Client,
    head_bytes: usize,
}

impl ReqwestTransport {
    /// A client of our own with these TLS settings: no timeouts, no redirects, proxies from the
    /// environment. Response heads over `head_bytes` are refused (B 1.13).
    ///
    /// # Errors
    /// [`StartError::Transport`] when reqwest refuses the settings.
    pub fn new(tls: ClientConfig, head_bytes: usize) -> Result<Self, StartError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .dns_resolver(Lookups::default())
            .pool_max_idle_per_host(1)
            .build()
            .map_err(|error| StartError::Transport(describe(&error.without_url())))?;
        Ok(Self::with_client(client, head_bytes))
    }

    /// The application's own client. Its pool, redirects, timeouts and look-ups are its own.
    pub fn with_client(client: Client, head_bytes: usize) -> Self {
        Self { client, head_bytes }
    }
}

impl Transport for ReqwestTransport {
    fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
        let begun = Exchange::Begun(self.clone(), request);
        stream::unfold(begun, Exchange::step).boxed()
    }
}

/// How far one request has come.
enum Exchange {
    Begun(ReqwestTransport, Request),
    Body(Response),
    Over,
}

impl Exchange {
    async fn step(self) -> Option<(Outcome, Self)> {
        let next = match self {
            Self::Begun(transport, request) => transport.head(request).await,
            Self::Body(response) => next_chunk(response).await,
            Self::Over => return None,
        };
        Some(next.unwrap_or_else(|error| (Outcome::ResponseEnd(Err(error)), Self::Over)))
    }
}

impl ReqwestTransport {
    async fn head(self, request: Request) -> Result<(Outcome, Exchange), TransportError> {
        let request = request.0.map(|()| reqwest::Body::default());
        let request = reqwest::Request::try_from(request).map_err(failure)?;
        let mut response = self.client.execute(request).await.map_err(failure)?;
        let status = response.status().as_u16();
        let head = ResponseHead { status, headers: std::mem::take(response.headers_mut()) };
        check_head(&head, self.head_bytes)?;
        Ok((Outcome::ResponseHead(head), Exchange::Body(response)))
    }
}

async fn next_chunk(mut response: Response) -> Result<(Outcome, Exchange), TransportError> {
    Ok(match response.chunk().await.map_err(failure)? {
        Some(bytes) => (Outcome::ResponseChunk(bytes), Exchange::Body(response)),
        None => (Outcome::ResponseEnd(Ok(())), Exchange::Over),
    })
}

fn failure(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    TransportError { kind: kind(&error), message: describe(&error) }
}

fn kind(error: &reqwest::Error) -> TransportErrorKind {
    if error.is_connect() {
        return TransportErrorKind::Connect;
    }
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.downcast_ref().is_some_and(hyper::Error::is_parse) || is_invalid_data(error) {
            return TransportErrorKind::Malformed;
        }
        cause = error.source();
    }
    TransportErrorKind::Broken
}

fn is_invalid_data(error: &(dyn Error + 'static)) -> bool {
    let error: Option<&std::io::Error> = error.downcast_ref();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::InvalidData)
}

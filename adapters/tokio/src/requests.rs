//! Requests by reqwest.

use std::error::Error;

use fdv2_client::StartError;
use fdv2_client::tls::rustls::ClientConfig;
use fdv2_client::transport::{Transport, accept_gzip, describe, outcomes};
use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::stream::{BoxStream, Stream, StreamExt};
use reqwest::Client;
use reqwest::redirect::Policy;

use crate::lookup::Lookups;

/// The HTTP client of tokio's users: [`reqwest`].
#[derive(Clone)]
pub struct ReqwestTransport {
    client: Client,
    head_bytes: usize,
}

impl ReqwestTransport {
    /// A client of our own with these TLS settings: one connection a request, no timeouts, no
    /// redirects, proxies from the environment. Response heads over `head_bytes` are refused (B 1.13).
    ///
    /// # Errors
    /// [`StartError::Transport`] when reqwest refuses the settings.
    pub fn new(tls: ClientConfig, head_bytes: usize) -> Result<Self, StartError> {
        let client = Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .dns_resolver(Lookups::new())
            // An idle connection that its server closes just then would fail a poll.
            .pool_max_idle_per_host(0)
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
    fn send(&self, mut request: Request) -> BoxStream<'static, Outcome> {
        accept_gzip(&mut request);
        outcomes(respond(self.client.clone(), request), self.head_bytes)
    }
}

async fn respond(
    client: Client,
    request: Request,
) -> Result<(ResponseHead, impl Stream<Item = Result<bytes::Bytes, TransportError>>), TransportError>
{
    let request = request.0.map(|()| reqwest::Body::default());
    let request = reqwest::Request::try_from(request).map_err(failure)?;
    let mut response = client.execute(request).await.map_err(failure)?;
    let headers = std::mem::take(response.headers_mut());
    let head = ResponseHead { status: response.status().as_u16(), headers };
    Ok((head, response.bytes_stream().map(|chunk| chunk.map_err(failure))))
}

fn failure(error: reqwest::Error) -> TransportError {
    let error = error.without_url();
    // reqwest's own words say in which phase it was, its cause what happened.
    let message = error.source().map_or_else(|| describe(&error), describe);
    TransportError { kind: kind(&error), message }
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

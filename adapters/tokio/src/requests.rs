//! Requests by reqwest.

use std::error::Error;

use fdv2_client::StartError;
use fdv2_client::http::{HttpOptions, Proxies, ProxyUrl};
use fdv2_client::tls::rustls::ClientConfig;
use fdv2_client::transport::{Transport, accept_gzip, causes, describe, is_malformed, outcomes};
use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::stream::{BoxStream, Stream, StreamExt};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, NoProxy, Proxy};

use crate::lookup::Lookups;

/// The HTTP client of tokio's users: [`reqwest`].
#[derive(Clone)]
pub struct ReqwestTransport {
    client: Client,
    head_bytes: usize,
}

impl ReqwestTransport {
    /// A client of our own with these settings: one connection a request, no timeouts, no
    /// redirects. Response heads over `head_bytes` are refused (B 1.13).
    ///
    /// # Errors
    /// [`StartError::Transport`] when the environment names a proxy that cannot be used, and when
    /// reqwest refuses the settings.
    pub fn new(options: impl Into<HttpOptions>, head_bytes: usize) -> Result<Self, StartError> {
        let options = options.into();
        let builder = Client::builder()
            .tls_backend_preconfigured(ClientConfig::clone(options.tls()))
            .redirect(Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .dns_resolver(Lookups::new())
            // An idle connection that its server closes just then would fail a poll.
            .pool_max_idle_per_host(0);
        let proxies = options.proxies().settle()?;
        let client = with_proxies(builder, &proxies).and_then(ClientBuilder::build);
        let client =
            client.map_err(|error| StartError::Transport(describe(&error.without_url())))?;
        Ok(Self::with_client(client, head_bytes))
    }

    /// The application's own client. Its pool, redirects, timeouts and look-ups are its own.
    pub fn with_client(client: Client, head_bytes: usize) -> Self {
        Self { client, head_bytes }
    }
}

fn with_proxies(builder: ClientBuilder, proxies: &Proxies) -> reqwest::Result<ClientBuilder> {
    let Proxies::Explicit(named) = proxies else {
        let is_direct = *proxies == Proxies::Direct;
        return Ok(if is_direct { builder.no_proxy() } else { builder });
    };
    let except = NoProxy::from_string(named.except());
    let http = named.http().map(ProxyUrl::expose).map(Proxy::http).transpose()?;
    let https = named.https().map(ProxyUrl::expose).map(Proxy::https).transpose()?;
    let proxies = http.into_iter().chain(https).map(|proxy| proxy.no_proxy(except.clone()));
    Ok(proxies.fold(builder, ClientBuilder::proxy))
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
    match is_malformed(error) || is_unparsable(error) {
        true => TransportErrorKind::Malformed,
        false => TransportErrorKind::Broken,
    }
}

fn is_unparsable(error: &reqwest::Error) -> bool {
    causes(error).any(|cause| cause.downcast_ref().is_some_and(hyper::Error::is_parse))
}

//! Requests by surf.

use std::io;

use bytes::Bytes;
use fdv2_client::tls::rustls::ClientConfig;
use fdv2_client::transport::{Transport, check_head, describe};
use fdv2_core::{Outcome, Request, TransportError, TransportErrorKind};
use futures::io::{AsyncBufRead, AsyncBufReadExt};
use futures::stream::{self, BoxStream, StreamExt};
use surf::Client;

use crate::backend::HyperBackend;
use crate::convert;

/// The HTTP client of smol's users: [`surf`].
#[derive(Clone)]
pub struct SurfTransport {
    client: Client,
    head_bytes: usize,
}

impl SurfTransport {
    /// A client over our own [`HyperBackend`] with these TLS settings. Response heads over
    /// `head_bytes` are refused (B 1.13).
    pub fn new(tls: ClientConfig, head_bytes: usize) -> Self {
        let backend = HyperBackend::new(tls, head_bytes);
        Self::with_client(Client::with_http_client(backend), head_bytes)
    }

    /// The application's own client. Its pool, redirects, timeouts and look-ups are its own.
    pub fn with_client(client: Client, head_bytes: usize) -> Self {
        Self { client, head_bytes }
    }
}

impl Transport for SurfTransport {
    fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
        let begun = Exchange::Begun(Box::new((self.clone(), request)));
        stream::unfold(begun, Exchange::step).boxed()
    }
}

type Body = Box<dyn AsyncBufRead + Unpin + Send + Sync>;

/// How far one request has come.
enum Exchange {
    Begun(Box<(SurfTransport, Request)>),
    Body(Body),
    Over,
}

impl Exchange {
    async fn step(self) -> Option<(Outcome, Self)> {
        let next = match self {
            Self::Begun(begun) => begun.0.head(begun.1).await,
            Self::Body(body) => next_chunk(body).await.map_err(body_failure),
            Self::Over => return None,
        };
        Some(next.unwrap_or_else(|error| (Outcome::ResponseEnd(Err(error)), Self::Over)))
    }
}

impl SurfTransport {
    async fn head(self, request: Request) -> Result<(Outcome, Exchange), TransportError> {
        let request = convert::to_surf(request.0)?;
        let mut response = self.client.send(request).await.map_err(failure)?;
        let head = convert::head(&response);
        check_head(&head, self.head_bytes)?;
        Ok((Outcome::ResponseHead(head), Exchange::Body(response.take_body().into_reader())))
    }
}

async fn next_chunk(mut body: Body) -> io::Result<(Outcome, Exchange)> {
    let bytes = Bytes::copy_from_slice(body.fill_buf().await?);
    if bytes.is_empty() {
        return Ok((Outcome::ResponseEnd(Ok(())), Exchange::Over));
    }
    body.consume_unpin(bytes.len());
    Ok((Outcome::ResponseChunk(bytes), Exchange::Body(body)))
}

/// The backend's own error, or what another backend says.
fn failure(error: surf::Error) -> TransportError {
    error.downcast::<TransportError>().unwrap_or_else(|error| TransportError {
        kind: TransportErrorKind::Broken,
        message: describe(error.into_inner().as_ref()),
    })
}

fn body_failure(error: io::Error) -> TransportError {
    let kind = match error.kind() {
        io::ErrorKind::InvalidData => TransportErrorKind::Malformed,
        _ => TransportErrorKind::Broken,
    };
    error
        .downcast::<TransportError>()
        .unwrap_or_else(|error| TransportError { kind, message: describe(&error) })
}

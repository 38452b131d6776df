//! Requests by surf.

use std::io;

use bytes::Bytes;
use fdv2_client::StartError;
use fdv2_client::http::HttpOptions;
use fdv2_client::transport::{Transport, describe, outcomes};
use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::io::{AsyncBufRead, AsyncBufReadExt};
use futures::stream::{self, BoxStream, Stream, TryStreamExt};
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
    /// A client over our own [`HyperBackend`] with these settings. Response heads over `head_bytes`
    /// are refused (B 1.13).
    ///
    /// # Errors
    /// As [`HyperBackend::new`].
    pub fn new(options: impl Into<HttpOptions>, head_bytes: usize) -> Result<Self, StartError> {
        let backend = HyperBackend::new(options, head_bytes)?;
        Ok(Self::with_client(Client::with_http_client(backend), head_bytes))
    }

    /// The application's own client. Its pool, redirects, timeouts and look-ups are its own.
    pub fn with_client(client: Client, head_bytes: usize) -> Self {
        Self { client, head_bytes }
    }
}

impl Transport for SurfTransport {
    fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
        outcomes(respond(self.client.clone(), request), self.head_bytes)
    }
}

async fn respond(
    client: Client,
    request: Request,
) -> Result<(ResponseHead, impl Stream<Item = Result<Bytes, TransportError>>), TransportError> {
    let request = convert::to_surf(request.0)?;
    let mut response = client.send(request).await.map_err(failure)?;
    let head = convert::head(&response);
    let body = response.take_body().into_reader();
    Ok((head, stream::try_unfold(body, next_chunk).map_err(body_failure)))
}

async fn next_chunk<B: AsyncBufRead + Unpin>(mut body: B) -> io::Result<Option<(Bytes, B)>> {
    let bytes = Bytes::copy_from_slice(body.fill_buf().await?);
    body.consume_unpin(bytes.len());
    Ok((!bytes.is_empty()).then_some((bytes, body)))
}

/// The backend's own error, or what another backend says.
fn failure(error: surf::Error) -> TransportError {
    error.downcast::<TransportError>().unwrap_or_else(|error| TransportError {
        kind: TransportErrorKind::Broken,
        message: describe(error.into_inner().as_ref()),
    })
}

fn body_failure(error: io::Error) -> TransportError {
    error.downcast::<TransportError>().unwrap_or_else(|error| TransportError {
        kind: TransportErrorKind::Broken,
        message: describe(&error),
    })
}

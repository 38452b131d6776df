//! From a response to outcomes, whatever the HTTP client.

use std::error::Error;
use std::future::Future;
use std::io;

use bytes::Bytes;
use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, Stream, StreamExt};
use http::{HeaderMap, HeaderValue, header};

use super::gunzip::Gunzip;
use crate::driver::yield_now;

/// Says that the response may be compressed.
pub fn accept_gzip(request: &mut Request) {
    request.0.headers_mut().insert(header::ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
}

/// The outcomes of a request whose response is `response`: its head, and its body as it came, in
/// chunks, until it has ended whole or failed.
///
/// Undoes gzip, and refuses every other compression and a head larger than `head_bytes` (B 1.13).
pub fn outcomes<B>(
    response: impl Future<Output = Result<(ResponseHead, B), TransportError>> + Send + 'static,
    head_bytes: usize,
) -> BoxStream<'static, Outcome>
where
    B: Stream<Item = Result<Bytes, TransportError>> + Send + 'static,
{
    let response = response.map(|response| response.map(|(head, body)| (head, body.boxed())));
    stream::unfold(Stage::Begun(response.boxed(), head_bytes), Stage::step).boxed()
}

type Chunks = BoxStream<'static, Result<Bytes, TransportError>>;

/// How far a request has come.
enum Stage {
    Begun(BoxFuture<'static, Result<(ResponseHead, Chunks), TransportError>>, usize),
    Body(Body),
    Over,
}

impl Stage {
    async fn step(self) -> Option<(Outcome, Self)> {
        let next = match self {
            Self::Begun(response, head_bytes) => {
                response.await.and_then(|(head, chunks)| begin_body(head, chunks, head_bytes))
            }
            Self::Body(body) => body.step().await,
            Self::Over => return None,
        };
        Some(next.unwrap_or_else(|error| (Outcome::ResponseEnd(Err(error)), Self::Over)))
    }
}

fn begin_body(
    mut head: ResponseHead,
    chunks: Chunks,
    head_bytes: usize,
) -> Result<(Outcome, Stage), TransportError> {
    let lengths = head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4);
    if lengths.sum::<usize>() > head_bytes {
        return Err(malformed(format!("the response head is larger than {head_bytes} bytes")));
    }
    let gunzip = take_gzip(&mut head.headers)?.then(|| Box::new(Gunzip::new()));
    Ok((Outcome::ResponseHead(head), Stage::Body(Body { chunks, gunzip })))
}

/// Takes what will be undone out of the head.
fn take_gzip(headers: &mut HeaderMap) -> Result<bool, TransportError> {
    let Some(encoding) = headers.get(header::CONTENT_ENCODING) else { return Ok(false) };
    let is = |name: &str| encoding.as_bytes().eq_ignore_ascii_case(name.as_bytes());
    if is("identity") {
        return Ok(false);
    }
    if !is("gzip") && !is("x-gzip") {
        return Err(malformed("the body is compressed in a way that was not asked for".to_owned()));
    }
    headers.remove(header::CONTENT_ENCODING);
    headers.remove(header::CONTENT_LENGTH);
    Ok(true)
}

struct Body {
    chunks: Chunks,
    gunzip: Option<Box<Gunzip>>,
}

impl Body {
    async fn step(mut self) -> Result<(Outcome, Stage), TransportError> {
        Ok(match self.next().await? {
            Some(bytes) => (Outcome::ResponseChunk(bytes), Stage::Body(self)),
            None => (Outcome::ResponseEnd(Ok(())), Stage::Over),
        })
    }

    async fn next(&mut self) -> Result<Option<Bytes>, TransportError> {
        let Some(gunzip) = &mut self.gunzip else { return self.chunks.next().await.transpose() };
        loop {
            match gunzip.next().map_err(not_gzip)? {
                Some(bytes) if bytes.is_empty() => yield_now().await,
                Some(bytes) => return Ok(Some(bytes)),
                None => match self.chunks.next().await.transpose()? {
                    Some(bytes) => gunzip.push(bytes),
                    None => return gunzip.finish().map(|()| None).map_err(not_gzip),
                },
            }
        }
    }
}

fn not_gzip(error: io::Error) -> TransportError {
    malformed(format!("the body cannot be decompressed: {error}"))
}

fn malformed(message: String) -> TransportError {
    TransportError { kind: TransportErrorKind::Malformed, message }
}

/// The messages of `error` and of what caused it, in one line without repetitions.
///
/// Errors whose text holds an address or a header are to be stripped of it first (B 11.1).
pub fn describe(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    for cause in causes(error).skip(1) {
        let message = cause.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
    }
    text
}

/// `error`, what caused it, what caused that, and so on.
pub fn causes<'a>(
    error: &'a (dyn Error + 'static),
) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Whether the bytes that came are to blame for an error of hyper's, by what caused it.
///
/// What TLS has to complain about looks alike, and is no answer.
pub fn is_malformed(error: &(dyn Error + 'static)) -> bool {
    causes(error).any(|cause| cause.downcast_ref().is_some_and(is_invalid_data))
}

fn is_invalid_data(error: &io::Error) -> bool {
    let is_of_tls = error.get_ref().is_some_and(|cause| cause.is::<rustls::Error>());
    error.kind() == io::ErrorKind::InvalidData && !is_of_tls
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::future;

    use super::*;

    /// The outcomes of a 200 with one header and this body.
    fn told(name: header::HeaderName, value: &str, chunks: &[&'static str]) -> Vec<Outcome> {
        let headers = HeaderMap::from_iter([(name, HeaderValue::from_str(value).unwrap())]);
        let head = ResponseHead { status: 200, headers };
        let chunks: Vec<_> =
            chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes()))).collect();
        let response = future::ready(Ok((head, stream::iter(chunks))));
        block_on(outcomes(response, 108).collect())
    }

    fn is_refused(told: &[Outcome]) -> bool {
        matches!(told, [Outcome::ResponseEnd(Err(error))]
            if error.kind == TransportErrorKind::Malformed)
    }

    #[test]
    fn a_body_is_passed_on_as_it_came() {
        let told = told(header::ETAG, "1", &["a", "b"]);
        let [Outcome::ResponseHead(_), rest @ ..] = told.as_slice() else { panic!("{told:?}") };
        let chunk =
            |text: &'static str| Outcome::ResponseChunk(Bytes::from_static(text.as_bytes()));
        assert_eq!(rest, [chunk("a"), chunk("b"), Outcome::ResponseEnd(Ok(()))]);
    }

    /// B 1.13.
    #[test]
    fn a_head_over_the_limit_is_refused() {
        assert!(!is_refused(&told(header::ETAG, &"x".repeat(100), &[])));
        assert!(is_refused(&told(header::ETAG, &"x".repeat(101), &[])));
    }

    #[test]
    fn a_compression_that_was_not_asked_for_is_refused() {
        assert!(is_refused(&told(header::CONTENT_ENCODING, "br", &["x"])));
        assert!(!is_refused(&told(header::CONTENT_ENCODING, "Identity", &["x"])));
    }

    #[test]
    fn bytes_that_make_no_sense_are_told_from_a_connection_that_broke() {
        #[derive(Debug, thiserror::Error)]
        #[error("reading")]
        struct Reading(#[source] io::Error);

        let invalid = |cause: Box<dyn Error + Send + Sync>| {
            Reading(io::Error::new(io::ErrorKind::InvalidData, cause))
        };
        assert!(is_malformed(&invalid("no chunk".into())));
        assert!(!is_malformed(&invalid(rustls::Error::DecryptError.into())));
        assert!(!is_malformed(&Reading(io::ErrorKind::ConnectionReset.into())));
    }

    #[test]
    fn an_error_is_described_with_its_causes_once() {
        let cause = io::Error::other("refused");
        let kind = TransportErrorKind::Connect;
        let message = format!("no connection: {cause}");
        let error = io::Error::other(TransportError { kind, message });
        assert_eq!(describe(&error), "no connection: refused");
    }
}

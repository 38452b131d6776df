//! What an HTTP client has to offer.

use fdv2_core::{Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::stream::BoxStream;
use http::header;

/// Sends requests.
pub trait Transport: Send + Sync + 'static {
    /// Sends `request` and tells its outcomes: at most one
    /// [`ResponseHead`](Outcome::ResponseHead), then [`ResponseChunk`](Outcome::ResponseChunk)s of
    /// the decompressed body, then one [`ResponseEnd`](Outcome::ResponseEnd), and no more.
    ///
    /// Nothing happens before the stream is polled. It has no timeouts and follows no redirects:
    /// both are the core's. Dropping the stream closes the connection at once.
    fn send(&self, request: Request) -> BoxStream<'static, Outcome>;
}

/// Whether the body behind `head` can be passed on: the head is within `head_bytes` (B 1.13), and
/// its body has been decompressed.
///
/// For the authors of transports, after their HTTP client has undone the compression it knows and
/// taken its `Content-Encoding` out of the head.
///
/// # Errors
/// A [`TransportErrorKind::Malformed`] error that takes the place of the head.
pub fn check_head(head: &ResponseHead, head_bytes: usize) -> Result<(), TransportError> {
    let size: usize =
        head.headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    if size > head_bytes {
        return Err(malformed(format!("the response head is larger than {head_bytes} bytes")));
    }
    let mut encodings = head.headers.get_all(header::CONTENT_ENCODING).iter();
    if encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(malformed("the body is compressed in a way that was not asked for".to_owned()));
    }
    Ok(())
}

fn malformed(message: String) -> TransportError {
    TransportError { kind: TransportErrorKind::Malformed, message }
}

/// The messages of `error` and of what caused it, in one line without repetitions.
///
/// For the authors of transports. Errors whose text holds an address or a header are to be
/// stripped of it first (B 11.1).
pub fn describe(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.contains(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::*;

    fn head(name: header::HeaderName, value: &str) -> ResponseHead {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_str(value).unwrap());
        ResponseHead { status: 200, headers }
    }

    #[test]
    fn a_head_over_the_limit_is_refused() {
        let head = head(header::ETAG, &"x".repeat(100));
        assert!(check_head(&head, 107).is_err());
        assert!(check_head(&head, 108).is_ok());
    }

    #[test]
    fn a_body_that_is_still_compressed_is_refused() {
        assert!(check_head(&head(header::CONTENT_ENCODING, "br"), 1000).is_err());
        assert!(check_head(&head(header::CONTENT_ENCODING, "Identity"), 1000).is_ok());
    }

    #[test]
    fn an_error_is_described_with_its_causes_once() {
        let cause = std::io::Error::other("refused");
        let error = std::io::Error::other(TransportError {
            kind: TransportErrorKind::Connect,
            message: format!("no connection: {cause}"),
        });
        assert_eq!(describe(&error), "no connection: refused");
    }
}

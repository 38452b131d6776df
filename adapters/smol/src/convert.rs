//! Between `http`, which the core speaks, and `http-types`, which surf speaks.
//!
//! `http-types` knows ASCII header values and registered status codes alone. What it cannot say
//! travels untouched in the extensions.

use std::str::FromStr;

use bytes::Bytes;
use fdv2_core::{ResponseHead, TransportError, TransportErrorKind};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use http_client::http_types::headers::{
    HeaderName as SurfName, HeaderValue as SurfValue, Headers as SurfHeaders,
};
use http_client::http_types::{Method, StatusCode, Url, url::Position};
use http_client::{Body, Request, Response};

/// Header values of a request that are not ASCII.
struct OpaqueHeaders(HeaderMap);

/// Status and headers of a response of our backend as they came, its compression included.
struct Head(ResponseHead);

pub(crate) fn to_surf(request: http::Request<()>) -> Result<surf::Request, TransportError> {
    let (parts, ()) = request.into_parts();
    let method = Method::from_str(parts.method.as_str()).map_err(|_| unusable("method"))?;
    let url = Url::parse(&parts.uri.to_string()).map_err(|_| unusable("address"))?;
    let mut request = Request::new(method, url);
    let opaque = append_ascii(request.as_mut(), &parts.headers);
    if !opaque.is_empty() {
        request.ext_mut().insert(OpaqueHeaders(opaque));
    }
    Ok(request.into())
}

pub(crate) async fn from_surf(
    mut request: Request,
) -> Result<http::Request<Bytes>, TransportError> {
    // Before the body is taken, which adds a `content-type`.
    let mut headers = HeaderMap::new();
    append_all(&mut headers, request.as_ref());
    if let Some(OpaqueHeaders(opaque)) = request.ext_mut().remove() {
        headers.extend(opaque);
    }
    let body = request.take_body().into_bytes().await.map_err(|_| unusable("body"))?;
    let mut converted = http::Request::new(Bytes::from(body));
    *converted.headers_mut() = headers;
    *converted.method_mut() = http::Method::from_bytes(request.method().as_ref().as_bytes())
        .map_err(|_| unusable("method"))?;
    *converted.uri_mut() =
        request.url()[..Position::AfterQuery].parse().map_err(|_| unusable("address"))?;
    Ok(converted)
}

pub(crate) fn to_surf_response(head: ResponseHead, body: Body) -> Response {
    let mut response = Response::new(status(head.status));
    response.set_body(body);
    append_ascii(response.as_mut(), &head.headers);
    response.ext_mut().insert(Head(head));
    response
}

pub(crate) fn head(response: &surf::Response) -> ResponseHead {
    match response.ext() {
        Some(Head(head)) => head.clone(),
        None => {
            let mut headers = HeaderMap::new();
            append_all(&mut headers, response.as_ref());
            // Another backend has undone what it asked for, and may have left the header.
            headers.remove(header::CONTENT_ENCODING);
            ResponseHead { status: response.status().into(), headers }
        }
    }
}

/// Appends what `http-types` can say and returns the rest.
fn append_ascii(to: &mut SurfHeaders, from: &HeaderMap) -> HeaderMap {
    let mut rest = HeaderMap::new();
    for (name, value) in from {
        let surf_name = SurfName::from_bytes(name.as_str().as_bytes().to_vec());
        let surf_value = SurfValue::from_bytes(value.as_bytes().to_vec());
        match (surf_name, surf_value) {
            (Ok(name), Ok(value)) => to.append(name, value),
            _ => drop(rest.append(name, value.clone())),
        }
    }
    rest
}

fn append_all(to: &mut HeaderMap, from: &SurfHeaders) {
    for (name, values) in from {
        let Ok(name) = HeaderName::from_bytes(name.as_str().as_bytes()) else { continue };
        for value in values {
            if let Ok(value) = HeaderValue::from_str(value.as_str()) {
                to.append(name.clone(), value);
            }
        }
    }
}

/// The nearest status that `http-types` has a name for.
fn status(code: u16) -> StatusCode {
    StatusCode::try_from(code).unwrap_or(match code {
        200..300 => StatusCode::Ok,
        300..400 => StatusCode::MultipleChoice,
        400..500 => StatusCode::BadRequest,
        _ => StatusCode::InternalServerError,
    })
}

fn unusable(what: &str) -> TransportError {
    TransportError {
        kind: TransportErrorKind::Malformed,
        message: format!("the request's {what} cannot be sent"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(of: &[(&'static str, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in of {
            headers.append(*name, HeaderValue::from_bytes(value).unwrap());
        }
        headers
    }

    #[test]
    fn a_request_comes_through_untouched() {
        let sent = headers(&[("if-none-match", b"\xe9"), ("x-tag", b"one"), ("x-tag", b"two")]);
        let mut request = http::Request::get("http://h:1/a%20b?basis=%2B+x&y='").body(()).unwrap();
        *request.headers_mut() = sent.clone();
        let surf = to_surf(request).unwrap();
        let got = smol::block_on(from_surf(surf.into())).unwrap();
        assert_eq!(got.method(), http::Method::GET);
        assert_eq!(got.uri(), "http://h:1/a%20b?basis=%2B+x&y=%27");
        assert_eq!(got.headers().keys_len(), sent.keys_len());
        for name in sent.keys() {
            let values = |map: &HeaderMap| map.get_all(name).iter().cloned().collect::<Vec<_>>();
            assert_eq!(values(got.headers()), values(&sent), "{name}");
        }
    }

    #[test]
    fn a_head_comes_through_untouched() {
        let headers = headers(&[("etag", b"\xe9"), ("content-encoding", b"gzip")]);
        let sent = ResponseHead { status: 299, headers };
        let response = to_surf_response(sent.clone(), Body::empty());
        assert_eq!(response.status(), StatusCode::Ok);
        assert_eq!(head(&response.into()), sent);
    }

    #[test]
    fn another_backend_has_undone_its_compression() {
        let mut response = Response::new(StatusCode::Ok);
        response.append_header("content-encoding", "gzip");
        response.append_header("etag", "1");
        let head = head(&response.into());
        assert_eq!(head.status, 200);
        assert_eq!(head.headers.get(header::ETAG).unwrap(), "1");
        assert_eq!(head.headers.get(header::CONTENT_ENCODING), None);
    }
}

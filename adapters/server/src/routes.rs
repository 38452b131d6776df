//! What is answered to which request (C 1.2 to 1.10).

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use tokio::sync::watch;
use tower_http::compression::CompressionLayer;

use crate::content::Content;
use crate::control::{Control, OpenStream};
use crate::stream::Session;
use crate::transfer::Transfer;

const WELCOME: &str = "This is an FDv2 development server.\n\
    Point an SDK's base URL here; it serves /sdk/stream, /sdk/poll and /sdk/latest-all.\n";

/// What all handlers share.
pub(crate) struct Service {
    pub(crate) content: watch::Receiver<Arc<Content>>,
    pub(crate) control: Arc<Control>,
    /// The one key that is accepted; any if there is none.
    pub(crate) sdk_key: Option<String>,
    pub(crate) heartbeat: Duration,
}

pub(crate) fn router(service: Arc<Service>) -> Router {
    let polls = Router::new()
        .route("/sdk/poll", get(poll))
        .route("/sdk/latest-all", get(latest_all))
        .layer(CompressionLayer::new());
    Router::new()
        .route("/sdk/stream", get(stream))
        .merge(polls)
        .route_layer(middleware::from_fn_with_state(service.clone(), authorize))
        .route("/", get(async || WELCOME))
        .with_state(service)
}

async fn authorize(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let given = given.map(|value| value.strip_prefix(b"api_key ").unwrap_or(value));
    match (given, &service.sdk_key) {
        (None | Some(b""), _) => refuse("the Authorization header with the SDK key is missing"),
        (Some(given), Some(key)) if given != key.as_bytes() => {
            refuse("this is not the SDK key that the server was started with")
        }
        _ => next.run(request).await,
    }
}

fn refuse(why: &'static str) -> Response {
    (StatusCode::UNAUTHORIZED, why).into_response()
}

/// The query of FDv2 requests.
#[derive(serde::Deserialize)]
struct Asked {
    basis: Option<String>,
}

async fn stream(State(service): State<Arc<Service>>, Query(asked): Query<Asked>) -> Response {
    if service.control.refuses_streams() {
        return (StatusCode::SERVICE_UNAVAILABLE, "streams are refused for now").into_response();
    }
    let session = Session::new(
        service.content.clone(),
        service.control.orders(),
        service.heartbeat,
        asked.basis.as_deref(),
        OpenStream::new(service.control.clone()),
    );
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Body::from_stream(session.into_body())).into_response()
}

async fn poll(
    State(service): State<Arc<Service>>,
    Query(asked): Query<Asked>,
    headers: HeaderMap,
) -> Response {
    let content = service.content.borrow().clone();
    let need = content.need_of(asked.basis.as_deref());
    tagged(&headers, &content, || {
        let pieces = Transfer::poll(content.clone(), need).map(Ok::<_, Infallible>);
        Body::from_stream(futures::stream::iter(pieces))
    })
}

async fn latest_all(State(service): State<Arc<Service>>, headers: HeaderMap) -> Response {
    let content = service.content.borrow().clone();
    tagged(&headers, &content, || content.fdv1_body().into())
}

/// The body, or 304 to a client that names the tag of this content already.
///
/// The tag names what a client holds once it has applied the body, so that it does not depend on
/// the basis.
fn tagged(headers: &HeaderMap, content: &Content, body: impl FnOnce() -> Body) -> Response {
    let tag = format!("\"{}\"", content.state());
    if has_tag(headers, &tag) {
        return (StatusCode::NOT_MODIFIED, [(header::ETAG, tag)]).into_response();
    }
    let headers = [(header::CONTENT_TYPE, "application/json".to_owned()), (header::ETAG, tag)];
    (headers, body()).into_response()
}

fn has_tag(headers: &HeaderMap, tag: &str) -> bool {
    headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|given| given.trim().trim_start_matches("W/") == tag)
}

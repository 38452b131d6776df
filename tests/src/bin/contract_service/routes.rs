//! The service's HTTP interface (C 3.2).

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use fdv2_client::Client;
use tokio::sync::watch;

use crate::callback::Caller;
use crate::clients::Clients;
use crate::commands;
use crate::configuration::Create;
use crate::refusal::{Refusal, read};
use crate::runtime::Runtime;
use crate::start::start;
use crate::status::status;

struct Service {
    runtime: Runtime,
    clients: Clients,
    caller: Caller,
    stop: watch::Sender<bool>,
}

type Shared = State<Arc<Service>>;

pub(crate) fn router(runtime: Runtime, stop: watch::Sender<bool>) -> Router {
    let service = Service { runtime, clients: Clients::default(), caller: Caller::new(), stop };
    Router::new()
        .route("/", get(say_status).post(create).delete(exit))
        .route("/clients/{number}", post(command).delete(close))
        .with_state(Arc::new(service))
}

async fn say_status(State(service): Shared) -> Response {
    json(&status(&service.runtime))
}

async fn create(State(service): Shared, body: Bytes) -> Result<Response, Refusal> {
    let Create { configuration } = read(&body)?;
    let client = start(&configuration, &service.runtime, &service.caller).await?;
    let location = format!("/clients/{}", service.clients.add(client));
    Ok((StatusCode::CREATED, [(header::LOCATION, location)]).into_response())
}

async fn command(
    State(service): Shared,
    Path(number): Path<u64>,
    body: Bytes,
) -> Result<Response, Refusal> {
    let held = service.clients.find(number)?;
    let answer = commands::run(&held, &service.caller, &body).await?;
    Ok(answer.map_or_else(|| StatusCode::NO_CONTENT.into_response(), |answer| json(&answer)))
}

async fn close(State(service): Shared, Path(number): Path<u64>) -> Result<StatusCode, Refusal> {
    let held = service.clients.take(number)?;
    held.client.close(Client::CLOSE_TIMEOUT).await;
    Ok(StatusCode::NO_CONTENT)
}

async fn exit(State(service): Shared) -> StatusCode {
    // If nobody listens, it is stopping already.
    let _ = service.stop.send(true);
    StatusCode::NO_CONTENT
}

fn json(value: &serde_json::Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

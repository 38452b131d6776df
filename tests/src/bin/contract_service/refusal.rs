//! Requests that are not served, and why.

use std::fmt::Display;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

/// Why a request is not served: a status, and a text that says what is wrong.
pub(crate) struct Refusal(StatusCode, String);

impl Refusal {
    /// The request cannot be understood, or asks for what there is not.
    pub(crate) fn malformed(why: impl Display) -> Self {
        Self(StatusCode::BAD_REQUEST, why.to_string())
    }

    /// There is no such thing here.
    pub(crate) fn unknown(what: impl Display) -> Self {
        Self(StatusCode::NOT_FOUND, format!("there is no {what}"))
    }

    /// The request was good, and it did not work.
    pub(crate) fn failed(why: impl Display) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, why.to_string())
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.0, self.1 + "\n").into_response()
    }
}

/// The request in a body.
pub(crate) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Refusal> {
    serde_json::from_slice(body)
        .map_err(|error| Refusal::malformed(format!("the request cannot be read: {error}")))
}

//! What the tests drive the service with, and what it talks to.

mod check;
mod data;
mod database;
mod endpoints;
mod handlers;
mod sdk;
mod service;
mod setup;
mod streams;

pub(crate) use check::{never, soon};
pub(crate) use data::{Payload, flag, rename, segment};
pub(crate) use database::Database;
use endpoints::Asked;
pub(crate) use endpoints::{Endpoint, Handler, Mocks};
pub(crate) use handlers::{
    broken, directive, fdv1, hanging, in_turn, poll, poll_with, status, unavailable_poll,
};
pub(crate) use sdk::Sdk;
use service::Answer;
pub(crate) use service::Service;
pub(crate) use setup::{DefaultSystem, Setup, start_streaming};
pub(crate) use streams::Stream;

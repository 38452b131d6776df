//! One suite for every runtime, over real loopback sockets.
#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]

mod again;
mod host;
mod wire;

mod bodies;
mod cryptography;
mod endings;
mod heads;
mod options;
mod sockets;
mod tls;
mod trust;

mod closing;
mod closing_bounds;
mod faults;
mod files;
mod hooks;
mod initializing;
mod polls;
mod proxies;
mod proxies_named;
mod recordings;
mod requests;
mod secrets;
mod sharing;
mod starting;
mod streams;
mod waiting;

pub(crate) use fdv2_tests::on_every_runtime;

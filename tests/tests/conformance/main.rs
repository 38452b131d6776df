//! The contract of LaunchDarkly's public test suite, as tests of our own: each drives the contract test
//! service over HTTP, on every runtime, against servers that do what the contract says (C 1 to 4).
//!
//! A test is a function of a [`Service`](support::Service), named as a sentence, in the file of its
//! group; `on_both_runtimes!` stamps it out. It mounts endpoints on a server of its own
//! ([`Mocks`](support::Mocks)), asks the service for a client with a configuration
//! ([`Setup`](support::Setup)), and looks at requests, at evaluations and at callbacks. Bounds are
//! those of the contract, ten times as long for machines under load, or as they are there with
//! `FDV2_EXACT_BOUNDS=1` on a quiet machine; the times in which something must
//! not happen are as they are there. Tests that wait for minutes go into `long_on_both_runtimes!`.
#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]
#![allow(clippy::print_stdout, reason = "what the long tests have measured")]

mod support;

mod big_segments;
mod client_not_ready;
mod contexts;
mod directive;
mod ending;
mod evaluation;
mod fallback;
mod headers;
mod hooks;
mod listeners;
mod persistence;
mod persistence_writes;
mod polling;
mod proxies;
mod service;
mod streaming_fdv2;
mod streaming_requests;
mod streaming_retry;
mod streaming_validation;
mod tls;
mod tombstones;

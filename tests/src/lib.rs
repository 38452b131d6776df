//! The harness: a simulator of the core in virtual time with the invariants that hold at all times,
//! and what the tests over sockets share.

#[cfg(feature = "adapters")]
pub mod dev_server;
#[cfg(feature = "adapters")]
pub mod fault_proxy;
#[cfg(feature = "adapters")]
pub mod feed;
#[cfg(feature = "adapters")]
pub mod frail_store;
pub mod fuzz;
pub mod invariants;
pub mod made_up;
pub mod measure;
pub mod model;
pub mod ran;
#[cfg(feature = "adapters")]
pub mod redis_server;
#[cfg(feature = "adapters")]
pub mod runtimes;
pub mod samples;
#[cfg(feature = "adapters")]
pub mod scratch;
#[cfg(feature = "adapters")]
pub mod server;
pub mod sim;
pub mod steps;
#[cfg(feature = "adapters")]
pub mod store_conformance;
pub mod streamed;
pub mod typical;

/// The README's examples.
#[cfg(all(doctest, feature = "adapters"))]
#[doc = include_str!("../../README.md")]
struct Readme;

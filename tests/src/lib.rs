//! Harness.

#[cfg(feature = "adapters")]
pub mod server;

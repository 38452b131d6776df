//! What an HTTP client has to offer, and what is the same for all of them.

#[cfg(feature = "http")]
mod gunzip;
#[cfg(feature = "http")]
mod outcomes;

use fdv2_core::{Outcome, Request};
use futures::stream::BoxStream;

#[cfg(feature = "http")]
pub use outcomes::{accept_gzip, causes, describe, is_malformed, outcomes};

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

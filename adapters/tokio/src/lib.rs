//! Feature flags by LaunchDarkly's Flag Delivery v2 protocol, on tokio.
//!
//! This crate re-exports all of [`fdv2_client`], so that an application names it alone.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use fdv2_tokio::{Client, Config, ContextBuilder};
//!
//! #[tokio::main]
//! async fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let client = fdv2_tokio::start(Config::builder("sdk-key").build()?)?;
//!     client.wait_for_initialization(Duration::from_secs(5)).await?;
//!     let anna = ContextBuilder::new("anna").build()?;
//!     if client.bool_variation(&anna, "dark-mode", false) {
//!         println!("Good night, Anna.");
//!     }
//!     client.close(Client::CLOSE_TIMEOUT).await;
//!     Ok(())
//! }
//! ```
//!
//! The runtime can be multi-thread or current-thread, and needs its drivers for time and I/O
//! (`enable_all`). Requests go through [`reqwest`] with [`rustls`](tls::rustls), ring, the
//! system's root certificates, and the proxies of the environment; [`ClientBuilder::http`] takes
//! [others](http::HttpOptions). An application's own [`reqwest::Client`] can be handed in with
//! [`ClientBuilder::http_client`].

mod lookup;
mod requests;
mod runtime;
mod start;

#[doc(inline)]
pub use fdv2_client::*;
pub use requests::ReqwestTransport;
pub use reqwest;
pub use runtime::TokioRuntime;
pub use start::{ClientBuilder, start};

//! Feature flags by LaunchDarkly's Flag Delivery v2 protocol, on smol.
//!
//! This crate re-exports all of [`fdv2_client`], so that an application names it alone.
//!
//! ```no_run
//! use std::time::Duration;
//!
//! use fdv2_smol::{Client, Config, ContextBuilder};
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     smol::block_on(async {
//!         let client = fdv2_smol::start(Config::builder("sdk-key").build()?)?;
//!         client.wait_for_initialization(Duration::from_secs(5)).await?;
//!         let anna = ContextBuilder::new("anna").build()?;
//!         if client.bool_variation(&anna, "dark-mode", false) {
//!             println!("Good night, Anna.");
//!         }
//!         client.close(Client::CLOSE_TIMEOUT).await;
//!         Ok(())
//!     })
//! }
//! ```
//!
//! A client can be started from any thread. It runs on smol's global executor, or on one that is
//! handed in with [`ClientBuilder::executor`]. Requests go through [`surf`] over a backend of our
//! own, [`HyperBackend`], with [`rustls`](tls::rustls), ring, the system's root certificates, and
//! the proxies of the environment, SOCKS excepted; [`ClientBuilder::http`] takes
//! [others](http::HttpOptions). An application's own [`surf::Client`] can be handed in with
//! [`ClientBuilder::http_client`]. There is no tokio runtime in it.

mod backend;
mod convert;
mod requests;
mod runtime;
mod start;

pub use backend::HyperBackend;
#[doc(inline)]
pub use fdv2_client::*;
pub use requests::SurfTransport;
pub use runtime::{Sleep, SmolRuntime};
pub use start::{ClientBuilder, start};
pub use surf;

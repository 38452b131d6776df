//! A small FDv2 server over a flag file, for local development, demonstrations and tests.
//!
//! It serves `/sdk/stream`, `/sdk/poll` and, for the FDv1 fallback, `/sdk/latest-all`. It watches
//! the file, and an edit reaches every connected client as one transfer of changes. A file that
//! cannot be used changes nothing: the last good data stays, and a [`Notice`] says what is wrong
//! and where.
//!
//! The file is JSON or YAML and holds `flags` and `segments` (objects by key, as LaunchDarkly writes
//! them), `flagValues` (the value that a flag has for everybody), or any of the three together:
//!
//! ```json
//! {
//!   "flags": { "new-checkout": { "on": true, "variations": [true, false], "fallthrough": { "variation": 0 } } },
//!   "flagValues": { "banner": "Hello" }
//! }
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), fdv2_server::StartError> {
//! use fdv2_server::{Options, Server};
//!
//! let server = Server::start(Options::new("flags.json")).await?;
//! println!("serving at {}", server.url());
//! server.stop().await;
//! # Ok(())
//! # }
//! ```

mod connection;
mod content;
mod control;
mod feed;
mod notice;
mod options;
mod routes;
mod server;
mod stall;
mod stream;
mod transfer;

pub use fdv2_files::{FileError, Position};
pub use notice::{Notice, Notices};
pub use options::Options;
pub use server::{Server, StartError};

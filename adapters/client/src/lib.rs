//! Runtime-neutral half of the adapters: the one driver loop, the [`Client`] that applications hold,
//! and the traits that a runtime's crate implements. It depends on no runtime.
//!
//! Applications name the crate of their runtime (`fdv2-tokio`, `fdv2-smol`), which starts a
//! [`Client`] and re-exports what is here:
//!
//! ```
//! use std::time::Duration;
//!
//! use fdv2_client::{Client, ContextBuilder, FlagChange, WaitError};
//! use futures::StreamExt;
//!
//! async fn watch(client: Client) {
//!     match client.wait_for_initialization(Duration::from_secs(5)).await {
//!         Ok(()) => println!("ready: {:?}", client.availability()),
//!         Err(WaitError::TimedOut(error)) => println!("not yet, last error: {error:?}"),
//!         Err(error) => println!("will not be: {error}"),
//!     }
//!     let Ok(user) = ContextBuilder::new("user-1").set_value("plan", "gold").build() else { return };
//!     println!("new page: {}", client.bool_variation(&user, "new-page", false));
//!     let mut changes = client.flag_changes();
//!     while let Some(change) = changes.next().await {
//!         match change {
//!             FlagChange::Changed(key) => println!("{key} changed"),
//!             FlagChange::Lagged(_) => println!("too slow: any flag may have changed"),
//!         }
//!     }
//!     client.close(Client::CLOSE_TIMEOUT).await;
//! }
//! ```
//!
//! # For the crate of a runtime
//!
//! Implement [`Runtime`] (clock, sleep, spawn) and [`Transport`] (one request, as a stream of
//! outcomes), and hand them to [`Client::start_with`]. That spawns one task, which owns everything:
//! when it is dropped with its runtime, connections are closed, waits are released and the status
//! is OFF.

#[cfg(feature = "http")]
pub mod http;
#[cfg(feature = "http")]
pub mod tls;
pub mod transport;

mod client;
mod control;
mod driver;
mod evaluate;
mod facts;
mod garbage;
mod hook;
mod listen;
mod parts;
mod queue;
mod reading;
mod runtime;
mod secure_mode;
mod shared;
mod source;
mod tap;
#[cfg(test)]
mod tests;
mod timer;
mod view;
mod wait;
mod wakes;
mod warning;

pub mod big_segments;
pub mod store;

pub use client::Client;
pub use fdv2_core as core;
pub use fdv2_core::config::{self, Config, ConfigBuilder, ConfigError};
pub use fdv2_core::context::{
    self, AttributeValue, Context, ContextBuilder, MultiContextBuilder, Reference,
};
pub use fdv2_core::eval::{self, Detail, FlagDetail, FlagDetailConfig, Reason, ReasonKind};
pub use fdv2_core::status::{
    self, Availability, ErrorKind, Readiness, SourceError, SourceState, SourceStatus, StoreStatus,
};
pub use hook::{EvaluationSeries, Hook, HookError};
pub use listen::{
    BigSegmentStatusStream, FlagChange, FlagChanges, Listener, SourceSwitches, StatusStream,
    StoreStatusStream, ValueChange, ValueChanges, Warnings,
};
pub use parts::Parts;
pub use reading::{CacheMode, ThroughStore};
pub use runtime::{Runtime, StartError};
pub use source::{CustomSource, CustomSources};
pub use tap::{Tap, TapReader, Tapped, tap};
pub use transport::Transport;
pub use view::SnapshotView;
pub use wait::WaitError;
pub use warning::{HookFailure, HookStage, Warning};

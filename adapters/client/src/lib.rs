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
//! # Observability
//!
//! [`Client::stats`] has everything that is counted, always. Two features, off by default, hand on
//! the same: `tracing` as spans and events, `metrics` as counters and gauges. No secret is in any of
//! it (B 11.1). Both are called from the driver's task, so what receives them must not block. If it
//! panics the client goes on, and tells it nothing more.
//!
//! With **`tracing`** each client is a span `client` with its `instance_id`, and in it each attempt a
//! span `attempt` with its `kind` (`stream`, `poll`, `fdv1`, `custom`) and its `url` or, of a custom
//! source, `source`. The target of all is `fdv2`:
//!
//! | level | events |
//! | --- | --- |
//! | `WARN` | an attempt, a write or a read of the store failed; a peer did something odd |
//! | `INFO` | status of source and store, switches of source, ready, closed |
//! | `DEBUG` | an attempt began or ended, a response or a change set came, the store is written |
//! | `TRACE` | bytes of a body came, the store is probed |
//!
//! With **`metrics`**, install the recorder before the client is started. Counters and gauges are
//! sums over all clients of the process. An error between two attempts, as when a source is left
//! while it waits for its next one, has the `kind` `none`:
//!
//! | name | labels | what |
//! | --- | --- | --- |
//! | `fdv2_attempts_total` | `kind`: as above | attempts that were begun |
//! | `fdv2_errors_total` | `kind`, `error`: `network`, `error_response`, `invalid_data`, `store`, `unknown` | errors of the data source (B 6.1) |
//! | `fdv2_redirects_total` | | redirects that were followed |
//! | `fdv2_received_bytes_total` | | bytes of response bodies, after decompression |
//! | `fdv2_change_sets_total` | | change sets that were applied |
//! | `fdv2_source_switches_total` | | changes of source |
//! | `fdv2_store_writes_total` | | writes to the store that were begun |
//! | `fdv2_store_records_total` | | records that they were to write |
//! | `fdv2_store_failures_total` | `call`: `write`, `probe`, `read` | calls of the store that failed |
//! | `fdv2_store_unreadable_records_total` | | records that cannot be read |
//! | `fdv2_clients` (gauge) | `state`: `initializing`, `valid`, `interrupted`, `off` | clients, by the state of their data source |
//! | `fdv2_objects` (gauge) | | flags and segments held |
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
mod contain;
mod control;
mod driver;
mod evaluate;
mod facts;
mod garbage;
mod hook;
mod listen;
mod observe;
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
pub mod test_data;

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
pub use observe::{AttemptStats, ErrorStats, Stats, StoreStats};
pub use parts::Parts;
pub use reading::{CacheMode, ThroughStore};
pub use runtime::{Runtime, StartError};
pub use source::{CustomSource, CustomSources, Initializer, NamedSource, Synchronizer};
pub use tap::{Tap, TapReader, Tapped, tap};
pub use test_data::TestData;
pub use transport::Transport;
pub use view::SnapshotView;
pub use wait::WaitError;
pub use warning::{HookFailure, HookStage, Warning};

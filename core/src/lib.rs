//! Feature flags by LaunchDarkly's Flag Delivery v2 protocol, as a pure state machine.
//!
//! [`DataSystem`] takes [`Event`]s (bytes, errors, the passing of time) and gives [`Command`]s
//! (fetch, cancel, publish). It has no clock, no thread, no socket and no randomness but its seed:
//! the same seed and events give the same commands, always.

pub mod config;
pub mod context;
pub mod effect;
pub mod eval;
pub mod model;
pub mod persistence;
pub mod protocol;
pub mod snapshot;
pub mod sse;
pub mod status;
pub mod time;

mod chunks;
mod limits;
mod outbox;
mod policy;
mod rng;
mod source;
mod system;
mod timer;

pub use config::{Config, ConfigBuilder, ConfigError};
pub use effect::{
    Command, Commands, Deadline, Effect, EffectId, Event, Lane, OpenSource, Outcome, Request,
    ResponseHead, SourceUpdate, TransportError, TransportErrorKind, Update,
};
pub use limits::Limits;
pub use protocol::Selector;
pub use snapshot::Snapshot;
pub use source::Oddity;
pub use system::DataSystem;
pub use time::Instant;

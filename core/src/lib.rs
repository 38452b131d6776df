//! Feature flags by LaunchDarkly's Flag Delivery v2 protocol, as a pure state machine.
//!
//! [`DataSystem`] takes [`Event`]s (bytes, errors, the passing of time) and gives [`Command`]s
//! (fetch, cancel, publish). It has no clock, no thread, no socket and no randomness but its seed:
//! the same seed and events give the same commands, always.
//!
//! # Driving the core by hand
//!
//! Whoever drives it owns the clock, the connections and the data that readers see. Three things
//! make a driver:
//!
//! 1. Tell each event with the time at which it happened, and do as the commands say, all of them
//!    and in order, before the next event. The borrow checker sees to that.
//! 2. Ask [`DataSystem::next_deadline`] after each event, and tell [`Event::Tick`] when it is there.
//! 3. Begin with [`Event::Start`], end with [`Event::Shutdown`]; [`Update::Stopped`] is the last
//!    word.
//!
//! ```
//! use std::time::Duration;
//!
//! use bytes::Bytes;
//! use fdv2_core::effect::ResponseHead;
//! use fdv2_core::status::{Readiness, SourceState};
//! use fdv2_core::{Command, Config, DataSystem, Effect, Event, Instant, Outcome, Update};
//!
//! let config = Config::streaming("sdk-key").build()?;
//! let mut system = DataSystem::new(config, 42);
//! let at = |seconds| Instant::from_epoch(Duration::from_secs(seconds));
//!
//! // It asks for a stream.
//! let mut commands = system.handle(at(0), Event::Start);
//! let stream = loop {
//!     match commands.next().expect("a system with a source starts it") {
//!         Command::Start { id, effect: Effect::Request(request) } => {
//!             assert_eq!(request.0.uri().path(), "/sdk/stream");
//!             break id;
//!         }
//!         Command::Emit(update) => println!("tell those who listen: {update:?}"),
//!         command => unreachable!("{command:?}"),
//!     }
//! };
//!
//! // A server that says nothing is not waited for without end.
//! let deadline = system.next_deadline().expect("an attempt has a time limit");
//! println!("wake up at {:?}: {}", deadline.at, deadline.what);
//!
//! // But it answers. Bytes may be cut anywhere.
//! let mut headers = http::HeaderMap::new();
//! headers.insert("content-type", "text/event-stream".parse()?);
//! let body = concat!(
//!     "event: server-intent\n",
//!     r#"data: {"payloads":[{"id":"p","target":1,"intentCode":"xfer-full"}]}"#, "\n\n",
//!     "event: put-object\n",
//!     r#"data: {"kind":"flag","key":"new-home","version":1,"object":{"on":true}}"#, "\n\n",
//!     "event: payload-transferred\n",
//!     r#"data: {"state":"s1","version":1}"#, "\n\n",
//! );
//! let (start, rest) = body.split_at(100);
//! let outcomes = [
//!     Outcome::ResponseHead(ResponseHead { status: 200, headers }),
//!     Outcome::ResponseChunk(Bytes::from_static(start.as_bytes())),
//!     Outcome::ResponseChunk(Bytes::from_static(rest.as_bytes())),
//! ];
//! let mut updates = Vec::new();
//! for outcome in outcomes {
//!     for command in system.handle(at(1), Event::Effect { id: stream, outcome }) {
//!         match command {
//!             Command::Emit(update) => updates.push(update),
//!             Command::Discard(garbage) => drop(garbage),
//!             command => unreachable!("the stream stays as it is: {command:?}"),
//!         }
//!     }
//! }
//!
//! // The data, then what is said of it: a listener can always read what it is told of.
//! let [Update::Snapshot(snapshot), Update::SourceStatus(status), readiness, changed] = &updates[..]
//! else {
//!     unreachable!("{updates:?}")
//! };
//! assert!(snapshot.flag("new-home").is_some());
//! assert_eq!(status.state, SourceState::Valid);
//! assert_eq!(*readiness, Update::Readiness(Readiness::Ready));
//! assert!(matches!(changed, Update::FlagsChanged(flags) if flags.keys() == ["new-home".into()]));
//!
//! // Closing gives the connection back.
//! let commands: Vec<_> = system
//!     .handle(at(2), Event::Shutdown { grace: Duration::from_secs(2) })
//!     .collect();
//! assert!(commands.contains(&Command::Cancel { id: stream }));
//! assert_eq!(commands.last(), Some(&Command::Emit(Update::Stopped)));
//! assert_eq!(system.next_deadline(), None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `fdv2-client` has such a driver for any asynchronous runtime.

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
    Command, Commands, CustomError, Deadline, Effect, EffectId, Event, Lane, OpenSource, Outcome,
    Request, ResponseHead, SourceUpdate, StoreRead, TransportError, TransportErrorKind, Update,
};
pub use limits::Limits;
pub use protocol::Selector;
pub use snapshot::Snapshot;
pub use source::Oddity;
pub use system::DataSystem;
pub use time::Instant;

//! Recordings of what enters the core of fdv2: all that is needed to run it again, to the last bit.
//!
//! The core has no clock and no randomness of its own: the same configuration, seed and events give
//! the same commands. A recording holds these three, with a running digest of the commands, so that
//! a replay can say where it first differs. It can be attached to a bug report, or become a test
//! ([`replay()`]).
//!
//! With the feature `client`, off by default, `record` records a running client on a thread of its
//! own, through the tap of its builder. A [`Recorder`] records a core that is driven by hand.
//!
//! # The format
//!
//! A text file of lines. Each is a checksum (CRC-32, eight hexadecimal digits), a space, and one
//! JSON object. The first has the format's name and version, the seed, and the configuration. Then
//! come the events in order, numbered, each with its time (seconds since the client's epoch), bodies
//! in base64, and the digest (SHA-256, the first eight bytes) of all commands so far. The puts and
//! deletes of a custom source's change set stand on lines of their own before it. The last line says
//! why the recording ended.
//!
//! # What it holds and what not
//!
//! It holds **flag data**: bodies as they were received, with whatever flags and segments say of
//! the users of the application. It holds the addresses that were asked, selectors, environment
//! ids and error messages. It holds neither the SDK key nor the values of headers that were
//! configured, and of a response's headers only those few that the core reads.
//!
//! [`Options::redact`] hides texts and numbers of flags and segments before they are written. What
//! stays are keys of flags and segments and of prerequisites, versions, selectors, operators,
//! indexes and weights of variations, booleans, addresses, error messages, and the shape and size
//! of everything. A redacted recording is of a second core that is told what is left. It ends where
//! that one would do something else than the first.

#[cfg(feature = "client")]
mod client;
mod error;
mod fact;
mod head;
mod line;
mod read;
mod redact;
mod replay;
mod seconds;
mod settings;
mod words;
mod write;

#[cfg(feature = "client")]
pub use client::{Recorded, record};
pub use error::{Damage, RecordError};
pub use line::Ending;
pub use read::{Entry, Recording};
pub use replay::{Replay, ReplayError, Replayed, Step, replay, replay_with};
pub use write::{Options, Recorder};

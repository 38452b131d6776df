//! What the fuzz targets run, and a run of them that needs no fuzzer.
//!
//! Each target takes any bytes and panics if a rule is broken. The wrappers for cargo-fuzz in
//! `fuzz/` only call them; `tests/wire` replays the corpus and mutates it for some seconds, on every
//! run.

mod cuts;
mod evaluation;
mod fdv1_body;
pub mod naive_sse;
mod poll_body;
mod protocol_events;
mod scenario;
pub mod smoke;
mod sse;
mod stream_attempt;

pub use evaluation::{OPERATORS, evaluation};
pub use fdv1_body::fdv1_body;
pub use poll_body::poll_body;
pub use protocol_events::protocol_events;
pub use scenario::scenario;
pub use sse::{Told, sse, told};
pub use stream_attempt::stream_attempt;

/// A fuzz target with its name, which is that of its folder in the corpus.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name.
    pub name: &'static str,
    /// Panics if the bytes break a rule.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: [Target; 7] = [
    Target { name: "sse", run: sse },
    Target { name: "poll_body", run: poll_body },
    Target { name: "fdv1_body", run: fdv1_body },
    Target { name: "evaluation", run: evaluation },
    Target { name: "protocol_events", run: protocol_events },
    Target { name: "stream_attempt", run: stream_attempt },
    Target { name: "scenario", run: scenario },
];

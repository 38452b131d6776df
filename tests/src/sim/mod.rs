//! The core in virtual time, with scripted peers.
//!
//! A [`Sim`] owns a [`DataSystem`](fdv2_core::DataSystem), a clock and the peers. What the core
//! asks for is answered by hand ([`Sim::reply`]) or by a peer that was set up for its host
//! ([`Sim::serve`]). Time moves only with [`Sim::advance`], which stops at every deadline and at
//! every byte on its way. After every step all [`invariants`](crate::invariants) are checked, and
//! that a second system with the same seed and events gives the same commands.

mod asked;
mod observe;
mod reply;
mod run;
mod setup;
mod store;
pub mod wire;
mod world;

pub use asked::Asked;
pub use reply::Reply;
pub use run::Sim;
pub use setup::{config, poll, polling, stream, streaming, two_streams};
pub use store::{Store, StoreHealth};
pub use world::World;

use std::time::Duration;

/// So many seconds.
pub const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// So many milliseconds.
pub const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

//! The core in virtual time, with scripted peers.
//!
//! A [`Sim`] owns a [`DataSystem`](fdv2_core::DataSystem), a clock and the peers. What the core
//! asks for is answered by hand ([`Sim::reply`]) or by a peer that was set up for its host
//! ([`Sim::serve`]). Time moves only with [`Sim::advance`], which stops at every deadline and at
//! every byte on its way. After every step all [`invariants`](crate::invariants) are checked. Two more
//! systems run beside the first: one is told the same, one the same bytes in other pieces.

mod asked;
mod driven;
mod observe;
mod record;
mod reply;
mod run;
mod setup;
mod step;
mod store;
mod tap;
pub mod wire;
mod world;

pub use asked::Asked;
pub use driven::Core;
pub use observe::items_of;
pub use record::recordings;
pub use reply::Reply;
pub use run::Sim;
pub use setup::{config, poll, polling, stream, streaming, two_streams};
pub use store::{Store, StoreHealth};
pub use world::{Lanes, World};

use std::time::Duration;

/// So many seconds.
pub const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// So many milliseconds.
pub const fn millis(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

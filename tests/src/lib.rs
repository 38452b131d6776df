//! The harness: a simulator of the core in virtual time with the invariants that hold at all times,
//! and what the tests over sockets share.

pub mod invariants;
#[cfg(feature = "adapters")]
pub mod server;
pub mod sim;
pub mod streamed;
pub mod typical;

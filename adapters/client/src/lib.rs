//! Runtime-neutral half of the adapters: the one driver loop, the `Client` that applications hold,
//! and the traits that a runtime's crate implements.

mod runtime;
mod transport;

pub use runtime::{Runtime, StartError};
pub use transport::Transport;

//! The wire: events, transfers, poll bodies.

pub mod encode;
pub mod error;
pub mod event;
mod fdv1_body;
mod poll_body;
mod scan;
mod transfer;

pub use error::InvalidData;
pub use fdv1_body::{Fdv1Body, Fdv1Item};
pub use poll_body::{PollBody, PollEvent};
pub use transfer::{FullTransfer, Ignored, Step, Transfer};

use std::fmt;
use std::sync::Arc;

use crate::limits::Limits;

/// Names the state of the data held, for the server (B 2). Opaque.
#[derive(Clone, PartialEq, Eq)]
pub struct Selector {
    state: Arc<str>,
    version: u64,
}

impl Selector {
    /// A selector of this state and version.
    pub fn new(state: impl Into<Arc<str>>, version: u64) -> Self {
        Self { state: state.into(), version }
    }

    /// What travels as `basis`.
    pub fn state(&self) -> &str {
        &self.state
    }

    /// Whether it can travel: its state is there, and not over the limit (B 1.8, 1.13).
    pub(crate) fn check(&self, limits: &Limits) -> Result<(), InvalidData> {
        if self.state.is_empty() {
            return Err(InvalidData::protocol("a selector without state"));
        }
        if self.state.len() > limits.selector_bytes {
            return Err(InvalidData::limit("the selector's state", limits.selector_bytes));
        }
        Ok(())
    }

    /// The version that came with the state. It decides nothing.
    pub fn version(&self) -> u64 {
        self.version
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} v{}", self.state, self.version)
    }
}

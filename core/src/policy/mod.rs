//! Which source runs, and until when.

mod directed;
mod health;
mod roster;
mod stint;

pub(crate) use directed::Directed;
pub(crate) use roster::{Next, Roster};
pub(crate) use stint::{Stint, Surroundings};

//! The command `fdv2`, run as its users run it.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod demo;
mod process;
mod recordings;
mod serve_and_watch;
mod simulate;
mod stores;
mod usage;

//! The development server over real sockets (C 1).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod polls;
mod streams;
mod support;

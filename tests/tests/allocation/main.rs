//! What evaluation and parsing allocate, and what a flag takes. In a binary of its own, since counting slows
//! every allocation down.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod evaluation;
mod memory;
mod parsing;

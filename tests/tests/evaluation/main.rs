//! The evaluator: against the official engine, and by known vectors and cases.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod all_flags;
mod buckets;
mod cases;
mod contexts;
mod engines;
mod exceptions;
mod generate;
mod hostile;
mod needs;
mod operators;
mod oracle;

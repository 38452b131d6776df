//! What grows with time or with numbers, and must not: in a binary of its own, as it counts what
//! the whole process holds. One test runs at a time.

#![allow(clippy::indexing_slicing, clippy::string_slice, clippy::unwrap_used, reason = "tests")]

mod counts;
mod cycles;
mod herd;
mod host;
mod soak;

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

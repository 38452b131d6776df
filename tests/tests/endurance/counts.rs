//! What the process holds.

use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fdv2_tests::runtimes::eventually;

use crate::ALLOCATOR;

static ALONE: Mutex<()> = Mutex::new(());

/// Until it is dropped, no other test of this binary runs.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    // What another test has panicked over is its own affair.
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What the process holds at a moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counts {
    pub(crate) sockets: usize,
    pub(crate) threads: usize,
    /// Threads that are the client's own.
    pub(crate) own_threads: usize,
    /// What is allocated and was not freed.
    pub(crate) bytes: usize,
}

impl Counts {
    pub(crate) fn now() -> Self {
        let links = fs::read_dir("/proc/self/fd").unwrap().flatten();
        let targets = links.filter_map(|link| fs::read_link(link.path()).ok());
        let tasks = fs::read_dir("/proc/self/task").unwrap().flatten();
        let names: Vec<_> =
            tasks.filter_map(|task| fs::read_to_string(task.path().join("comm")).ok()).collect();
        Self {
            sockets: targets.filter(|target| target.starts_with("socket:")).count(),
            threads: names.len(),
            own_threads: names.iter().filter(|name| name.starts_with("fdv2-")).count(),
            bytes: live_bytes(),
        }
    }

    /// Waits until there is no more of anything than there was, but for some bytes.
    pub(crate) async fn come_back_to(before: Self, bytes: usize) {
        let is_back = || {
            let now = Self::now();
            now.sockets <= before.sockets
                && now.threads <= before.threads
                && now.own_threads <= before.own_threads
                && now.bytes <= before.bytes + bytes
        };
        let found = std::panic::AssertUnwindSafe(eventually("a return", is_back));
        let found = futures::FutureExt::catch_unwind(found).await;
        assert!(found.is_ok(), "{:?} after {before:?}", Self::now());
    }
}

/// What is allocated and was not freed.
pub(crate) fn live_bytes() -> usize {
    let stats = ALLOCATOR.stats();
    stats.bytes_allocated.saturating_sub(stats.bytes_deallocated)
}

//! Waiting for what is to happen, and for what is not.

use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{env, thread};

/// How much longer than the contract wants something may take. On a quiet machine the contract's own
/// bounds can be asked for.
static LOAD: LazyLock<u32> =
    LazyLock::new(|| if env::var_os("FDV2_EXACT_BOUNDS").is_some() { 1 } else { 10 });

/// How often to look.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// What `look` finds, which the contract wants `within` so long.
///
/// # Panics
/// If it finds nothing for ten times as long, or as long with `FDV2_EXACT_BOUNDS`.
#[track_caller]
pub(crate) fn soon<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < within * *LOAD, "never happened: {what}");
        thread::sleep(LOOK_AGAIN);
    }
}

/// Sees to it that something does not happen for so long.
///
/// # Panics
/// If it does.
#[track_caller]
pub(crate) fn never(what: &str, window: Duration, mut happens: impl FnMut() -> bool) {
    let begun = Instant::now();
    while begun.elapsed() < window {
        assert!(!happens(), "it happened: {what}");
        thread::sleep(LOOK_AGAIN);
    }
}

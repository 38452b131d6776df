//! Running code of others that must do the client no harm.

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs code of others: `None` after a panic, of which the panic hook has said what there is to say.
pub(crate) fn contain<R>(code: impl FnOnce() -> R) -> Option<R> {
    let panic = match catch_unwind(AssertUnwindSafe(code)) {
        Ok(result) => return Some(result),
        Err(panic) => panic,
    };
    // What it panicked with is code of others, too. One that panics in its turn is left alone: it
    // could go on like that.
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        mem::forget(panic);
    }
    None
}

#[cfg(test)]
mod tests {
    use std::panic::panic_any;

    use super::*;

    /// Panics as it is dropped, with another of its kind.
    struct Bomb;

    impl Drop for Bomb {
        fn drop(&mut self) {
            panic_any(Bomb);
        }
    }

    #[test]
    fn a_panic_ends_here_whatever_it_panicked_with() {
        assert_eq!(contain(|| 1), Some(1));
        assert_eq!(contain(|| -> u8 { panic!("a panic that the test wants") }), None);
        assert_eq!(contain(|| -> u8 { panic_any(Bomb) }), None);
    }
}

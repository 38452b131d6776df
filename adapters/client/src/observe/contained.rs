//! Running code of others that must do the client no harm.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Something that runs code of others: a subscriber's or a recorder's. A panic of theirs does the
/// client no harm; after it they are told nothing more.
pub(super) struct Contained<T>(Option<T>);

impl<T> Contained<T> {
    pub(super) fn new(make: impl FnOnce() -> T) -> Self {
        Self(contain(make))
    }

    pub(super) fn run(&mut self, tell: impl FnOnce(&mut T)) {
        let Some(told) = &mut self.0 else { return };
        if contain(|| tell(told)).is_none() {
            self.end();
        }
    }

    fn end(&mut self) {
        let told = self.0.take();
        contain(|| drop(told));
    }
}

impl<T> Drop for Contained<T> {
    fn drop(&mut self) {
        self.end();
    }
}

/// `None` after a panic.
pub(super) fn contain<R>(code: impl FnOnce() -> R) -> Option<R> {
    catch_unwind(AssertUnwindSafe(code)).ok()
}

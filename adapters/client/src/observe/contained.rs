//! A subscriber or a recorder that must do the client no harm.

use crate::contain::contain;

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

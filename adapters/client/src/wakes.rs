//! Waking others without being hurt by them.

use std::task::Waker;

use crate::contain::contain;

/// Wakers collected under a lock, to be woken once it is released.
#[derive(Debug, Default)]
pub(crate) struct Wakes(Vec<Waker>);

impl Wakes {
    pub(crate) fn extend(&mut self, wakers: impl IntoIterator<Item = Waker>) {
        self.0.extend(wakers);
    }

    /// Wakes them all. One that panics keeps no other from being woken (B 7.3).
    pub(crate) fn wake(self) {
        for waker in self.0 {
            contain(|| waker.wake());
        }
    }
}

//! What never shows.

use std::fmt;

/// A password or a key. `Debug` does not show it (B 11.1).
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Secret<T>(T);

impl<T> Secret<T> {
    pub(super) fn new(value: impl Into<T>) -> Self {
        Self(value.into())
    }

    pub(super) fn expose(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

//! The core's own idea of time: a duration since the driver's epoch.

use std::fmt;
use std::ops::{Add, Sub};
use std::time::Duration;

/// A moment, as the time since the driver's epoch.
///
/// It can be constructed, printed and recorded, and says nothing of any clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(Duration);

impl Instant {
    /// The driver's epoch.
    pub const EPOCH: Self = Self(Duration::ZERO);

    /// The moment `since_epoch` after the epoch.
    pub const fn from_epoch(since_epoch: Duration) -> Self {
        Self(since_epoch)
    }

    /// The time since the epoch.
    pub const fn since_epoch(self) -> Duration {
        self.0
    }

    /// The time from `earlier` to this moment, zero if `earlier` is later.
    pub fn saturating_since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// Saturates: a moment past the end of time is the end of time.
impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

/// Saturates at the epoch.
impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, duration: Duration) -> Self {
        Self(self.0.saturating_sub(duration))
    }
}

impl fmt::Debug for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t+{:?}", self.0)
    }
}

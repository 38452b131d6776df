//! Sources of the application's own (B 3.12).

mod roles;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use fdv2_core::config::Custom;
use fdv2_core::{OpenSource, SourceUpdate};
use futures::stream::BoxStream;

pub(crate) use self::roles::{Fetching, Following};
pub use self::roles::{Initializer, Synchronizer};
use crate::contain::contain;

/// A source of data that the application brings, by the name that its
/// [`Custom`](fdv2_core::config::Custom) has in the configuration (B 3.12).
///
/// It can have either role. Where one is enough, [`Initializer`] and [`Synchronizer`] are simpler.
///
/// Its stream runs in the driver's own task, so it must not block: what blocks belongs on a thread
/// that feeds a channel. A panic in it is contained, and is a failure for good.
pub trait CustomSource: Send + Sync + 'static {
    /// Begins one attempt. The stream is dropped when the attempt is over, and has to give up its
    /// connection then; the next attempt opens a new one.
    ///
    /// [`Failed`](SourceUpdate::Failed), [`FailedFinally`](SourceUpdate::FailedFinally) and
    /// [`Ended`](SourceUpdate::Ended) are the last of an attempt. A stream that ends without one
    /// has [`Ended`](SourceUpdate::Ended).
    fn open(&self, open: OpenSource) -> BoxStream<'static, SourceUpdate>;
}

/// A source that knows its own name and what it is: files, and test data.
pub trait NamedSource: CustomSource {
    /// What stands for it in the configuration, as initializer, as synchronizer or as both.
    fn configured(&self) -> Custom;
}

/// A function is the simplest source.
impl<F> CustomSource for F
where
    F: Fn(OpenSource) -> BoxStream<'static, SourceUpdate> + Send + Sync + 'static,
{
    fn open(&self, open: OpenSource) -> BoxStream<'static, SourceUpdate> {
        self(open)
    }
}

/// The custom sources that are handed in at the start, by name.
#[derive(Clone, Default)]
pub struct CustomSources(BTreeMap<Arc<str>, Arc<dyn CustomSource>>);

impl CustomSources {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `source` under `name`, in place of one that had the name before.
    pub fn with(mut self, name: impl Into<Arc<str>>, source: impl CustomSource) -> Self {
        self.0.insert(name.into(), Arc::new(source));
        self
    }

    /// Whether there is one of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&dyn CustomSource> {
        self.0.get(name).map(|source| &**source)
    }

    /// Their names, in order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(|name| &**name)
    }

    /// Drops each by itself: one that panics in that harms neither the client nor another.
    pub(crate) fn let_go(self) {
        for source in self.0.into_values() {
            contain(|| drop(source));
        }
    }
}

impl fmt::Debug for CustomSources {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

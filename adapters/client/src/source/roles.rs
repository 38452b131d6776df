//! The two roles of a source, each as a small trait.

use std::future::Future;
use std::sync::Arc;

use fdv2_core::effect::CustomError;
use fdv2_core::snapshot::ChangeSet;
use fdv2_core::{OpenSource, SourceUpdate};
use futures::stream::{self, BoxStream, Stream, StreamExt};

use super::CustomSource;

/// Brings data once, at the start (B 3.1).
///
/// ```
/// use std::sync::Arc;
///
/// use fdv2_client::core::effect::CustomError;
/// use fdv2_client::core::model::Kind;
/// use fdv2_client::core::snapshot::{ChangeSet, ChangeSetBuilder};
/// use fdv2_client::core::{OpenSource, Selector};
/// use fdv2_client::Initializer;
///
/// struct Bundled;
///
/// impl Initializer for Bundled {
///     async fn fetch(self: Arc<Self>, _: OpenSource) -> Result<ChangeSet, CustomError> {
///         let mut all = ChangeSetBuilder::full();
///         let flag = r#"{"on": true, "variations": [true], "fallthrough": {"variation": 0}}"#;
///         all.put(Kind::Flag, "dark-mode", 1, flag)
///             .map_err(|error| CustomError::invalid_data(error.to_string()))?;
///         // Without a selector, the next initializer runs as well.
///         Ok(all.finish(Some(Selector::new("bundled", 1))))
///     }
/// }
/// ```
pub trait Initializer: Send + Sync + 'static {
    /// Fetches the data. Runs in the driver's own task, so it must not block. It is dropped when
    /// it makes no progress for 10 s; a failure moves on to the next initializer.
    fn fetch(
        self: Arc<Self>,
        open: OpenSource,
    ) -> impl Future<Output = Result<ChangeSet, CustomError>> + Send;
}

/// Brings data and keeps it current (B 3.2).
pub trait Synchronizer: Send + Sync + 'static {
    /// Begins one attempt: a stream of what there is to tell. It runs in the driver's own task, so
    /// it must not block, and is dropped when the attempt is over.
    ///
    /// After [`SourceUpdate::Failed`] it is begun again, later each time (B 8.1). A stream that
    /// ends removes the synchronizer for good.
    fn updates(self: Arc<Self>, open: OpenSource) -> impl Stream<Item = SourceUpdate> + Send;
}

/// An initializer as a source.
pub(crate) struct Fetching<I>(Arc<I>);

impl<I: Initializer> Fetching<I> {
    pub(crate) fn new(initializer: I) -> Self {
        Self(Arc::new(initializer))
    }
}

impl<I: Initializer> CustomSource for Fetching<I> {
    fn open(&self, open: OpenSource) -> BoxStream<'static, SourceUpdate> {
        let fetching = Arc::clone(&self.0).fetch(open);
        stream::once(fetching)
            .map(|fetched| fetched.map_or_else(SourceUpdate::Failed, SourceUpdate::from))
            .boxed()
    }
}

/// A synchronizer as a source.
pub(crate) struct Following<S>(Arc<S>);

impl<S: Synchronizer> Following<S> {
    pub(crate) fn new(synchronizer: S) -> Self {
        Self(Arc::new(synchronizer))
    }
}

impl<S: Synchronizer> CustomSource for Following<S> {
    fn open(&self, open: OpenSource) -> BoxStream<'static, SourceUpdate> {
        Arc::clone(&self.0).updates(open).boxed()
    }
}

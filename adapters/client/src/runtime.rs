//! What a runtime has to offer.

use std::future::Future;

use fdv2_core::Instant;
use futures::future::BoxFuture;

/// Clock, sleep and spawn of one asynchronous runtime.
pub trait Runtime: Clone + Send + Sync + Unpin + 'static {
    /// A future that ends at a moment.
    type Sleep: Future<Output = ()> + Send + 'static;

    /// The time since this runtime value's epoch, which is fixed when it is made.
    fn now(&self) -> Instant;

    /// Ends at `deadline`, at once if that has passed.
    fn sleep_until(&self, deadline: Instant) -> Self::Sleep;

    /// Runs `task` to its end, detached.
    ///
    /// # Errors
    /// [`StartError`] when there is no runtime to run it on.
    fn spawn(&self, task: BoxFuture<'static, ()>) -> Result<(), StartError>;
}

/// Why a client could not be started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no runtime here, or it lacks time or I/O.
    #[error("{0}")]
    Runtime(String),
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made: {0}")]
    Transport(String),
    /// Two things were handed in of which one would be without effect.
    #[error("{0}")]
    Contradiction(&'static str),
    /// A custom source is configured that was not handed in.
    #[error(
        "the configuration names the custom source {0:?}, which was not handed in; add it with `custom_source`"
    )]
    UnknownSource(String),
    /// A custom source was handed in that is not configured.
    #[error(
        "the custom source {0:?} was handed in, and the configuration does not name it; add it \
         there with `initializer` or `synchronizer`, or leave it out"
    )]
    UnusedSource(String),
    /// Two custom sources were handed in under one name.
    #[error(
        "two custom sources were handed in under the name {0:?}, of which one would never be \
         asked; give each its own name, or hand in one that is used twice once"
    )]
    SameName(String),
    /// A store is configured that was not handed in.
    #[error(
        "the configuration speaks of a persistent store, and none was handed in; add it with `store`"
    )]
    NoStore,
    /// A store was handed in that is not configured.
    #[error(
        "a persistent store was handed in that the configuration does not speak of; \
         say what is done with it by the configuration's `store`"
    )]
    UnusedStore,
    /// The tap was opened for another client.
    #[error("the tap that was handed in is another client's; make one for each client")]
    UsedTap,
}

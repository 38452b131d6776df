//! A source of flags that tests drive.

mod feed;
mod flag;
mod rule;
mod state;

use std::mem;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fdv2_core::config::Custom;
use fdv2_core::effect::CustomError;
use fdv2_core::model::Kind;
use fdv2_core::protocol::InvalidData;
use fdv2_core::snapshot::ChangeSet;
use fdv2_core::{OpenSource, Snapshot, SourceUpdate};
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::Value;

pub use self::flag::{FlagBuilder, Variation};
pub use self::rule::RuleBuilder;
use self::state::State;
use crate::source::{CustomSource, NamedSource};

/// Flags that a test sets, as a source of clients.
///
/// Clones are the same data, and each client has one; an update reaches all of them. Like a server
/// it tells changes with selectors of its own (B 4.6), so a client of it is ready, and its data
/// refreshed. It needs no SDK key and makes no request.
///
/// ```
/// use fdv2_client::{Config, TestData};
///
/// let data = TestData::new();
/// data.update(data.flag("dark-mode").boolean().variation_for_all(true));
/// let config = Config::keyless().synchronizer(data.configured()).build()?;
/// // let client = ClientBuilder::new(config).source(data.clone()).start()?;
///
/// // Later; clients hear of it.
/// data.update(data.flag("dark-mode").on(false));
/// # use fdv2_client::NamedSource;
/// # Ok::<(), fdv2_client::ConfigError>(())
/// ```
///
/// Without a client, and without any runtime, flags are evaluated from a snapshot:
///
/// ```
/// use fdv2_client::{ContextBuilder, TestData};
///
/// let data = TestData::new();
/// let flag = data.flag("size").variations(["S", "M", "L"]).fallthrough_variation(1);
/// data.update(flag.if_match("name", ["Anna"]).and_match("plan", ["pro"]).then_return(2));
///
/// let anna = ContextBuilder::new("a").name("Anna").set_string("plan", "pro").build()?;
/// let other = ContextBuilder::new("b").build()?;
/// assert_eq!(data.snapshot().str_variation(&anna, "size", "S"), "L");
/// assert_eq!(data.snapshot().str_variation(&other, "size", "S"), "M");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct TestData {
    state: Arc<Mutex<State>>,
    /// The outage that this client was told of.
    told: Arc<AtomicU64>,
}

/// Why something cannot be test data.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TestDataError {
    /// It has no `key`.
    #[error("a flag or segment needs a \"key\" that is a string")]
    NoKey,
    /// It cannot be decoded (B 1.9).
    #[error(transparent)]
    Undecodable(InvalidData),
}

impl TestData {
    /// No flag, and no segment.
    pub fn new() -> Self {
        Self { state: Arc::new(Mutex::new(State::new())), told: Arc::default() }
    }

    /// The flag of this key as [`update`](Self::update) got it last, to be changed; else a new
    /// one: boolean, on, and true for everybody.
    pub fn flag(&self, key: &str) -> FlagBuilder {
        self.lock().builder(key).unwrap_or_else(|| FlagBuilder::new(key))
    }

    /// Sets a flag, in its next version.
    pub fn update(&self, flag: FlagBuilder) {
        self.change(|state| state.update(flag));
    }

    /// Deletes a flag. Clients have its default then.
    pub fn delete_flag(&self, key: &str) {
        self.change(|state| state.delete(Kind::Flag, key));
    }

    /// Deletes a segment.
    pub fn delete_segment(&self, key: &str) {
        self.change(|state| state.delete(Kind::Segment, key));
    }

    /// Sets a flag to this JSON, as LaunchDarkly writes it. Its version is raised if it had one
    /// that is not lower before.
    ///
    /// # Errors
    /// [`TestDataError`] if it has no key or cannot be decoded. Nothing changes then.
    pub fn use_preconfigured_flag(&self, flag: Value) -> Result<(), TestDataError> {
        self.change(|state| state.put(Kind::Flag, flag))
    }

    /// Sets a segment to this JSON, as LaunchDarkly writes it. The same holds as for flags.
    ///
    /// # Errors
    /// [`TestDataError`] if it has no key or cannot be decoded. Nothing changes then.
    pub fn use_preconfigured_segment(&self, segment: Value) -> Result<(), TestDataError> {
        self.change(|state| state.put(Kind::Segment, segment))
    }

    /// Begins an outage: every client is told of this failure once, keeps what it has, and hears
    /// of no update until [`resume`](Self::resume).
    pub fn interrupt(&self, error: CustomError) {
        self.change(|state| state.interrupt(error));
    }

    /// Ends the outage. A client that has already come back after the failure, which takes a
    /// second at first and longer each time (B 8.1), hears of everything at once.
    pub fn resume(&self) {
        self.change(|state| state.resume());
    }

    /// Tells those clients that are open that this source has failed for good: it is removed from
    /// them (B 3.6).
    pub fn fail_for_good(&self, error: CustomError) {
        self.change(|state| state.fail_for_good(error));
    }

    /// What there is, to evaluate flags from. A client is not needed for it.
    pub fn snapshot(&self) -> Arc<Snapshot> {
        self.lock().snapshot()
    }

    /// All there is as a change set, for whoever drives the core by hand.
    pub fn change_set(&self) -> ChangeSet {
        self.lock().everything()
    }

    /// Changes it, then wakes whom it concerns.
    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let result = change(&mut state);
        let wakes = mem::take(&mut state.wakes);
        drop(state);
        wakes.wake();
        result
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for TestData {
    fn default() -> Self {
        Self::new()
    }
}

/// The same data, for another client.
impl Clone for TestData {
    fn clone(&self) -> Self {
        Self { state: Arc::clone(&self.state), told: Arc::default() }
    }
}

impl CustomSource for TestData {
    fn open(&self, open: OpenSource) -> BoxStream<'static, SourceUpdate> {
        self.lock().open(&open, &self.told).boxed()
    }
}

impl NamedSource for TestData {
    fn configured(&self) -> Custom {
        Custom::new(self.lock().name())
    }
}

#[cfg(test)]
mod tests;

//! What a client is made with, beside its configuration.

use std::sync::Arc;

use fdv2_core::Config;

use crate::StartError;
use crate::big_segments::BigSegments;
use crate::hook::{Hook, SharedHook};
use crate::reading::{CacheMode, Reading};
use crate::source::{
    CustomSource, CustomSources, Fetching, Following, Initializer, NamedSource, Synchronizer,
};
use crate::store::Store;
use crate::tap::{OpenTap, Tap};

/// What a client is made with, beside its configuration: the objects that it names.
#[derive(Clone, Default)]
pub struct Parts {
    pub(crate) sources: CustomSources,
    /// A name that two custom sources were added under.
    same_name: Option<String>,
    pub(crate) store: Option<Store>,
    pub(crate) cache: CacheMode,
    pub(crate) hooks: Vec<SharedHook>,
    pub(crate) tap: Option<Tap>,
    big_segments: Option<BigSegments>,
}

impl Parts {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a custom source under the name that the configuration gives it (B 3.12). Each has a name
    /// of its own; one that the configuration names twice is added once.
    pub fn custom_source(mut self, name: &str, source: impl CustomSource) -> Self {
        if self.sources.contains(name) {
            self.same_name = Some(name.to_owned());
        }
        self.sources = self.sources.with(name, source);
        self
    }

    /// Adds a source that knows its own name.
    pub fn source(self, source: impl NamedSource) -> Self {
        let configured = source.configured();
        self.custom_source(configured.name(), source)
    }

    /// Adds a custom initializer under the name that the configuration gives it (B 3.12).
    pub fn initializer(self, name: &str, initializer: impl Initializer) -> Self {
        self.custom_source(name, Fetching::new(initializer))
    }

    /// Adds a custom synchronizer under the name that the configuration gives it (B 3.12).
    pub fn synchronizer(self, name: &str, synchronizer: impl Synchronizer) -> Self {
        self.custom_source(name, Following::new(synchronizer))
    }

    /// The persistent store (B 9). [`Config`] says what is done with it.
    pub fn store(mut self, store: Store) -> Self {
        self.store = Some(store);
        self
    }

    /// How long what is read from the store counts (B 9.3). 15 s by default.
    pub fn cache(mut self, mode: CacheMode) -> Self {
        self.cache = mode;
        self
    }

    /// Adds code around each evaluation, after the hooks that were added before.
    pub fn hook(mut self, hook: impl Hook) -> Self {
        self.hooks.push(Arc::new(hook));
        self
    }

    /// Hands on all that enters the core and all that comes out, for a recording.
    pub fn tap(mut self, tap: Tap) -> Self {
        self.tap = Some(tap);
        self
    }

    /// The tap, opened for this client.
    pub(crate) fn open_tap(
        &self,
        config: &Config,
        seed: u64,
    ) -> Result<Option<OpenTap>, StartError> {
        self.tap.as_ref().map(|tap| tap.open(config, seed)).transpose()
    }

    /// The store of the members of big segments, and how it is used.
    pub fn big_segments(mut self, segments: BigSegments) -> Self {
        self.big_segments = Some(segments);
        self
    }

    /// The store of memberships; offline it is not asked (B 6.8).
    pub(crate) fn memberships(&self, config: &Config) -> Option<BigSegments> {
        self.big_segments.clone().filter(|_| !config.is_offline())
    }

    /// The store as evaluations read it.
    pub(crate) fn reading(&self, config: &Config) -> Option<Reading> {
        let store = self.store.clone().filter(|_| config.store().is_some())?;
        Some(Reading::new(store, self.cache, config.is_daemon()))
    }

    /// Whether everything is there that `config` names, and nothing that it does not know of.
    /// Offline, nothing is asked for anyhow.
    pub(crate) fn check(&self, config: &Config) -> Result<(), StartError> {
        if let Some(name) = &self.same_name {
            return Err(StartError::SameName(name.clone()));
        }
        if let Some(name) = config.custom_sources().find(|name| !self.sources.contains(name)) {
            return Err(StartError::UnknownSource(name.to_owned()));
        }
        let is_unused = |name: &&str| config.custom_sources().all(|configured| configured != *name);
        if let Some(name) = self.sources.names().find(is_unused)
            && !config.is_offline()
        {
            return Err(StartError::UnusedSource(name.to_owned()));
        }
        match (config.store(), &self.store) {
            (Some(_), None) => Err(StartError::NoStore),
            (None, Some(_)) if !config.is_offline() => Err(StartError::UnusedStore),
            _ => Ok(()),
        }
    }
}

impl From<CustomSources> for Parts {
    fn from(sources: CustomSources) -> Self {
        Self { sources, ..Self::default() }
    }
}

/// The methods of a runtime's `ClientBuilder` that put things into its `parts`: the same on every
/// runtime. For the crates of runtimes.
#[doc(hidden)]
#[macro_export]
macro_rules! parts_of_a_builder {
    () => {
        /// Adds a source of the application's own under the name that the configuration gives it
        /// (B 3.12). Each has a name of its own; one that the configuration names twice is added once.
        pub fn custom_source(mut self, name: &str, source: impl $crate::CustomSource) -> Self {
            self.parts = self.parts.custom_source(name, source);
            self
        }

        /// Adds a source that knows its own name: files, or test data. The configuration has what
        /// its `configured` gives.
        pub fn source(mut self, source: impl $crate::NamedSource) -> Self {
            self.parts = self.parts.source(source);
            self
        }

        /// Adds a custom initializer under the name that the configuration gives it (B 3.12).
        pub fn initializer(mut self, name: &str, initializer: impl $crate::Initializer) -> Self {
            self.parts = self.parts.initializer(name, initializer);
            self
        }

        /// Adds a custom synchronizer under the name that the configuration gives it (B 3.12).
        pub fn synchronizer(mut self, name: &str, synchronizer: impl $crate::Synchronizer) -> Self {
            self.parts = self.parts.synchronizer(name, synchronizer);
            self
        }

        /// Adds the persistent store that the configuration speaks of (B 9). Clients of one store
        /// share a clone of it.
        pub fn store(mut self, store: $crate::store::Store) -> Self {
            self.parts = self.parts.store(store);
            self
        }

        /// How long what is read from the store counts (B 9.3). 15 s by default.
        pub fn cache(mut self, mode: $crate::CacheMode) -> Self {
            self.parts = self.parts.cache(mode);
            self
        }

        /// Adds code around each evaluation, after the hooks that were added before.
        pub fn hook(mut self, hook: impl $crate::Hook) -> Self {
            self.parts = self.parts.hook(hook);
            self
        }

        /// Hands on all that enters the core of this client and all that comes out, for a recording.
        pub fn tap(mut self, tap: $crate::Tap) -> Self {
            self.parts = self.parts.tap(tap);
            self
        }

        /// Adds the store of the members of [big segments]($crate::big_segments). Clients of one
        /// store share a clone of it.
        pub fn big_segments(mut self, segments: $crate::big_segments::BigSegments) -> Self {
            self.parts = self.parts.big_segments(segments);
            self
        }
    };
}

//! What the user wants, checked once (B 11.2).

mod builder;
mod endpoints;
mod error;
mod headers;
mod secret;
mod source;
mod timing;

#[cfg(test)]
mod tests;

pub use builder::ConfigBuilder;
pub use endpoints::Endpoints;
pub use error::ConfigError;
pub(crate) use headers::INSTANCE_ID;
pub use secret::SdkKey;
pub use source::{Custom, Polling, Source, StoreMode, Streaming};
pub use timing::Timing;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};

use crate::limits::Limits;
use crate::status::Availability;

/// A checked configuration of one data system. Cheap to clone, and shows no secret.
///
/// ```
/// use fdv2_core::config::{Config, Endpoints};
///
/// let config = Config::builder("sdk-key")
///     .endpoints(Endpoints::relay("http://localhost:8030"))
///     .build()?;
/// # Ok::<(), fdv2_core::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Config(Arc<Inner>);

#[derive(Debug, PartialEq)]
pub(crate) struct Inner {
    pub(crate) sdk_key: Option<SdkKey>,
    pub(crate) is_offline: bool,
    pub(crate) initializers: Vec<ResolvedSource>,
    pub(crate) synchronizers: Vec<ResolvedSource>,
    pub(crate) fdv1: Option<ResolvedSource>,
    pub(crate) headers: HeaderMap,
    pub(crate) filter: Option<String>,
    pub(crate) store: Option<StoreMode>,
    pub(crate) timing: Timing,
    pub(crate) limits: Limits,
}

/// A source with the URL that it asks, if it is one of ours.
#[derive(Clone, Debug, PartialEq)]
pub struct ResolvedSource {
    pub(crate) source: Source,
    pub(crate) url: Option<url::Url>,
}

impl ResolvedSource {
    /// The source as it was configured.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The URL that it asks, without the query of a request. `None` for a custom source.
    pub fn url(&self) -> Option<&str> {
        self.url.as_ref().map(url::Url::as_str)
    }
}

impl Config {
    /// The preset `default`: one poll as initializer, then the stream with polling as second
    /// synchronizer, and FDv1 polling as fallback.
    pub fn builder(sdk_key: &str) -> ConfigBuilder {
        ConfigBuilder::custom(sdk_key)
            .initializer(Polling::new())
            .synchronizer(Streaming::new())
            .synchronizer(Polling::new())
            .fdv1(Polling::new())
    }

    /// The preset `streaming`: the stream alone, with FDv1 polling as fallback.
    pub fn streaming(sdk_key: &str) -> ConfigBuilder {
        ConfigBuilder::custom(sdk_key).synchronizer(Streaming::new()).fdv1(Polling::new())
    }

    /// The preset `polling`: polling alone, with FDv1 polling as fallback.
    pub fn polling(sdk_key: &str) -> ConfigBuilder {
        ConfigBuilder::custom(sdk_key).synchronizer(Polling::new()).fdv1(Polling::new())
    }

    /// The preset `custom`: no source but those that are added.
    pub fn custom(sdk_key: &str) -> ConfigBuilder {
        ConfigBuilder::custom(sdk_key)
    }

    /// The preset `custom` without an SDK key: for files, test data and sources of the application's
    /// own, which ask no server of LaunchDarkly's.
    pub fn keyless() -> ConfigBuilder {
        ConfigBuilder::keyless()
    }

    /// The preset `persistent_store`: as [`Config::builder`], with a store that is kept like memory
    /// and read until the first data arrives.
    pub fn persistent_store(sdk_key: &str) -> ConfigBuilder {
        Self::builder(sdk_key).store(StoreMode::ReadWrite)
    }

    /// The preset `daemon`: a persistent store that somebody else keeps up to date, no source, and
    /// no SDK key (B 6.8).
    pub fn daemon() -> ConfigBuilder {
        ConfigBuilder::keyless().store(StoreMode::ReadOnly)
    }

    /// No source, no request, and no SDK key: every flag gives its default (B 6.8).
    pub fn offline() -> ConfigBuilder {
        ConfigBuilder::offline()
    }

    /// Whether there is an initializer or a synchronizer.
    pub(crate) fn has_sources(&self) -> bool {
        !self.0.initializers.is_empty() || !self.0.synchronizers.is_empty()
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }

    /// The initializers, in order.
    pub fn initializers(&self) -> &[ResolvedSource] {
        &self.0.initializers
    }

    /// The synchronizers, in order.
    pub fn synchronizers(&self) -> &[ResolvedSource] {
        &self.0.synchronizers
    }

    /// The FDv1 source.
    pub fn fdv1(&self) -> Option<&ResolvedSource> {
        self.0.fdv1.as_ref()
    }

    /// What every request carries beside the credentials and the instance id. The values of headers
    /// of the user's own are marked sensitive.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// The payload filter's key.
    pub fn filter(&self) -> Option<&str> {
        self.0.filter.as_deref()
    }

    /// The same with placeholders for the SDK key and for the values of headers of the user's own.
    /// A system decides nothing by them: its requests differ in them, and nothing else does.
    pub fn without_secrets(&self) -> Self {
        let inner = &*self.0;
        let mut headers = inner.headers.clone();
        for value in headers.values_mut().filter(|value| value.is_sensitive()) {
            *value = HeaderValue::from_static(SdkKey::PLACEHOLDER);
            value.set_sensitive(true);
        }
        Self(Arc::new(Inner {
            sdk_key: inner.sdk_key.as_ref().map(|_| SdkKey::placeholder()),
            is_offline: inner.is_offline,
            initializers: inner.initializers.clone(),
            synchronizers: inner.synchronizers.clone(),
            fdv1: inner.fdv1.clone(),
            headers,
            filter: inner.filter.clone(),
            store: inner.store,
            timing: inner.timing,
            limits: inner.limits,
        }))
    }

    /// The bounds on what sources may send.
    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// What is done with a persistent store, if there is one.
    pub fn store(&self) -> Option<StoreMode> {
        self.0.store.filter(|_| !self.0.is_offline)
    }

    /// What was said to be done with a persistent store. Offline, nothing is.
    pub fn configured_store(&self) -> Option<StoreMode> {
        self.0.store
    }

    /// Whether nothing is asked for, whatever is configured (B 6.8).
    pub fn is_offline(&self) -> bool {
        self.0.is_offline
    }

    /// Whether the store is all there is: it counts at once, and its marker is not asked for
    /// (B 6.8, 9.2).
    pub fn is_daemon(&self) -> bool {
        self.store().is_some() && !self.has_sources()
    }

    /// How good the data can become (B 6.5): files alone, and a store alone, bring none that is
    /// [`Refreshed`](Availability::Refreshed).
    pub fn target_availability(&self) -> Availability {
        let mut sources = self.0.initializers.iter().chain(&self.0.synchronizers);
        let is_fresh = |resolved: &ResolvedSource| match &resolved.source {
            Source::Custom(custom) => !custom.is_file,
            Source::Streaming(_) | Source::Polling(_) => true,
        };
        if !self.0.is_offline && sources.any(is_fresh) {
            Availability::Refreshed
        } else {
            Availability::Cached
        }
    }

    /// The durations of the policy.
    pub fn timing(&self) -> &Timing {
        &self.0.timing
    }

    /// The SDK key, if one was given.
    pub fn sdk_key(&self) -> Option<&SdkKey> {
        self.0.sdk_key.as_ref()
    }

    /// The application's tags as every request carries them, or `None` if there are none. One that
    /// was given and is missing here cannot be sent
    /// ([`application_id`](ConfigBuilder::application_id) tells why).
    pub fn tags(&self) -> Option<&str> {
        headers::sent_tags(&self.0.headers)
    }

    /// The names of the custom sources, each as often as it was configured.
    pub fn custom_sources(&self) -> impl Iterator<Item = &str> {
        self.0.initializers.iter().chain(&self.0.synchronizers).filter_map(|resolved| {
            match &resolved.source {
                Source::Custom(custom) => Some(&*custom.name),
                Source::Streaming(_) | Source::Polling(_) => None,
            }
        })
    }
}

//! A configuration as it is written down, without its secrets.

use std::time::Duration;

use fdv2_core::config::{
    Custom, Endpoints, Polling, ResolvedSource, SdkKey, Source, StoreMode, Streaming, Timing,
};
use fdv2_core::{Config, ConfigError, Limits};
use serde::{Deserialize, Serialize};

use crate::seconds::{self, Seconds};

const WRAPPER: &str = "x-launchdarkly-wrapper";

/// Everything of a [`Config`] that decides what the core does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Settings {
    has_sdk_key: bool,
    is_offline: bool,
    /// Where sources without an address of their own ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    streaming: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    polling: Option<String>,
    initializers: Vec<SourceSettings>,
    synchronizers: Vec<SourceSettings>,
    fdv1: Option<SourceSettings>,
    /// The names of the user's own headers, each as often as it is sent.
    headers: Vec<String>,
    tags: Option<String>,
    wrapper: Option<String>,
    filter: Option<String>,
    store: Option<StoreSettings>,
    #[serde(with = "TimingSettings")]
    timing: Timing,
    #[serde(with = "LimitsSettings")]
    limits: Limits,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum SourceSettings {
    Streaming { base_url: Option<String>, initial_retry_delay: Seconds },
    Polling { base_url: Option<String>, interval: Seconds },
    Custom { name: String, is_file: bool, persist: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum StoreSettings {
    ReadOnly,
    ReadWrite,
}

/// Has every field of [`Timing`], or it would not compile.
macro_rules! timing_settings {
    ($($field:ident),* $(,)?) => {
        #[derive(Serialize, Deserialize)]
        #[serde(remote = "Timing", rename_all = "camelCase", deny_unknown_fields)]
        struct TimingSettings {
            $(#[serde(with = "seconds")] $field: Duration,)*
        }
    };
}

timing_settings!(
    fallback_after,
    first_data_within,
    recovery_after,
    recovery_trial,
    interruption_tolerated,
    progress_within,
    progress_grace,
    initializer_idle,
    initializer_limit,
    head,
    stream_silence,
    poll_silence,
    poll_limit,
    transfer_stall,
    directive_grace,
    min_poll_interval,
    max_retry_delay,
    backoff_reset,
    round_pause,
    store_write,
    store_probe,
);

#[derive(Serialize, Deserialize)]
#[serde(remote = "Limits", rename_all = "camelCase", deny_unknown_fields)]
struct LimitsSettings {
    event_bytes: usize,
    transfer_bytes: usize,
    transfer_objects: usize,
    held_bytes: usize,
    held_objects: usize,
    head_bytes: usize,
    selector_bytes: usize,
}

impl Settings {
    /// Writes down `config`. `None` if that could not be made again exactly, but for its secrets:
    /// a recording of it would replay something else.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        let settings = Self::describe(config)?;
        let is_exact = settings.config().is_ok_and(|again| again == config.without_secrets());
        is_exact.then_some(settings)
    }

    fn describe(config: &Config) -> Option<Self> {
        let sources = || config.initializers().iter().chain(config.synchronizers());
        let streaming = sources().find_map(|source| shared_base(source, "/sdk/stream"));
        let polling = sources()
            .find_map(|source| shared_base(source, "/sdk/poll"))
            .or_else(|| config.fdv1().and_then(|source| shared_base(source, "/sdk/latest-all")));
        let all = |sources: &[ResolvedSource]| {
            sources.iter().map(SourceSettings::of).collect::<Option<Vec<_>>>()
        };
        let own = config.headers().iter().filter(|(_, value)| value.is_sensitive());
        let wrapper = config.headers().get(WRAPPER).filter(|value| !value.is_sensitive());
        Some(Self {
            has_sdk_key: config.sdk_key().is_some(),
            is_offline: config.is_offline(),
            streaming,
            polling,
            initializers: all(config.initializers())?,
            synchronizers: all(config.synchronizers())?,
            fdv1: match config.fdv1() {
                Some(source) => Some(SourceSettings::of(source)?),
                None => None,
            },
            headers: own.map(|(name, _)| name.to_string()).collect(),
            tags: config.tags().map(str::to_owned),
            wrapper: wrapper.and_then(|value| value.to_str().ok()).map(str::to_owned),
            filter: config.filter().map(str::to_owned),
            store: config.configured_store().map(|mode| match mode {
                StoreMode::ReadOnly => StoreSettings::ReadOnly,
                StoreMode::ReadWrite => StoreSettings::ReadWrite,
            }),
            timing: *config.timing(),
            limits: *config.limits(),
        })
    }

    /// The configuration, with placeholders for its secrets.
    pub(crate) fn config(&self) -> Result<Config, ConfigError> {
        let mut builder = match self.has_sdk_key {
            true => Config::custom(SdkKey::PLACEHOLDER),
            false => Config::offline(),
        };
        builder = builder.set_offline(self.is_offline).timing(self.timing).limits(self.limits);
        let mut endpoints = Endpoints::default();
        endpoints.streaming = self.streaming.clone().unwrap_or(endpoints.streaming);
        endpoints.polling = self.polling.clone().unwrap_or(endpoints.polling);
        builder = builder.endpoints(endpoints);
        for source in &self.initializers {
            builder = builder.initializer(source.source());
        }
        for source in &self.synchronizers {
            builder = builder.synchronizer(source.source());
        }
        if let Some(Source::Polling(polling)) = self.fdv1.as_ref().map(SourceSettings::source) {
            builder = builder.fdv1(polling);
        }
        for name in &self.headers {
            builder = builder.header(name, SdkKey::PLACEHOLDER);
        }
        for tag in self.tags.iter().flat_map(|tags| tags.split(' ')) {
            builder = match tag.split_once('/') {
                Some(("application-id", id)) => builder.application_id(id),
                Some(("application-version", version)) => builder.application_version(version),
                _ => builder,
            };
        }
        if let Some(wrapper) = &self.wrapper {
            builder = builder.wrapper(wrapper, "");
        }
        if let Some(filter) = &self.filter {
            builder = builder.filter(filter);
        }
        builder = match self.store {
            Some(StoreSettings::ReadOnly) => builder.store(StoreMode::ReadOnly),
            Some(StoreSettings::ReadWrite) => builder.store(StoreMode::ReadWrite),
            None => builder,
        };
        builder.build()
    }
}

impl SourceSettings {
    /// `None` for a kind of source that this format does not know.
    fn of(resolved: &ResolvedSource) -> Option<Self> {
        Some(match resolved.source() {
            Source::Streaming(streaming) => Self::Streaming {
                base_url: streaming.base_url.clone(),
                initial_retry_delay: Seconds(streaming.initial_retry_delay),
            },
            Source::Polling(polling) => Self::Polling {
                base_url: polling.base_url.clone(),
                interval: Seconds(polling.interval),
            },
            Source::Custom(custom) => Self::Custom {
                name: custom.name.to_string(),
                is_file: custom.is_file,
                persist: custom.persist,
            },
            _ => return None,
        })
    }

    fn source(&self) -> Source {
        match self {
            Self::Streaming { base_url, initial_retry_delay } => {
                let streaming = Streaming::new().initial_retry_delay(initial_retry_delay.0);
                match base_url {
                    Some(url) => streaming.base_url(url).into(),
                    None => streaming.into(),
                }
            }
            Self::Polling { base_url, interval } => {
                let polling = Polling::new().interval(interval.0);
                match base_url {
                    Some(url) => polling.base_url(url).into(),
                    None => polling.into(),
                }
            }
            Self::Custom { name, is_file, persist } => {
                let custom = Custom::new(name.as_str());
                let custom = if *is_file { custom.file() } else { custom };
                custom.persist(*persist).into()
            }
        }
    }
}

/// The base URL that a source shares with others of its kind, if it has none of its own.
fn shared_base(resolved: &ResolvedSource, path: &str) -> Option<String> {
    let own = match resolved.source() {
        Source::Streaming(streaming) => &streaming.base_url,
        Source::Polling(polling) => &polling.base_url,
        _ => return None,
    };
    let url = resolved.url().filter(|_| own.is_none())?;
    let (address, query) = url.split_once('?').map_or((url, None), |(at, query)| (at, Some(query)));
    let base = address.strip_suffix(path)?;
    Some(query.map_or_else(|| base.to_owned(), |query| format!("{base}?{query}")))
}

#[cfg(test)]
mod tests;

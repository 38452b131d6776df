//! Collecting settings, and refusing contradictions.

use std::fmt;
use std::sync::Arc;

use url::Url;

use super::endpoints;
use super::headers::Headers;
use super::{
    Config, ConfigError, Endpoints, Inner, Polling, ResolvedSource, SdkKey, Source, StoreMode,
    Timing, timing,
};
use crate::limits::Limits;

/// The longest filter key that is accepted, in bytes.
const MAX_FILTER: usize = 8 << 10;

/// Collects the settings of a [`Config`]. Shows none of them in `Debug`: what is not checked yet
/// may hold a secret in the wrong place.
#[derive(Clone)]
pub struct ConfigBuilder {
    sdk_key: Result<Option<SdkKey>, ConfigError>,
    is_offline: bool,
    endpoints: Endpoints,
    initializers: Vec<Source>,
    synchronizers: Vec<Source>,
    fdv1: Option<Polling>,
    headers: Headers,
    filter: Option<String>,
    store: Option<StoreMode>,
    timing: Timing,
    limits: Limits,
}

impl ConfigBuilder {
    pub(super) fn custom(sdk_key: &str) -> Self {
        Self { sdk_key: SdkKey::new(sdk_key).map(Some), ..Self::keyless() }
    }

    pub(super) fn offline() -> Self {
        Self { is_offline: true, ..Self::keyless() }
    }

    pub(super) fn keyless() -> Self {
        Self {
            sdk_key: Ok(None),
            is_offline: false,
            endpoints: Endpoints::default(),
            initializers: Vec::new(),
            synchronizers: Vec::new(),
            fdv1: None,
            headers: Headers::default(),
            filter: None,
            store: None,
            timing: Timing::default(),
            limits: Limits::default(),
        }
    }

    /// Makes no request at all (B 6.8). The sources stay configured and unused.
    pub fn set_offline(mut self, is_offline: bool) -> Self {
        self.is_offline = is_offline;
        self
    }

    /// Where the services are, for sources without a base URL of their own.
    pub fn endpoints(mut self, endpoints: Endpoints) -> Self {
        self.endpoints = endpoints;
        self
    }

    /// Adds an initializer behind those there are. A stream cannot be one.
    pub fn initializer(mut self, source: impl Into<Source>) -> Self {
        self.initializers.push(source.into());
        self
    }

    /// Adds a synchronizer behind those there are.
    pub fn synchronizer(mut self, source: impl Into<Source>) -> Self {
        self.synchronizers.push(source.into());
        self
    }

    /// The FDv1 polling source for the server's fallback directive (B 5).
    pub fn fdv1(mut self, polling: Polling) -> Self {
        self.fdv1 = Some(polling);
        self
    }

    /// No initializers.
    pub fn without_initializers(mut self) -> Self {
        self.initializers.clear();
        self
    }

    /// No synchronizers.
    pub fn without_synchronizers(mut self) -> Self {
        self.synchronizers.clear();
        self
    }

    /// No FDv1 source: a directive turns the system off for its time (B 5.5).
    pub fn without_fdv1(mut self) -> Self {
        self.fdv1 = None;
        self
    }

    /// A header to send with every request, behind those there are. Its value does not show in
    /// `Debug`, and does not follow a redirect to another origin, as it may be a credential
    /// (`User-Agent` does). Headers that are ours are refused when the configuration is built.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.own.push((name.into(), value.into()));
        self
    }

    /// Which application this is, sent as the tag `application-id` with every request (C 1.4).
    ///
    /// A tag has 1 to 64 letters, digits, `.`, `_` and `-` of ASCII. Another one is not sent, and
    /// is no error (C 2.8): [`Config::tags`] tells what is sent.
    pub fn application_id(mut self, id: impl Into<String>) -> Self {
        self.headers.application_id = id.into();
        self
    }

    /// Which version of the application this is, sent as the tag `application-version`. The same
    /// holds as for [`application_id`](Self::application_id).
    pub fn application_version(mut self, version: impl Into<String>) -> Self {
        self.headers.application_version = version.into();
        self
    }

    /// Which library wraps this one, sent as `<name>/<version>` with every request, or as `<name>`
    /// if the version is empty. Without a name nothing is sent (C 1.4).
    pub fn wrapper(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.headers.wrapper_name = name.into();
        self.headers.wrapper_version = version.into();
        self
    }

    /// The payload filter's key, sent as `filter` with every request (B 11.5).
    pub fn filter(mut self, key: impl Into<String>) -> Self {
        self.filter = Some(key.into());
        self
    }

    /// A persistent store stands behind, and what is done with it (B 9.1). The store itself is
    /// handed in at the start.
    pub fn store(mut self, mode: StoreMode) -> Self {
        self.store = Some(mode);
        self
    }

    /// The durations of the policy.
    pub fn timing(mut self, timing: Timing) -> Self {
        self.timing = timing;
        self
    }

    /// Changes some of the durations of the policy.
    pub fn adjust_timing(mut self, change: impl FnOnce(&mut Timing)) -> Self {
        change(&mut self.timing);
        self
    }

    /// The bounds on what sources may send.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Checks everything.
    ///
    /// # Errors
    /// A [`ConfigError`] that says what to change: an SDK key that cannot be a header value, a bad
    /// base URL, header, wrapper, duration or limit, or settings that contradict each other (B 11.2).
    pub fn build(self) -> Result<Config, ConfigError> {
        self.check_contradictions()?;
        self.timing.check()?;
        check_limits(&self.limits)?;
        let headers = self.headers.check()?;
        let endpoints = ResolvedEndpoints {
            streaming: endpoints::parse("streaming", &self.endpoints.streaming)?,
            polling: endpoints::parse("polling", &self.endpoints.polling)?,
        };
        let resolve = |sources: Vec<Source>| {
            sources.into_iter().map(|source| endpoints.resolve(source)).collect::<Result<_, _>>()
        };
        Ok(Config(Arc::new(Inner {
            sdk_key: self.sdk_key?,
            is_offline: self.is_offline,
            initializers: resolve(self.initializers)?,
            synchronizers: resolve(self.synchronizers)?,
            fdv1: self.fdv1.map(|fdv1| endpoints.resolve_fdv1(fdv1)).transpose()?,
            headers,
            filter: self.filter.filter(|key| !key.is_empty()),
            store: self.store,
            timing: self.timing,
            limits: self.limits,
        })))
    }

    fn check_contradictions(&self) -> Result<(), ConfigError> {
        let refuse = |why| Err(ConfigError::Contradiction(why));
        if self.initializers.iter().any(|source| matches!(source, Source::Streaming(_))) {
            return refuse("a stream cannot be an initializer; make it a synchronizer");
        }
        let has_sources = !self.initializers.is_empty() || !self.synchronizers.is_empty();
        if self.fdv1.is_some() && !has_sources {
            return refuse(
                "an FDv1 source alone is never used: it waits for the directive of another \
                 source; add a synchronizer, or take it out",
            );
        }
        let mut sources = self.initializers.iter().chain(&self.synchronizers);
        let asks_server =
            self.fdv1.is_some() || sources.any(|source| !matches!(source, Source::Custom(_)));
        if asks_server && !self.is_offline && matches!(self.sdk_key, Ok(None)) {
            return refuse("a server cannot be asked without an SDK key; begin with one");
        }
        if self.filter.as_ref().is_some_and(|filter| filter.len() > MAX_FILTER) {
            return refuse("the payload filter's key is longer than 8 KiB; shorten it");
        }
        Ok(())
    }
}

impl fmt::Debug for ConfigBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigBuilder").finish_non_exhaustive()
    }
}

struct ResolvedEndpoints {
    streaming: Url,
    polling: Url,
}

impl ResolvedEndpoints {
    fn resolve(&self, source: Source) -> Result<ResolvedSource, ConfigError> {
        let url = match &source {
            Source::Streaming(streaming) => {
                timing::check("initial_retry_delay", streaming.initial_retry_delay)?;
                Some(service_url(
                    "stream's",
                    streaming.base_url.as_deref(),
                    &self.streaming,
                    "/sdk/stream",
                )?)
            }
            Source::Polling(polling) => Some(self.poll_url(polling, "/sdk/poll")?),
            Source::Custom(_) => None,
        };
        Ok(ResolvedSource { source, url })
    }

    fn resolve_fdv1(&self, polling: Polling) -> Result<ResolvedSource, ConfigError> {
        let url = Some(self.poll_url(&polling, "/sdk/latest-all")?);
        Ok(ResolvedSource { source: Source::Polling(polling), url })
    }

    fn poll_url(&self, polling: &Polling, path: &str) -> Result<Url, ConfigError> {
        timing::check("the poll interval", polling.interval)?;
        service_url("poll's", polling.base_url.as_deref(), &self.polling, path)
    }
}

fn service_url(
    what: &'static str,
    own: Option<&str>,
    default: &Url,
    path: &str,
) -> Result<Url, ConfigError> {
    let mut url = match own {
        Some(text) => endpoints::parse(what, text)?,
        None => default.clone(),
    };
    let path = format!("{}{path}", url.path().trim_end_matches('/'));
    url.set_path(&path);
    Ok(url)
}

fn check_limits(limits: &Limits) -> Result<(), ConfigError> {
    let named = [
        ("event_bytes", limits.event_bytes),
        ("transfer_bytes", limits.transfer_bytes),
        ("transfer_objects", limits.transfer_objects),
        ("held_bytes", limits.held_bytes),
        ("held_objects", limits.held_objects),
        ("head_bytes", limits.head_bytes),
        ("selector_bytes", limits.selector_bytes),
    ];
    match named.into_iter().find(|(_, limit)| *limit == 0) {
        Some((name, _)) => Err(ConfigError::Limit(name)),
        None => Ok(()),
    }
}

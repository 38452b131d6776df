//! Collecting settings, and refusing contradictions.

use std::fmt;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue, header};
use url::Url;

use super::endpoints;
use super::{
    Config, ConfigError, Endpoints, Inner, Polling, ResolvedSource, SdkKey, Source, StoreMode,
    Timing, timing,
};
use crate::limits::Limits;

/// The headers that are ours to set.
const RESERVED: [HeaderName; 7] = [
    header::AUTHORIZATION,
    header::ACCEPT,
    header::HOST,
    header::IF_NONE_MATCH,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
];

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
    headers: Vec<(String, String)>,
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
            headers: Vec::new(),
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

    /// A header to send with every request. Its value does not show in `Debug`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
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
    /// base URL, header, duration or limit, or settings that contradict each other (B 11.2).
    pub fn build(self) -> Result<Config, ConfigError> {
        self.check_contradictions()?;
        self.timing.check()?;
        check_limits(&self.limits)?;
        let headers = check_headers(&self.headers)?;
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

fn check_headers(headers: &[(String, String)]) -> Result<HeaderMap, ConfigError> {
    let mut checked = HeaderMap::new();
    for (name, value) in headers {
        let refused = || ConfigError::Header(name.clone());
        let parsed_name: HeaderName = name.parse().map_err(|_| refused())?;
        let mut parsed_value = HeaderValue::from_str(value).map_err(|_| refused())?;
        parsed_value.set_sensitive(true);
        if RESERVED.contains(&parsed_name) {
            return Err(refused());
        }
        checked.append(parsed_name, parsed_value);
    }
    Ok(checked)
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

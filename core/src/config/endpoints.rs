//! Base URLs.

use std::fmt;

use url::Url;

use super::ConfigError;

/// The longest base URL that is accepted, in bytes (B 11.2).
const MAX_URL: usize = 8 << 10;

/// Where the services are. A source's own base URL goes first.
///
/// A base URL may carry a path, and a slash at its end makes no difference (B 11.3).
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoints {
    /// Serves `/sdk/stream`.
    pub streaming: String,
    /// Serves `/sdk/poll` and, for the FDv1 fallback, `/sdk/latest-all`.
    pub polling: String,
}

impl Default for Endpoints {
    fn default() -> Self {
        Self {
            streaming: "https://stream.launchdarkly.com".into(),
            polling: "https://sdk.launchdarkly.com".into(),
        }
    }
}

impl Endpoints {
    /// Everything at one address: a Relay Proxy, or `fdv2 serve`.
    pub fn relay(base_url: impl Into<String>) -> Self {
        let base_url = base_url.into();
        Self { streaming: base_url.clone(), polling: base_url }
    }
}

impl fmt::Debug for Endpoints {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoints")
            .field("streaming", &Shown(&self.streaming))
            .field("polling", &Shown(&self.polling))
            .finish()
    }
}

/// A base URL as it may be shown: not at all if it could hold a password (B 11.1).
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = if self.0.contains('@') { "(hidden: it holds an @)" } else { self.0 };
        fmt::Debug::fmt(text, f)
    }
}

/// Checks a base URL and returns it parsed, its path without the slash at the end.
pub(super) fn parse(what: &'static str, text: &str) -> Result<Url, ConfigError> {
    let refuse = |why: &str| Err(ConfigError::BaseUrl { what, why: why.to_owned() });
    if text.len() > MAX_URL {
        return refuse("it is longer than 8 KiB; shorten it");
    }
    let Ok(mut url) = Url::parse(text) else {
        return refuse("it is not a URL; write one such as https://flags.example.com/path");
    };
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
        return refuse("it must begin with http:// or https:// and name a host");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return refuse("it holds a user name or password; take them out");
    }
    if url.port() == Some(0) {
        return refuse("port 0 cannot be connected to; name the port the service listens on");
    }
    if url.query_pairs().any(|(name, _)| matches!(&*name, "basis" | "filter")) {
        return refuse("its query holds `basis` or `filter`, which requests add; take them out");
    }
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    if url.as_str().parse::<http::Uri>().is_err() {
        return refuse("it holds a character that cannot be sent; percent-encode it");
    }
    Ok(url)
}

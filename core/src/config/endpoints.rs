//! Base URLs.

use url::Url;

use super::ConfigError;

/// The longest base URL that is accepted, in bytes (B 11.2).
const MAX_URL: usize = 8 << 10;

/// Where the services are. A source's own base URL goes first.
///
/// A base URL may carry a path, and a slash at its end makes no difference (B 11.3).
#[derive(Clone, Debug, PartialEq, Eq)]
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
    url.set_fragment(None);
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

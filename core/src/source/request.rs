//! What is asked of whom, and where a redirect leads (B 2.2, 8.5, 11.3, 11.5).

use http::{HeaderMap, HeaderValue, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use crate::effect::Request;

/// The most redirects that are followed (B 8.5).
const MAX_REDIRECTS: u8 = 10;
/// Everything but the unreserved characters is escaped in a query value (B 11.2).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// One request, and what is needed to follow its redirects.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    url: Url,
    query: Vec<(&'static str, String)>,
    headers: HeaderMap,
    redirects: u8,
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RedirectError {
    TooMany,
    NoUsableLocation,
}

impl Target {
    /// Asks `url` with the parameters that are there; `headers` hold the credentials.
    pub(crate) fn new(
        url: &Url,
        basis: Option<&str>,
        filter: Option<&str>,
        headers: HeaderMap,
    ) -> Self {
        let escape = |value: &str| utf8_percent_encode(value, ESCAPED).to_string();
        let query: Vec<_> = [("basis", basis), ("filter", filter)]
            .into_iter()
            .filter_map(|(name, value)| value.map(|value| (name, escape(value))))
            .collect();
        let url = with_query(url.clone(), &query);
        Self { url, query, headers, redirects: 0 }
    }

    /// Whether the request says what is held.
    pub(crate) fn carries_basis(&self) -> bool {
        self.query.iter().any(|(name, _)| *name == "basis")
    }

    /// Whether the request may be answered with 304.
    pub(crate) fn carries_tag(&self) -> bool {
        self.headers.contains_key(header::IF_NONE_MATCH)
    }

    /// The request itself; `None` if its URL is one that HTTP cannot carry.
    pub(crate) fn request(&self) -> Option<Request> {
        let mut request = http::Request::get(self.url.as_str()).body(()).ok()?;
        *request.headers_mut() = self.headers.clone();
        Some(Request(request))
    }

    /// Goes where a redirect leads. Credentials do not follow to another origin, our query does.
    pub(crate) fn follow(&mut self, headers: &HeaderMap) -> Result<Request, RedirectError> {
        if self.redirects == MAX_REDIRECTS {
            return Err(RedirectError::TooMany);
        }
        let url = self.location(headers).ok_or(RedirectError::NoUsableLocation)?;
        if url.origin() != self.url.origin() {
            self.headers = without_credentials(&self.headers);
        }
        self.url = with_query(url, &self.query);
        self.redirects += 1;
        self.request().ok_or(RedirectError::NoUsableLocation)
    }

    fn location(&self, headers: &HeaderMap) -> Option<Url> {
        let location = headers.get(header::LOCATION)?.to_str().ok()?;
        let mut url = self.url.join(location).ok()?;
        url.set_fragment(None);
        let is_usable = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.username().is_empty()
            && url.password().is_none()
            && url.port() != Some(0);
        is_usable.then_some(url)
    }
}

/// Without the SDK key, and without what the user adds, which is marked as sensitive, as it may be a
/// key to a server in between. Without its name a client is refused by some servers, and that is no
/// secret.
fn without_credentials(headers: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        let is_credential = *name == header::AUTHORIZATION || value.is_sensitive();
        if !is_credential || *name == header::USER_AGENT {
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

/// Adds the parameters that the URL does not have yet.
fn with_query(mut url: Url, parameters: &[(&'static str, String)]) -> Url {
    let mut query = url.query().unwrap_or_default().to_owned();
    for (name, value) in parameters {
        if url.query_pairs().any(|(present, _)| present == *name) {
            continue;
        }
        if !query.is_empty() {
            query.push('&');
        }
        query.push_str(name);
        query.push('=');
        query.push_str(value);
    }
    url.set_query((!query.is_empty()).then_some(&query));
    url
}

/// The headers of a request: those that every request has, and its own.
pub(crate) fn headers(
    common: &HeaderMap,
    accept: &'static str,
    tag: Option<&HeaderValue>,
) -> HeaderMap {
    let mut headers = common.clone();
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    if let Some(tag) = tag {
        headers.insert(header::IF_NONE_MATCH, tag.clone());
    }
    headers
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(base: &str, basis: Option<&str>, filter: Option<&str>) -> Target {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, HeaderValue::from_static("sdk-key"));
        Target::new(&Url::parse(base).unwrap(), basis, filter, headers)
    }

    fn uri(target: &Target) -> String {
        target.request().unwrap().0.uri().to_string()
    }

    fn follow(target: &mut Target, location: &str) -> Result<Request, RedirectError> {
        let mut headers = HeaderMap::new();
        headers.insert(header::LOCATION, location.parse().unwrap());
        target.follow(&headers)
    }

    /// B 2.2, 11.2, and case P09: a selector survives byte for byte.
    #[test]
    fn query_values_are_escaped_but_for_unreserved_characters() {
        let target = target("http://h/sdk/poll", Some("a b&c=d/é+(p:x:1)#%25-._~"), Some("a&b=c"));
        assert_eq!(
            uri(&target),
            "http://h/sdk/poll?basis=a%20b%26c%3Dd%2F%C3%A9%2B%28p%3Ax%3A1%29%23%2525-._~\
             &filter=a%26b%3Dc"
        );
    }

    /// B 2.2: no selector, no parameter at all. B 11.3: a base URL's own query stays.
    #[test]
    fn what_is_absent_is_not_sent_and_what_was_there_stays() {
        assert_eq!(uri(&target("http://h/sdk/poll", None, None)), "http://h/sdk/poll");
        assert_eq!(
            uri(&target("http://h/sdk/poll?x=1", Some("s"), None)),
            "http://h/sdk/poll?x=1&basis=s"
        );
    }

    /// B 8.5, and case H03.
    #[test]
    fn a_redirect_keeps_the_query_and_credentials_only_within_the_origin() {
        let mut target = target("http://h:1/sdk/stream", Some("s1"), None);
        let request = follow(&mut target, "/new/sdk/stream").unwrap();
        assert_eq!(request.0.uri(), "http://h:1/new/sdk/stream?basis=s1");
        assert!(request.0.headers().contains_key(header::AUTHORIZATION));

        let request = follow(&mut target, "http://h:2/x?basis=other").unwrap();
        assert_eq!(request.0.uri(), "http://h:2/x?basis=other");
        assert!(!request.0.headers().contains_key(header::AUTHORIZATION));

        let request = follow(&mut target, "http://h:1/sdk/stream").unwrap();
        assert!(!request.0.headers().contains_key(header::AUTHORIZATION));
    }

    /// B 8.5, 8.7.
    #[test]
    fn redirects_end_after_ten_and_at_an_unusable_location() {
        let mut target = target("http://h/a", None, None);
        for _ in 0..10 {
            assert!(follow(&mut target, "/a").is_ok());
        }
        assert_eq!(follow(&mut target, "/a"), Err(RedirectError::TooMany));

        for location in ["ftp://h/a", "http://u:p@h/a", "http://", "http://h:0/", "http://h:99999/"]
        {
            let mut target = self::target("http://h/a", None, None);
            assert_eq!(
                follow(&mut target, location),
                Err(RedirectError::NoUsableLocation),
                "{location}"
            );
        }
        let no_location = target.clone().location(&HeaderMap::new());
        assert_eq!(no_location, None);
    }
}

//! The server's order to fall back to FDv1, as it stands on the wire (B 5.1, 5.4).

use std::time::Duration;

use http::HeaderMap;

/// The longest time that is taken as sent (B 5.4).
const MAX_TTL: u64 = 3_600;
/// Where a time is drawn from when none was sent that can be used (B 5.4).
pub(crate) const DEFAULT_TTL: (Duration, Duration) =
    (Duration::from_secs(30 * 60), Duration::from_secs(60 * 60));

/// An order to fall back to FDv1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Directive {
    /// For how long, if the server said so in a form that can be used.
    pub(crate) ttl: Option<Duration>,
}

impl Directive {
    /// The directive in a response's headers, if there is one.
    pub(crate) fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let is_ordered = headers
            .get_all("x-ld-fd-fallback")
            .iter()
            .any(|value| value.as_bytes().trim_ascii().eq_ignore_ascii_case(b"true"));
        is_ordered.then(|| Self {
            ttl: headers
                .get("x-ld-fd-fallback-ttl")
                .and_then(|value| value.to_str().ok())
                .and_then(|text| whole_seconds(text.trim())),
        })
    }

    /// A directive for so long, if that is a time which can be used.
    pub(crate) fn lasting(ttl: Option<Duration>) -> Self {
        let is_whole = |ttl: &Duration| ttl.subsec_nanos() == 0;
        let is_usable = |ttl: &Duration| is_whole(ttl) && (1..=MAX_TTL).contains(&ttl.as_secs());
        Self { ttl: ttl.filter(is_usable) }
    }
}

fn whole_seconds(text: &str) -> Option<Duration> {
    let is_whole = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let seconds = is_whole.then(|| text.parse().ok()).flatten()?;
    (1..=MAX_TTL).contains(&seconds).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn headers(fallback: &str, ttl: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("X-LD-FD-Fallback", HeaderValue::from_str(fallback).unwrap());
        if let Some(ttl) = ttl {
            headers.insert("X-LD-FD-Fallback-TTL", HeaderValue::from_str(ttl).unwrap());
        }
        headers
    }

    /// B 5.1, and case V07.
    #[test]
    fn only_true_is_a_directive() {
        for value in ["true", "TRUE", " True "] {
            assert!(Directive::from_headers(&headers(value, None)).is_some(), "{value:?}");
        }
        for value in ["1", "yes", "false", "", "true,true"] {
            assert!(Directive::from_headers(&headers(value, None)).is_none(), "{value:?}");
        }
        assert!(Directive::from_headers(&HeaderMap::new()).is_none());
    }

    /// B 5.4: a custom source's time too is a whole number of seconds; a tiny one would be a hot
    /// loop.
    #[test]
    fn a_fraction_of_a_second_is_no_time() {
        let ttl = |millis| Directive::lasting(Some(Duration::from_millis(millis))).ttl;
        assert_eq!(ttl(1_000), Some(Duration::from_secs(1)));
        assert_eq!(ttl(3_600_000), Some(Duration::from_secs(3_600)));
        for millis in [0, 1, 999, 1_500, 3_601_000] {
            assert_eq!(ttl(millis), None, "{millis}");
        }
    }

    /// B 5.4, and case V07.
    #[test]
    fn a_time_is_used_only_as_a_whole_number_of_seconds_within_an_hour() {
        let ttl = |text| Directive::from_headers(&headers("true", Some(text))).unwrap().ttl;
        assert_eq!(ttl("60"), Some(Duration::from_secs(60)));
        assert_eq!(ttl(" 3600 "), Some(Duration::from_secs(3_600)));
        for text in ["0", "-5", "+5", "abc", "1e3", "99999999999999999999", "3601", "1.5", ""] {
            assert_eq!(ttl(text), None, "{text:?}");
        }
    }
}

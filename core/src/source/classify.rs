//! What a response's status and type mean (B 3.6, 8.7). The only place that knows.

use http::{HeaderMap, header};

/// Whether a status removes its source for good (B 3.6).
pub(crate) fn is_final(status: u16) -> bool {
    (400..500).contains(&status) && !matches!(status, 400 | 408 | 429)
}

/// Whether a status is a redirect that is followed (B 8.5).
pub(crate) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 307 | 308)
}

/// Whether a stream's media type is `text/event-stream`; case, parameters and repetition do not
/// matter (B 8.7).
pub(crate) fn is_event_stream(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.split([',', ';']).next())
        .is_some_and(|essence| essence.trim().eq_ignore_ascii_case("text/event-stream"))
}

/// The size of a head, as B 1.13 bounds it.
pub(crate) fn head_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B 3.6, and case F10.
    #[test]
    fn every_4xx_but_three_is_final() {
        for status in [401, 403, 404, 405, 410, 418, 451, 499] {
            assert!(is_final(status), "{status}");
        }
        for status in [200, 204, 301, 304, 400, 408, 429, 500, 503, 599] {
            assert!(!is_final(status), "{status}");
        }
    }

    /// B 8.7, and case S15.
    #[test]
    fn a_decorated_media_type_is_still_a_stream() {
        let is_stream = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, text.parse().unwrap());
            is_event_stream(&headers)
        };
        for text in [
            "text/event-stream",
            "TEXT/EVENT-STREAM",
            "text/event-stream; charset=UTF-8",
            "text/event-stream;charset=utf-8",
            "text/event-stream, text/event-stream",
        ] {
            assert!(is_stream(text), "{text}");
        }
        for text in ["text/html", "text/event-streaming", "", "application/json"] {
            assert!(!is_stream(text), "{text}");
        }
        assert!(!is_event_stream(&HeaderMap::new()));
    }
}

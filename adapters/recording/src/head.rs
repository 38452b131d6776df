//! Response heads as they are written down: what the core reads of them, and nothing else.

use std::ops::Range;

use fdv2_core::ResponseHead;
use http::header::LOCATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::{Deserialize, Serialize};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The headers that decide something. All others are left out: cookies, tokens, names of servers.
const READ: [&str; 6] =
    ["content-type", "etag", "location", "x-ld-envid", "x-ld-fd-fallback", "x-ld-fd-fallback-ttl"];

/// Stands for all headers that were left out, as long as they were: the size of a head decides
/// something, too (B 1.13).
const FILLER: HeaderName = HeaderName::from_static("x");

/// The name, a colon, a space and the line end, as the core counts them.
const FILLER_BYTES: usize = 5;

/// The largest head that can be written down.
const MOST: usize = 16 << 20;

/// Status and headers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Head {
    status: u16,
    headers: Vec<(String, Octets)>,
    /// How many bytes the headers have that were left out.
    left_out: usize,
}

/// The value of a header.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Octets {
    Text(String),
    Base64(String),
}

impl Head {
    /// `None` if it is too large.
    pub(crate) fn of(head: &ResponseHead) -> Option<Self> {
        let mut headers = Vec::new();
        let mut left_out = 0_usize;
        let mut kept = 0_usize;
        for (name, value) in &head.headers {
            let bytes = name.as_str().len() + value.len() + 4;
            if READ.contains(&name.as_str()) {
                kept += bytes;
                let value = if *name == LOCATION { &without_user(value) } else { value };
                headers.push((name.to_string(), Octets::of(value)));
            } else {
                left_out += bytes;
            }
        }
        (kept + left_out <= MOST).then_some(Self { status: head.status, headers, left_out })
    }

    pub(crate) fn head(self) -> Result<ResponseHead, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.headers {
            let name: HeaderName = name.parse().map_err(|_| "a header's name is none")?;
            headers.try_append(name, value.value()?).map_err(|_| "a head has too many headers")?;
        }
        if self.left_out > MOST {
            return Err("a head is larger than any can be".to_owned());
        }
        if self.left_out > 0 {
            let filler = " ".repeat(self.left_out.saturating_sub(FILLER_BYTES));
            let filler = HeaderValue::try_from(filler).map_err(|error| error.to_string())?;
            headers.try_append(FILLER, filler).map_err(|_| "a head has too many headers")?;
        }
        Ok(ResponseHead { status: self.status, headers })
    }
}

impl Octets {
    fn of(value: &HeaderValue) -> Self {
        match value.to_str() {
            Ok(text) => Self::Text(text.to_owned()),
            Err(_) => Self::Base64(STANDARD.encode(value.as_bytes())),
        }
    }

    fn value(self) -> Result<HeaderValue, String> {
        let bytes = match self {
            Self::Text(text) => text.into_bytes(),
            Self::Base64(text) => {
                STANDARD.decode(text).map_err(|_| "a header's value is not base64")?
            }
        };
        HeaderValue::from_bytes(&bytes).map_err(|_| "a header's value is none".to_owned())
    }
}

/// The address without its user and password, and as long as it was. The core follows no address
/// that has one, whatever it is (B 11.1).
fn without_user(location: &HeaderValue) -> HeaderValue {
    let bytes = location.as_bytes();
    let hidden = user(bytes).and_then(|user| {
        let hide = |(at, &byte): (usize, &u8)| match byte {
            _ if !user.contains(&at) => byte,
            b':' => b':',
            _ => b'x',
        };
        let hidden: Vec<u8> = bytes.iter().enumerate().map(hide).collect();
        HeaderValue::from_bytes(&hidden).ok()
    });
    hidden.unwrap_or_else(|| location.clone())
}

/// Where user and password stand in an address. It may have backslashes for slashes.
fn user(location: &[u8]) -> Option<Range<usize>> {
    let is_slash = |byte: &u8| matches!(byte, b'/' | b'\\');
    let slashes = location.iter().position(is_slash)?;
    let before = location.get(..slashes)?;
    if !(before.is_empty() || before.ends_with(b":"))
        || !location.get(slashes + 1).is_some_and(is_slash)
    {
        return None;
    }
    let begin = slashes + location.get(slashes..)?.iter().take_while(|byte| is_slash(byte)).count();
    let is_end = |byte: &u8| is_slash(byte) || matches!(byte, b'?' | b'#');
    let rest = location.get(begin..)?;
    let authority = rest.get(..rest.iter().position(is_end).unwrap_or(rest.len()))?;
    let end = authority.iter().rposition(|byte| *byte == b'@')?;
    Some(begin..begin + end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B 11.1.
    #[test]
    fn a_password_in_a_redirect_is_hidden() {
        for (given, written) in [
            ("http://anna:s3cret@h/a?b@c", "http://xxxx:xxxxxx@h/a?b@c"),
            ("https:\\\\u@p:s3cret@h", "https:\\\\xxx:xxxxxx@h"),
            ("//s3cret@h", "//xxxxxx@h"),
            ("http://h/@anna", "http://h/@anna"),
            ("http://h?a@b", "http://h?a@b"),
            ("/@anna", "/@anna"),
            ("/a//b@c", "/a//b@c"),
            ("a@b", "a@b"),
            ("", ""),
        ] {
            let headers = HeaderMap::from_iter([(LOCATION, given.parse().unwrap())]);
            let head = Head::of(&ResponseHead { status: 301, headers }).unwrap();
            assert_eq!(head.head().unwrap().headers[LOCATION], written, "{given}");
        }
    }

    fn size(headers: &HeaderMap) -> usize {
        headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum()
    }

    #[test]
    fn what_decides_nothing_is_left_out_but_for_its_size() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("set-cookie", "session=s3cret"),
            ("set-cookie", ""),
            ("authorization", "s3cret"),
            ("content-type", "text/event-stream"),
            ("etag", "\"v1\""),
            ("location", "/next"),
        ] {
            headers.append(name, value.parse().unwrap());
        }
        headers.append("etag", HeaderValue::from_bytes(b"\xff\"").unwrap());
        let before = ResponseHead { status: 200, headers };
        let text = serde_json::to_string(&Head::of(&before).unwrap()).unwrap();
        assert!(!text.contains("s3cret") && !text.contains("cookie"), "{text}");
        let after = serde_json::from_str::<Head>(&text).unwrap().head().unwrap();
        assert_eq!((after.status, size(&after.headers)), (200, size(&before.headers)));
        for name in READ {
            let values = |head: &ResponseHead| {
                head.headers.get_all(name).iter().cloned().collect::<Vec<_>>()
            };
            assert_eq!(values(&after), values(&before), "{name}");
        }
    }

    #[test]
    fn the_smallest_header_that_is_left_out_counts() {
        let headers = HeaderMap::from_iter([(FILLER, HeaderValue::from_static(""))]);
        let head = ResponseHead { status: 1, headers };
        assert_eq!(Head::of(&head).unwrap().head().unwrap(), head);
    }

    #[test]
    fn a_head_that_claims_to_be_endless_is_refused() {
        let head = Head { status: 200, headers: Vec::new(), left_out: usize::MAX };
        assert!(head.head().is_err());
    }
}

//! The headers that every request of every client has (C 1.4).

use http::{HeaderMap, HeaderName, HeaderValue, header};

use super::ConfigError;

const TAGS: HeaderName = HeaderName::from_static("x-launchdarkly-tags");
const WRAPPER: HeaderName = HeaderName::from_static("x-launchdarkly-wrapper");
/// Tells one client from another. Its value is no setting.
pub(crate) const INSTANCE_ID: HeaderName = HeaderName::from_static("x-launchdarkly-instance-id");

/// The headers that are ours to set.
const RESERVED: [HeaderName; 10] = [
    header::AUTHORIZATION,
    header::ACCEPT,
    header::HOST,
    header::IF_NONE_MATCH,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
    TAGS,
    WRAPPER,
    INSTANCE_ID,
];

/// The longest tag that is sent, in characters (C 2.8).
const MAX_TAG: usize = 64;

/// What is to be sent, as it was given.
#[derive(Clone, Default)]
pub(super) struct Headers {
    pub(super) own: Vec<(String, String)>,
    pub(super) application_id: String,
    pub(super) application_version: String,
    pub(super) wrapper_name: String,
    pub(super) wrapper_version: String,
}

impl Headers {
    /// The headers themselves, if all of them can be sent.
    pub(super) fn check(&self) -> Result<HeaderMap, ConfigError> {
        let mut checked = check_own(&self.own)?;
        if let Some(tags) = self.tags() {
            checked.insert(TAGS, tags);
        }
        if let Some(wrapper) = self.wrapper()? {
            checked.insert(WRAPPER, wrapper);
        }
        Ok(checked)
    }

    /// The tags that can be sent; one that cannot is no error (C 2.8).
    fn tags(&self) -> Option<HeaderValue> {
        let tags: Vec<_> = [
            ("application-id", &self.application_id),
            ("application-version", &self.application_version),
        ]
        .into_iter()
        .filter(|(_, tag)| is_tag(tag))
        .map(|(name, tag)| format!("{name}/{tag}"))
        .collect();
        HeaderValue::try_from(tags.join(" ")).ok().filter(|tags| !tags.is_empty())
    }

    fn wrapper(&self) -> Result<Option<HeaderValue>, ConfigError> {
        let wrapper = match (self.wrapper_name.as_str(), self.wrapper_version.as_str()) {
            ("", _) => return Ok(None),
            (name, "") => name.to_owned(),
            (name, version) => format!("{name}/{version}"),
        };
        // HTTP itself would let other bytes pass, which every receiver reads in its own way.
        if !wrapper.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
            return Err(ConfigError::Wrapper);
        }
        HeaderValue::try_from(wrapper).map(Some).map_err(|_| ConfigError::Wrapper)
    }
}

/// The tags in headers that were checked.
pub(super) fn sent_tags(headers: &HeaderMap) -> Option<&str> {
    headers.get(TAGS).and_then(|tags| tags.to_str().ok())
}

fn is_tag(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    (1..=MAX_TAG).contains(&text.len()) && text.bytes().all(is_allowed)
}

fn check_own(headers: &[(String, String)]) -> Result<HeaderMap, ConfigError> {
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

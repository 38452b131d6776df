//! Text that never shows.

use std::fmt;
use std::sync::Arc;

use http::HeaderValue;

use super::ConfigError;

/// The SDK key. Never shows in `Debug`, and its header value is marked sensitive (B 11.1).
#[derive(Clone, PartialEq, Eq)]
pub struct SdkKey(Arc<str>);

impl SdkKey {
    /// Stands in the place of secrets where none may be.
    pub const PLACEHOLDER: &str = "placeholder";

    pub(super) fn placeholder() -> Self {
        Self(Self::PLACEHOLDER.into())
    }

    pub(super) fn new(text: &str) -> Result<Self, ConfigError> {
        let is_plain = !text.is_empty() && text.bytes().all(|byte| matches!(byte, 0x21..=0x7e));
        if is_plain { Ok(Self(text.into())) } else { Err(ConfigError::SdkKey) }
    }

    /// The value of the `Authorization` header, marked sensitive.
    pub fn header_value(&self) -> HeaderValue {
        let mut value =
            HeaderValue::from_str(&self.0).unwrap_or_else(|_| HeaderValue::from_static(""));
        value.set_sensitive(true);
        value
    }

    /// The key itself. Keep it out of everything that is written down.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for SdkKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SdkKey(..)")
    }
}

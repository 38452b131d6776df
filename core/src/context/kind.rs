//! The kind of thing that a context describes.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContextError;

/// The kind of thing that a context describes: `user`, or whatever the application calls it.
///
/// A kind is made of ASCII letters, digits, `-`, `.` and `_`, and is neither `kind` nor `multi`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(Cow<'static, str>);

impl Kind {
    /// The kind `user`.
    pub fn user() -> Self {
        Self(Cow::Borrowed("user"))
    }

    /// Of a context with several kinds.
    pub(super) fn multi() -> Self {
        Self(Cow::Borrowed("multi"))
    }

    /// Whether this is `user`.
    pub fn is_user(&self) -> bool {
        self == "user"
    }

    /// Whether this is `multi`, the kind of a context with several kinds.
    pub fn is_multi(&self) -> bool {
        self == "multi"
    }

    /// The name of the kind.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for Kind {
    /// The kind `user`.
    fn default() -> Self {
        Self::user()
    }
}

impl AsRef<str> for Kind {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Kind {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Kind {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Kind {
    type Error = ContextError;

    fn try_from(name: String) -> Result<Self, ContextError> {
        match &*name {
            "user" => Ok(Self::user()),
            "" => Err(ContextError::EmptyKind),
            "kind" | "multi" => Err(ContextError::ReservedKind),
            _ if !name.bytes().all(is_allowed) => Err(ContextError::KindCharacters),
            _ => Ok(Self(Cow::Owned(name))),
        }
    }
}

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

impl TryFrom<&str> for Kind {
    type Error = ContextError;

    fn try_from(name: &str) -> Result<Self, ContextError> {
        Self::try_from(name.to_owned())
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.0.into_owned()
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

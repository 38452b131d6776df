//! The kind of thing that a context describes.

use std::cmp::Ordering;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ContextError;
use crate::model::KindName;

/// The kind of thing that a context describes: `user`, or whatever the application calls it.
///
/// A kind is made of ASCII letters, digits, `-`, `.` and `_`, and is neither `kind` nor `multi`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Kind(
    /// `None` is `user`, so that the most common comparison is the fastest.
    Option<Box<str>>,
);

impl Kind {
    /// The kind `user`.
    pub fn user() -> Self {
        Self(None)
    }

    /// Of a context with several kinds.
    pub(super) fn multi() -> Self {
        Self(Some("multi".into()))
    }

    /// Whether this is `user`.
    pub fn is_user(&self) -> bool {
        self.0.is_none()
    }

    /// Whether this is `multi`, the kind of a context with several kinds.
    pub fn is_multi(&self) -> bool {
        self == "multi"
    }

    /// The name of the kind.
    pub fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or("user")
    }

    /// Whether this is what a flag calls `name`.
    #[inline]
    pub(super) fn is(&self, name: &KindName) -> bool {
        self.0.as_deref() == name.other()
    }
}

impl PartialOrd for Kind {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kind {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.as_str()).finish()
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
        self.as_str()
    }
}

impl PartialEq<str> for Kind {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Kind {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
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
            _ => Ok(Self(Some(name.into()))),
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
        kind.0.map_or_else(|| "user".to_owned(), String::from)
    }
}

impl Serialize for Kind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.try_into().map_err(serde::de::Error::custom)
    }
}

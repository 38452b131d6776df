//! Which attribute of a context is meant.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model;

/// The name of an attribute, or a path to a value inside one.
///
/// Text that begins with `/` is a path: its parts are separated by `/`, and `~1` and `~0` inside a
/// part stand for `/` and `~`. Any other text is the name of an attribute as it stands. What is
/// neither (empty text, an empty part, an unknown escape) is an invalid reference, which is a value
/// like any other and refers to nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    input: Box<str>,
    /// Of a path, the unescaped parts.
    parts: Box<[Box<str>]>,
    head: Head,
}

/// What the first part names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Head {
    Kind,
    Key,
    Name,
    Anonymous,
    /// Another attribute, whose name has this hash.
    Other(u32),
    Invalid(ReferenceError),
}

/// Why a [`Reference`] is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
pub enum ReferenceError {
    /// There is no text, or only a slash.
    #[error("an attribute reference cannot be empty")]
    Empty,
    /// `~` is followed by something else than `0` or `1`.
    #[error("an attribute reference contains an invalid escape")]
    Escape,
    /// Two slashes in a row, or one at the end.
    #[error("an attribute reference contains a double or trailing slash")]
    EmptyPart,
}

impl Reference {
    /// Reads `text`, which is kept as it is, valid or not.
    pub fn new(text: impl AsRef<str>) -> Self {
        let input = text.as_ref();
        let (parts, head) = match split(input) {
            Ok(parts) => {
                let head = Head::of(parts.first().map_or(input, |part| part));
                (parts, head)
            }
            Err(error) => (Box::default(), Head::Invalid(error)),
        };
        Self { input: input.into(), parts, head }
    }

    /// A reference to the attribute whose name is `name`, even if it begins with a slash.
    pub fn from_literal_name(name: &str) -> Self {
        if name.starts_with('/') {
            Self::new(format!("/{}", escape(name)))
        } else {
            Self::new(name)
        }
    }

    /// Whether this refers to anything at all.
    pub fn is_valid(&self) -> bool {
        self.error().is_none()
    }

    /// What is wrong with it, if something is.
    pub fn error(&self) -> Option<ReferenceError> {
        match self.head {
            Head::Invalid(error) => Some(error),
            _ => None,
        }
    }

    /// The number of parts: one for a name, none for an invalid reference.
    pub fn depth(&self) -> usize {
        if self.is_valid() { self.parts.len().max(1) } else { 0 }
    }

    /// The part at `index`, unescaped.
    pub fn component(&self, index: usize) -> Option<&str> {
        match self.parts.get(index) {
            Some(part) => Some(part),
            None if index == 0 && self.is_valid() => Some(&self.input),
            None => None,
        }
    }

    /// The text that this was made of.
    pub fn as_str(&self) -> &str {
        &self.input
    }

    #[inline]
    pub(crate) fn head(&self) -> Head {
        self.head
    }

    /// The attribute's name.
    #[inline]
    pub(super) fn name(&self) -> &str {
        self.parts.first().unwrap_or(&self.input)
    }

    /// The parts that lead on inside of the attribute's value.
    #[inline]
    pub(crate) fn path(&self) -> &[Box<str>] {
        self.parts.get(1..).unwrap_or_default()
    }
}

impl Head {
    fn of(name: &str) -> Self {
        match name {
            "kind" => Self::Kind,
            "key" => Self::Key,
            "name" => Self::Name,
            "anonymous" => Self::Anonymous,
            _ => Self::Other(model::hash(name)),
        }
    }
}

/// The parts of a path; none of a name.
fn split(input: &str) -> Result<Box<[Box<str>]>, ReferenceError> {
    match input.strip_prefix('/') {
        _ if input.is_empty() || input == "/" => Err(ReferenceError::Empty),
        Some(path) => path.split('/').map(unescape).collect(),
        None => Ok(Box::default()),
    }
}

fn unescape(part: &str) -> Result<Box<str>, ReferenceError> {
    if part.is_empty() {
        return Err(ReferenceError::EmptyPart);
    }
    let mut pieces = part.split('~');
    let mut unescaped = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (character, rest) = match piece.split_at_checked(1) {
            Some(("0", rest)) => ('~', rest),
            Some(("1", rest)) => ('/', rest),
            _ => return Err(ReferenceError::Escape),
        };
        unescaped.push(character);
        unescaped.push_str(rest);
    }
    Ok(unescaped.into_boxed_str())
}

fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

impl Default for Reference {
    /// The empty reference, which is invalid.
    fn default() -> Self {
        Self::new("")
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.input)
    }
}

impl<S: AsRef<str>> From<S> for Reference {
    fn from(text: S) -> Self {
        Self::new(text)
    }
}

impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.input)
    }
}

impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<str>::deserialize(deserializer).map(Self::new)
    }
}

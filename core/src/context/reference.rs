//! Which attribute of a context is meant.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name of an attribute, or a path to a value inside one.
///
/// Text that begins with `/` is a path: its parts are separated by `/`, and `~1` and `~0` inside a
/// part stand for `/` and `~`. Any other text is the name of an attribute as it stands. What is
/// neither (empty text, an empty part, an unknown escape) is an invalid reference, which is a value
/// like any other and refers to nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reference {
    input: Box<str>,
    form: Form,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Form {
    Name,
    Path(Box<[Box<str>]>),
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
        Self { form: Form::of(input), input: input.into() }
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
        match self.form {
            Form::Invalid(error) => Some(error),
            Form::Name | Form::Path(_) => None,
        }
    }

    /// The number of parts: one for a name, none for an invalid reference.
    pub fn depth(&self) -> usize {
        match &self.form {
            Form::Name => 1,
            Form::Path(parts) => parts.len(),
            Form::Invalid(_) => 0,
        }
    }

    /// The part at `index`, unescaped.
    pub fn component(&self, index: usize) -> Option<&str> {
        match &self.form {
            Form::Name => (index == 0).then_some(&*self.input),
            Form::Path(parts) => parts.get(index).map(|part| &**part),
            Form::Invalid(_) => None,
        }
    }

    /// The text that this was made of.
    pub fn as_str(&self) -> &str {
        &self.input
    }

    /// The attribute's name and the path that leads on inside of its value.
    pub(crate) fn split(&self) -> Option<(&str, &[Box<str>])> {
        match &self.form {
            Form::Name => Some((&self.input, &[])),
            Form::Path(parts) => parts.split_first().map(|(name, rest)| (&**name, rest)),
            Form::Invalid(_) => None,
        }
    }
}

impl Form {
    fn of(input: &str) -> Self {
        if input.is_empty() || input == "/" {
            return Self::Invalid(ReferenceError::Empty);
        }
        let Some(path) = input.strip_prefix('/') else {
            return Self::Name;
        };
        path.split('/')
            .map(unescape)
            .collect::<Result<_, _>>()
            .map_or_else(Self::Invalid, Self::Path)
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

//! Whom a flag is evaluated for.

mod attributes;
mod builder;
mod json;
mod kind;
mod reference;
mod value;

use std::borrow::Cow;

use attributes::Attributes;
pub use builder::{ContextBuilder, MultiContextBuilder};
pub use kind::Kind;
pub(crate) use reference::Head;
pub use reference::{Reference, ReferenceError};
pub use value::AttributeValue;

use crate::model::KindName;

/// Whom a flag is evaluated for: attributes that rules and lists can refer to, of one or several
/// kinds of things. Made by [`ContextBuilder`], by [`MultiContextBuilder`], or from JSON.
#[derive(Clone, Debug)]
pub struct Context {
    kind: Kind,
    key: Box<str>,
    key_hash: u32,
    canonical_key: Box<str>,
    name: Option<AttributeValue>,
    is_anonymous: bool,
    attributes: Attributes,
    /// In order, each once.
    private_attributes: Box<[Reference]>,
    /// The parts of a context with several kinds, in the order of these.
    parts: Box<[Context]>,
    error: Option<ContextError>,
}

/// Why a context is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum ContextError {
    /// The key is empty.
    #[error("the key of a context cannot be empty")]
    EmptyKey,
    /// The kind is empty.
    #[error("the kind of a context cannot be empty")]
    EmptyKind,
    /// The kind is `kind` or `multi`.
    #[error("the kind of a context cannot be \"kind\" or \"multi\"")]
    ReservedKind,
    /// The kind has other characters than ASCII letters, digits, `-`, `.` and `_`.
    #[error("the kind of a context has a character that is not allowed")]
    KindCharacters,
    /// There is no context in a context with several kinds.
    #[error("a context with several kinds needs at least one")]
    NoKinds,
    /// Two contexts of one kind.
    #[error("a context with several kinds cannot have one of them twice")]
    DuplicateKind,
}

impl From<ContextError> for String {
    fn from(error: ContextError) -> Self {
        error.to_string()
    }
}

impl Context {
    /// A context for which every flag gives its default, because of `error`.
    pub fn invalid(error: ContextError) -> Self {
        Self { error: Some(error), ..builder::blank(Kind::user(), "") }
    }

    /// Whether flags can be evaluated for this.
    #[inline]
    pub fn is_valid(&self) -> bool {
        self.error.is_none()
    }

    /// What is wrong with it, if something is.
    pub fn error(&self) -> Option<ContextError> {
        self.error
    }

    /// Whether it has several kinds.
    #[inline]
    pub fn is_multi(&self) -> bool {
        !self.parts.is_empty()
    }

    /// Its kind: `multi` if there are several.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// All of its kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &Kind> {
        self.parts().iter().map(|part| &part.kind)
    }

    /// Its key: empty if there are several kinds.
    #[inline]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What tells it from all others: the key of a user, `kind:key` of another kind, and these
    /// one after another if there are several, with `%` and `:` in keys escaped.
    pub fn canonical_key(&self) -> &str {
        &self.canonical_key
    }

    /// The part of this kind.
    pub fn as_kind(&self, kind: &Kind) -> Option<&Context> {
        self.parts().iter().find(|part| part.kind == *kind)
    }

    /// The value that `reference` leads to. With several kinds, only `kind` does; see
    /// [`Context::as_kind`] for the others.
    pub fn value(&self, reference: &Reference) -> Option<Cow<'_, AttributeValue>> {
        let path = reference.path();
        if self.is_multi() && (reference.head() != Head::Kind || !path.is_empty()) {
            return None;
        }
        match self.attribute(reference)? {
            Attribute::Value(value) => descend(value, path).map(Cow::Borrowed),
            _ if !path.is_empty() => None,
            Attribute::Text(text) => Some(Cow::Owned(text.into())),
            Attribute::Bool(value) => Some(Cow::Owned(value.into())),
        }
    }

    /// Whether it is not to be listed among the contexts that are known.
    pub fn is_anonymous(&self) -> bool {
        self.is_anonymous
    }

    /// The attributes that are not to be reported.
    pub fn private_attributes(&self) -> &[Reference] {
        &self.private_attributes
    }

    /// The contexts of one kind that this is made of.
    #[inline]
    pub(crate) fn parts(&self) -> &[Context] {
        if self.is_multi() { &self.parts } else { std::slice::from_ref(self) }
    }

    #[inline]
    pub(crate) fn part(&self, kind: &KindName) -> Option<&Context> {
        self.parts().iter().find(|part| part.kind.is(kind))
    }

    /// What [`KeySet`](crate::model::KeySet) wants to know of the key.
    #[inline]
    pub(crate) fn key_hash(&self) -> u32 {
        self.key_hash
    }

    /// The attribute that `reference` begins with.
    #[inline]
    pub(crate) fn attribute(&self, reference: &Reference) -> Option<Attribute<'_>> {
        match reference.head() {
            Head::Key => Some(Attribute::Text(&self.key)),
            Head::Kind => Some(Attribute::Text(self.kind.as_str())),
            Head::Name => self.name.as_ref().map(Attribute::Value),
            Head::Anonymous => Some(Attribute::Bool(self.is_anonymous)),
            Head::Other(hash) => self.attributes.find(reference.name(), hash).map(Attribute::Value),
            Head::Invalid(_) => None,
        }
    }
}

/// An attribute, built in or not.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Attribute<'a> {
    Text(&'a str),
    Bool(bool),
    Value(&'a AttributeValue),
}

/// Follows `path` through objects.
#[inline]
pub(crate) fn descend<'a>(
    value: &'a AttributeValue,
    path: &[Box<str>],
) -> Option<&'a AttributeValue> {
    path.iter().try_fold(value, |value, part| match value {
        AttributeValue::Object(members) => members.get(&**part),
        _ => None,
    })
}

impl From<Result<Context, ContextError>> for Context {
    /// The context, or an invalid one.
    fn from(built: Result<Context, ContextError>) -> Self {
        built.unwrap_or_else(Self::invalid)
    }
}

/// Contexts are equal if they have the same kinds, keys and attributes, and the same of these are
/// private, in whatever order they were set.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.key == other.key
            && self.name == other.name
            && self.is_anonymous == other.is_anonymous
            && self.attributes == other.attributes
            && self.private_attributes == other.private_attributes
            && self.parts == other.parts
            && self.error == other.error
    }
}

//! Making contexts.

use std::collections::BTreeMap;

use super::attributes::Attributes;
use super::{AttributeValue, Context, ContextError, Kind, Reference};
use crate::model;

/// Makes a [`Context`] of one kind.
///
/// ```
/// use fdv2_core::context::ContextBuilder;
///
/// let context = ContextBuilder::new("acme").kind("org").set_value("plan", "gold").build()?;
/// assert_eq!(context.canonical_key(), "org:acme");
/// # Ok::<(), fdv2_core::context::ContextError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ContextBuilder {
    kind: String,
    key: String,
    name: Option<String>,
    is_anonymous: bool,
    attributes: BTreeMap<Box<str>, AttributeValue>,
    private_attributes: Vec<Reference>,
    allows_empty_key: bool,
}

impl ContextBuilder {
    /// A context of kind `user` with this key, and nothing else.
    pub fn new(key: impl Into<String>) -> Self {
        Self {
            kind: "user".to_owned(),
            key: key.into(),
            name: None,
            is_anonymous: false,
            attributes: BTreeMap::new(),
            private_attributes: Vec::new(),
            allows_empty_key: false,
        }
    }

    /// Sets the kind; see [`Kind`] for what it can be.
    pub fn kind(&mut self, kind: impl Into<String>) -> &mut Self {
        self.kind = kind.into();
        self
    }

    /// Sets the key, which cannot be empty.
    pub fn key(&mut self, key: impl Into<String>) -> &mut Self {
        self.key = key.into();
        self
    }

    /// Sets the name, which people see in place of the key.
    pub fn name(&mut self, name: impl Into<String>) -> &mut Self {
        self.name = Some(name.into());
        self
    }

    /// Sets whether the context is not to be listed among those that are known.
    pub fn anonymous(&mut self, value: bool) -> &mut Self {
        self.is_anonymous = value;
        self
    }

    /// As [`ContextBuilder::set_value`].
    pub fn set_bool(&mut self, attribute: &str, value: bool) -> &mut Self {
        self.set_value(attribute, value)
    }

    /// As [`ContextBuilder::set_value`].
    pub fn set_float(&mut self, attribute: &str, value: f64) -> &mut Self {
        self.set_value(attribute, value)
    }

    /// As [`ContextBuilder::set_value`].
    pub fn set_string(&mut self, attribute: &str, value: impl Into<String>) -> &mut Self {
        self.set_value(attribute, value.into())
    }

    /// Sets an attribute. Null removes it.
    ///
    /// What [`ContextBuilder::try_set_value`] refuses is ignored.
    pub fn set_value(&mut self, attribute: &str, value: impl Into<AttributeValue>) -> &mut Self {
        self.try_set_value(attribute, value);
        self
    }

    /// Sets an attribute, and says whether it could be set: `kind`, `key` and `name` are text,
    /// `anonymous` is true or false, and neither `_meta` nor an empty name can be set.
    pub fn try_set_value(&mut self, attribute: &str, value: impl Into<AttributeValue>) -> bool {
        match (attribute, value.into()) {
            ("kind", AttributeValue::String(kind)) => self.kind = kind,
            ("key", AttributeValue::String(key)) => self.key = key,
            ("name", AttributeValue::String(name)) => self.name = Some(name),
            ("name", AttributeValue::Null) => self.name = None,
            ("anonymous", AttributeValue::Bool(value)) => self.is_anonymous = value,
            ("" | "kind" | "key" | "name" | "anonymous" | "_meta", _) => return false,
            (_, AttributeValue::Null) => {
                self.attributes.remove(attribute);
            }
            (_, value) => {
                self.attributes.insert(attribute.into(), value);
            }
        }
        true
    }

    /// Keeps what `reference` refers to out of reports.
    pub fn add_private_attribute(&mut self, reference: impl Into<Reference>) -> &mut Self {
        self.private_attributes.push(reference.into());
        self
    }

    /// Takes back [`ContextBuilder::add_private_attribute`].
    pub fn remove_private_attribute(&mut self, reference: impl Into<Reference>) -> &mut Self {
        let reference = reference.into();
        self.private_attributes.retain(|private| *private != reference);
        self
    }

    /// For users in the old JSON form, which allows it.
    pub(super) fn allow_empty_key(&mut self) -> &mut Self {
        self.allows_empty_key = true;
        self
    }

    /// Makes the context.
    ///
    /// # Errors
    /// The key is empty, or the kind is none.
    pub fn build(&self) -> Result<Context, ContextError> {
        let kind = Kind::try_from(self.kind.as_str())?;
        if self.key.is_empty() && !self.allows_empty_key {
            return Err(ContextError::EmptyKey);
        }
        let mut private_attributes = self.private_attributes.clone();
        private_attributes.sort_unstable();
        private_attributes.dedup();
        Ok(Context {
            name: self.name.clone().map(AttributeValue::String),
            is_anonymous: self.is_anonymous,
            attributes: Attributes::from(&self.attributes),
            private_attributes: private_attributes.into(),
            ..blank(kind, &self.key)
        })
    }
}

/// A context with no attributes but its kind and its key.
pub(super) fn blank(kind: Kind, key: &str) -> Context {
    let canonical_key = if kind.is_user() { key.to_owned() } else { qualified_key(&kind, key) };
    Context {
        kind,
        key: key.into(),
        key_hash: model::hash(key),
        canonical_key: canonical_key.into(),
        name: None,
        is_anonymous: false,
        attributes: Attributes::default(),
        private_attributes: Box::default(),
        parts: Box::default(),
        error: None,
    }
}

fn qualified_key(kind: &Kind, key: &str) -> String {
    format!("{kind}:{}", key.replace('%', "%25").replace(':', "%3A"))
}

/// Makes a [`Context`] of several kinds.
#[derive(Clone, Debug, Default)]
pub struct MultiContextBuilder {
    contexts: Vec<Context>,
}

impl MultiContextBuilder {
    /// Without any kind yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With all of `contexts`.
    pub fn of(contexts: Vec<Context>) -> Self {
        let mut builder = Self::new();
        for context in contexts {
            builder.add_context(context);
        }
        builder
    }

    /// Adds a context, or all the parts of one with several kinds.
    pub fn add_context(&mut self, context: Context) -> &mut Self {
        if context.is_multi() {
            self.contexts.extend(context.parts);
        } else {
            self.contexts.push(context);
        }
        self
    }

    /// Makes the context. Of one kind it is the context that was added.
    ///
    /// # Errors
    /// There is no context, there are two of one kind, or one of them is invalid.
    pub fn build(&self) -> Result<Context, ContextError> {
        if let Some(error) = self.contexts.iter().find_map(Context::error) {
            return Err(error);
        }
        if let [context] = &*self.contexts {
            return Ok(context.clone());
        }
        let mut parts = self.contexts.clone();
        parts.sort_unstable_by(|left, right| left.kind.cmp(&right.kind));
        if parts.is_empty() {
            return Err(ContextError::NoKinds);
        }
        if parts.is_sorted_by(|left, right| left.kind != right.kind) {
            let keys: Vec<_> = parts.iter().map(|p| qualified_key(&p.kind, &p.key)).collect();
            let canonical_key = keys.join(":").into();
            return Ok(Context { canonical_key, parts: parts.into(), ..blank(Kind::multi(), "") });
        }
        Err(ContextError::DuplicateKind)
    }
}

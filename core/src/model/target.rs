//! Lists of context keys that a flag treats one by one.

use serde::de::{Deserialize, Deserializer};

use super::decode::{Text, VariationIndex, object};
use super::keys::KeySet;
use crate::context::Reference;

/// The name of a kind of context, `None` for `user`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KindName(Option<Box<str>>);

impl KindName {
    pub(crate) const USER: Self = Self(None);

    /// The name, unless it is `user`.
    #[inline]
    pub(crate) fn other(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

/// A kind, and whether the data names it. Data from before there were kinds does not, and has names
/// of attributes where newer data has references.
pub(super) struct GivenKind {
    is_given: bool,
    name: KindName,
}

impl GivenKind {
    /// Reads a `contextKind`; empty is as good as absent.
    pub(super) fn new(name: Option<Text<'_>>) -> Self {
        let name = name.filter(|name| !name.0.is_empty());
        Self {
            is_given: name.is_some(),
            name: KindName(name.filter(|name| name.0 != "user").map(Text::into_box)),
        }
    }

    pub(super) fn reference(&self, attribute: &str) -> Reference {
        if self.is_given {
            Reference::new(attribute)
        } else {
            Reference::from_literal_name(attribute)
        }
    }

    pub(super) fn into_name(self) -> KindName {
        self.name
    }
}

/// The contexts of one kind that get one variation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) kind: KindName,
    pub(crate) keys: KeySet,
    pub(crate) variation: VariationIndex,
}

object! {
    RawTarget<'de> {
        "contextKind" => context_kind: Text<'de>,
        "values" => values: KeySet,
        "variation" => variation: VariationIndex,
    }
}

impl<'de> Deserialize<'de> for Target {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawTarget::deserialize(deserializer)?;
        Ok(Self {
            kind: GivenKind::new(raw.context_kind).into_name(),
            keys: raw.values.unwrap_or_default(),
            variation: raw.variation.unwrap_or(VariationIndex::NOWHERE),
        })
    }
}

/// The targets in the order in which they are tried. Once there are `contextTargets`, these give
/// the order, and one of kind `user` without keys stands for the `targets` with its variation.
pub(super) fn in_order(users: Vec<Target>, contexts: Vec<Target>) -> Box<[Target]> {
    if contexts.is_empty() {
        return users.into();
    }
    let mut users = users;
    let mut targets = Vec::with_capacity(contexts.len());
    for target in contexts {
        if target.kind == KindName::USER && target.keys.is_empty() {
            targets.extend(users.extract_if(.., |user| user.variation == target.variation));
        } else {
            targets.push(target);
        }
    }
    targets.into()
}

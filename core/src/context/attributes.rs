//! The attributes of a context that are not built in.

use std::collections::BTreeMap;

use super::AttributeValue;
use crate::model;

/// Attributes by name. There are few, so they are looked through by hash, one by one.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    hashes: Box<[u32]>,
    /// In the order of their names.
    named: Box<[(Box<str>, AttributeValue)]>,
}

impl Attributes {
    #[inline]
    pub(super) fn find(&self, name: &str, hash: u32) -> Option<&AttributeValue> {
        let mut candidates = self.hashes.iter().zip(&self.named);
        let found = candidates.find(|(other, (named, _))| **other == hash && **named == *name);
        found.map(|(_, (_, value))| value)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(Box<str>, AttributeValue)> {
        self.named.iter()
    }
}

impl From<&BTreeMap<Box<str>, AttributeValue>> for Attributes {
    fn from(attributes: &BTreeMap<Box<str>, AttributeValue>) -> Self {
        Self {
            hashes: attributes.keys().map(|name| model::hash(name)).collect(),
            named: attributes.iter().map(|(name, value)| (name.clone(), value.clone())).collect(),
        }
    }
}

impl PartialEq for Attributes {
    fn eq(&self, other: &Self) -> bool {
        self.named == other.named
    }
}

//! Segments: groups of contexts that flags refer to.

use serde::de::{Deserialize, Deserializer};

use super::clause::Clause;
use super::decode::{Text, Weight, Whole, object};
use super::keys::KeySet;
use super::rollout::WHOLE_WEIGHT;
use super::target::{GivenKind, KindName};
use super::{Kind, Model, Reading};
use crate::context::Reference;

/// A segment, ready to be evaluated. Its key and version are the [`Item`](super::Item)'s.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub(crate) included: KeySet,
    pub(crate) excluded: KeySet,
    pub(crate) included_contexts: Box<[SegmentTarget]>,
    pub(crate) excluded_contexts: Box<[SegmentTarget]>,
    pub(crate) rules: Box<[SegmentRule]>,
    pub(crate) salt: Box<str>,
    pub(crate) unbounded: Option<Box<Unbounded>>,
}

/// Contexts of one kind.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SegmentTarget {
    pub(crate) kind: KindName,
    pub(crate) keys: KeySet,
}

/// Contexts that match all of the clauses, or a share of them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SegmentRule {
    pub(crate) clauses: Box<[Clause]>,
    pub(crate) share: Option<Box<SegmentShare>>,
}

/// The contexts in the buckets below `end`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SegmentShare {
    pub(crate) end: f32,
    pub(crate) kind: KindName,
    /// `None` is the key.
    pub(crate) bucket_by: Option<Reference>,
}

/// What makes a segment a big one: its members are kept elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unbounded {
    pub(crate) kind: KindName,
    /// Which version of its list counts; without one there is none.
    pub(crate) generation: Option<i64>,
}

impl Model for Segment {
    const KIND: Kind = Kind::Segment;

    fn references(&self, visit: &mut dyn FnMut(Kind, &str)) {
        for clause in self.rules.iter().flat_map(|rule| &rule.clauses) {
            clause.segments(&mut |key| visit(Kind::Segment, key));
        }
    }

    fn read(text: &str) -> serde_json::Result<Reading<'_, Self>> {
        serde_json::from_str::<RawSegment>(text).map(RawSegment::compile)
    }
}

object! {
    RawSegment<'de> {
        "key" => key: Text<'de>,
        "version" => version: Whole,
        "deleted" => deleted: bool,
        "included" => included: KeySet,
        "excluded" => excluded: KeySet,
        "includedContexts" => included_contexts: Vec<SegmentTarget>,
        "excludedContexts" => excluded_contexts: Vec<SegmentTarget>,
        "rules" => rules: Vec<SegmentRule>,
        "salt" => salt: Text<'de>,
        "unbounded" => unbounded: bool,
        "unboundedContextKind" => unbounded_context_kind: Text<'de>,
        "generation" => generation: Whole,
    }
}

impl<'de> RawSegment<'de> {
    fn compile(self) -> Reading<'de, Segment> {
        let unbounded = Unbounded {
            kind: GivenKind::new(self.unbounded_context_kind).into_name(),
            generation: self.generation.map(Whole::to_i64),
        };
        let model = Segment {
            included: self.included.unwrap_or_default(),
            excluded: self.excluded.unwrap_or_default(),
            included_contexts: self.included_contexts.unwrap_or_default().into(),
            excluded_contexts: self.excluded_contexts.unwrap_or_default().into(),
            rules: self.rules.unwrap_or_default().into(),
            salt: self.salt.unwrap_or_default().into_box(),
            unbounded: self.unbounded.unwrap_or_default().then(|| Box::new(unbounded)),
        };
        Reading {
            key: self.key.map(|key| key.0),
            version: self.version.map(Whole::to_u64),
            is_deleted: self.deleted.unwrap_or_default(),
            model,
        }
    }
}

object! {
    RawSegmentTarget<'de> {
        "contextKind" => context_kind: Text<'de>,
        "values" => values: KeySet,
    }
}

impl<'de> Deserialize<'de> for SegmentTarget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawSegmentTarget::deserialize(deserializer)?;
        Ok(Self {
            kind: GivenKind::new(raw.context_kind).into_name(),
            keys: raw.values.unwrap_or_default(),
        })
    }
}

object! {
    RawSegmentRule<'de> {
        "clauses" => clauses: Vec<Clause>,
        "weight" => weight: Weight,
        "bucketBy" => bucket_by: Text<'de>,
        "rolloutContextKind" => rollout_context_kind: Text<'de>,
    }
}

impl<'de> Deserialize<'de> for SegmentRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawSegmentRule::deserialize(deserializer)?;
        let kind = GivenKind::new(raw.rollout_context_kind);
        let bucket_by = raw.bucket_by.map(|attribute| kind.reference(&attribute.0));
        let weight = raw.weight.filter(|weight| weight.0 >= 0.0);
        let share = weight.map(|weight| SegmentShare {
            end: weight.0 / WHOLE_WEIGHT,
            kind: kind.into_name(),
            bucket_by,
        });
        Ok(Self { clauses: raw.clauses.unwrap_or_default().into(), share: share.map(Box::new) })
    }
}

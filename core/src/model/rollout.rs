//! Which variation a rule or the fall-through gives.

use serde::de::{Deserialize, Deserializer};

use super::decode::{Text, VariationIndex, Weight, Whole, object};
use super::target::{GivenKind, KindName};
use crate::context::Reference;

/// What a rule or the fall-through gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    Variation(VariationIndex),
    Rollout(Box<Rollout>),
    /// Neither is there.
    Missing,
}

/// A distribution of contexts over variations.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rollout {
    pub(crate) is_experiment: bool,
    pub(crate) kind: KindName,
    /// `None` is the key.
    pub(crate) bucket_by: Option<Reference>,
    pub(crate) seed: Option<i64>,
    pub(crate) shares: Box<[Share]>,
}

/// One variation's part of a rollout: the buckets below `end` that no earlier one has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Share {
    pub(crate) end: f32,
    pub(crate) variation: VariationIndex,
    pub(crate) is_untracked: bool,
}

/// The sum of all weights, if nothing is left over.
pub(super) const WHOLE_WEIGHT: f32 = 100_000.0;

impl Outcome {
    pub(super) fn new(variation: Option<VariationIndex>, rollout: Option<Rollout>) -> Self {
        match (variation, rollout) {
            (Some(variation), _) => Self::Variation(variation),
            (None, Some(rollout)) => Self::Rollout(Box::new(rollout)),
            (None, None) => Self::Missing,
        }
    }
}

object! {
    RawOutcome {
        "variation" => variation: VariationIndex,
        "rollout" => rollout: Rollout,
    }
}

impl<'de> Deserialize<'de> for Outcome {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawOutcome::deserialize(deserializer)?;
        Ok(Self::new(raw.variation, raw.rollout))
    }
}

object! {
    RawRollout<'de> {
        "kind" => kind: Text<'de>,
        "contextKind" => context_kind: Text<'de>,
        "bucketBy" => bucket_by: Text<'de>,
        "seed" => seed: Whole,
        "variations" => variations: Vec<WeightedVariation>,
    }
}

impl<'de> Deserialize<'de> for Rollout {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawRollout::deserialize(deserializer)?;
        let kind = GivenKind::new(raw.context_kind);
        Ok(Self {
            is_experiment: raw.kind.is_some_and(|kind| kind.0 == "experiment"),
            bucket_by: raw.bucket_by.map(|attribute| kind.reference(&attribute.0)),
            kind: kind.into_name(),
            seed: raw.seed.map(Whole::to_i64),
            shares: shares(&raw.variations.unwrap_or_default()),
        })
    }
}

object! {
    RawWeightedVariation {
        "variation" => variation: VariationIndex,
        "weight" => weight: Weight,
        "untracked" => untracked: bool,
    }
}

struct WeightedVariation {
    variation: VariationIndex,
    weight: Weight,
    is_untracked: bool,
}

impl<'de> Deserialize<'de> for WeightedVariation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawWeightedVariation::deserialize(deserializer)?;
        Ok(Self {
            variation: raw.variation.unwrap_or(VariationIndex::NOWHERE),
            weight: raw.weight.unwrap_or_default(),
            is_untracked: raw.untracked.unwrap_or_default(),
        })
    }
}

/// Sums up in single precision, as every SDK does: each must find the same border.
fn shares(variations: &[WeightedVariation]) -> Box<[Share]> {
    let shares = variations.iter().scan(0.0_f32, |sum, variation| {
        *sum += variation.weight.0 / WHOLE_WEIGHT;
        Some(Share {
            end: *sum,
            variation: variation.variation,
            is_untracked: variation.is_untracked,
        })
    });
    shares.collect()
}

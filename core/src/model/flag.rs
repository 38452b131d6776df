//! Feature flags.

use serde::de::{Deserialize, Deserializer};
use serde_json::Value;

use super::clause::Clause;
use super::decode::{Text, VariationIndex, Whole, object};
use super::rollout::{Outcome, Rollout};
use super::target::{self, Target};
use super::{Kind, Model, Reading};

/// A feature flag, ready to be evaluated. Its key and version are the [`Item`](super::Item)'s.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    pub(crate) is_on: bool,
    is_client_side: bool,
    tracks_events: bool,
    tracks_fallthrough: bool,
    debug_until: Option<u64>,
    pub(crate) off_variation: Option<VariationIndex>,
    pub(crate) prerequisites: Box<[Prerequisite]>,
    pub(crate) targets: Box<[Target]>,
    pub(crate) rules: Box<[Rule]>,
    pub(crate) fallthrough: Outcome,
    pub(crate) salt: Box<str>,
    variations: Box<[Value]>,
}

/// Another flag that must be on and give this variation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Prerequisite {
    pub(crate) key: Box<str>,
    pub(crate) variation: VariationIndex,
}

/// What contexts that match all of the clauses get.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) id: Box<str>,
    pub(crate) clauses: Box<[Clause]>,
    pub(crate) outcome: Outcome,
    tracks_events: bool,
}

impl Flag {
    /// Whether targeting is on.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The values that the flag can have, by index.
    pub fn variations(&self) -> &[Value] {
        &self.variations
    }

    /// Whether client-side SDKs that name an environment by its id may see the flag.
    pub fn is_client_side(&self) -> bool {
        self.is_client_side
    }

    /// Whether every evaluation is to be reported in full.
    pub fn tracks_events(&self) -> bool {
        self.tracks_events
    }

    /// Until when evaluations are to be reported in full for debugging, in milliseconds since 1970.
    pub fn debug_events_until_date(&self) -> Option<u64> {
        self.debug_until
    }

    /// Whether evaluations that fall through belong to an experiment.
    pub(crate) fn tracks_fallthrough(&self) -> bool {
        self.tracks_fallthrough
    }

    /// Whether evaluations that this rule decides belong to an experiment.
    pub(crate) fn tracks_rule(&self, index: usize) -> bool {
        self.rules.get(index).is_some_and(|rule| rule.tracks_events)
    }
}

impl Model for Flag {
    const KIND: Kind = Kind::Flag;

    fn references(&self, visit: &mut dyn FnMut(Kind, &str)) {
        for prerequisite in &self.prerequisites {
            visit(Kind::Flag, &prerequisite.key);
        }
        for clause in self.rules.iter().flat_map(|rule| &rule.clauses) {
            clause.segments(&mut |key| visit(Kind::Segment, key));
        }
    }

    fn read(text: &str) -> serde_json::Result<Reading<'_, Self>> {
        serde_json::from_str::<RawFlag>(text).map(RawFlag::compile)
    }
}

object! {
    RawFlag<'de> {
        "key" => key: Text<'de>,
        "version" => version: Whole,
        "deleted" => deleted: bool,
        "on" => on: bool,
        "prerequisites" => prerequisites: Vec<Prerequisite>,
        "targets" => targets: Vec<Target>,
        "contextTargets" => context_targets: Vec<Target>,
        "rules" => rules: Vec<Rule>,
        "fallthrough" => fallthrough: Outcome,
        "offVariation" => off_variation: VariationIndex,
        "variations" => variations: Vec<Value>,
        "clientSide" => client_side: bool,
        "clientSideAvailability" => availability: Availability,
        "salt" => salt: Text<'de>,
        "trackEvents" => track_events: bool,
        "trackEventsFallthrough" => track_events_fallthrough: bool,
        "debugEventsUntilDate" => debug_events_until_date: Whole,
    }
}

object! {
    Availability {
        "usingEnvironmentId" => using_environment_id: bool,
    }
}

impl<'de> RawFlag<'de> {
    fn compile(self) -> Reading<'de, Flag> {
        let is_client_side = match self.availability {
            Some(availability) => availability.using_environment_id,
            None => self.client_side,
        };
        let model = Flag {
            is_on: self.on.unwrap_or_default(),
            is_client_side: is_client_side.unwrap_or_default(),
            tracks_events: self.track_events.unwrap_or_default(),
            tracks_fallthrough: self.track_events_fallthrough.unwrap_or_default(),
            debug_until: self.debug_events_until_date.map(Whole::to_u64),
            off_variation: self.off_variation,
            prerequisites: self.prerequisites.unwrap_or_default().into(),
            targets: target::in_order(
                self.targets.unwrap_or_default(),
                self.context_targets.unwrap_or_default(),
            ),
            rules: self.rules.unwrap_or_default().into(),
            fallthrough: self.fallthrough.unwrap_or(Outcome::Missing),
            salt: self.salt.unwrap_or_default().into_box(),
            variations: self.variations.unwrap_or_default().into(),
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
    RawPrerequisite<'de> {
        "key" => key: Text<'de>,
        "variation" => variation: VariationIndex,
    }
}

impl<'de> Deserialize<'de> for Prerequisite {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawPrerequisite::deserialize(deserializer)?;
        Ok(Self {
            key: raw.key.unwrap_or_default().into_box(),
            variation: raw.variation.unwrap_or(VariationIndex::NOWHERE),
        })
    }
}

object! {
    RawRule<'de> {
        "id" => id: Text<'de>,
        "clauses" => clauses: Vec<Clause>,
        "variation" => variation: VariationIndex,
        "rollout" => rollout: Rollout,
        "trackEvents" => track_events: bool,
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawRule::deserialize(deserializer)?;
        Ok(Self {
            id: raw.id.unwrap_or_default().into_box(),
            clauses: raw.clauses.unwrap_or_default().into(),
            outcome: Outcome::new(raw.variation, raw.rollout),
            tracks_events: raw.track_events.unwrap_or_default(),
        })
    }
}

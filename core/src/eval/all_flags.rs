//! All flags at once, for one context.

use std::sync::Arc;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::Value;

use super::{Lookup, Needs, Reason, ReasonKind, evaluate_observed};
use crate::context::Context;
use crate::model::{Flag, Item};

/// What [`FlagDetail`] is to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlagDetailConfig {
    client_side_only: bool,
    with_reasons: bool,
    details_only_for_tracked_flags: bool,
}

impl FlagDetailConfig {
    /// All flags, with their versions but without reasons.
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out the flags that client-side SDKs may not see.
    pub fn client_side_only(&mut self) -> &mut Self {
        self.client_side_only = true;
        self
    }

    /// Tells the reason for each flag.
    pub fn with_reasons(&mut self) -> &mut Self {
        self.with_reasons = true;
        self
    }

    /// Tells version and reason only of flags whose evaluations are reported one by one: they are
    /// tracked, being debugged, or part of an experiment.
    pub fn details_only_for_tracked_flags(&mut self) -> &mut Self {
        self.details_only_for_tracked_flags = true;
        self
    }
}

/// What each flag gives one context. Serializes to the JSON with which client-side SDKs start
/// (C 3.5).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlagDetail {
    flags: Vec<FlagState>,
    is_valid: bool,
}

/// What one flag gives.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagState {
    flag: Arc<Item<Flag>>,
    variation: Option<usize>,
    reason: Option<Reason<'static>>,
    has_version: bool,
    is_experiment: bool,
    prerequisites: Vec<Arc<str>>,
}

impl FlagDetail {
    /// Evaluates all of `flags` for `context`. `now` is in milliseconds since 1970, and tells which
    /// flags are still being debugged.
    ///
    /// An invalid context gives an empty, invalid result.
    ///
    /// # Errors
    /// As [`evaluate`](super::evaluate).
    pub fn evaluate<'a, L: Lookup + ?Sized>(
        lookup: &'a L,
        flags: impl IntoIterator<Item = &'a Arc<Item<Flag>>>,
        context: &Context,
        config: FlagDetailConfig,
        now: u64,
    ) -> Result<Self, Needs> {
        if !context.is_valid() {
            return Ok(Self::default());
        }
        let is_wanted =
            |flag: &&'a Arc<Item<Flag>>| !config.client_side_only || flag.model().is_client_side();
        let flags = flags.into_iter().filter(is_wanted);
        let flags = flags.map(|flag| FlagState::evaluate(lookup, flag, context, config, now));
        Ok(Self { flags: flags.collect::<Result<_, _>>()?, is_valid: true })
    }

    /// Whether there was data and a valid context (B 6.7).
    pub fn is_valid(&self) -> bool {
        self.is_valid
    }

    /// Each flag's part, in the order in which the flags came.
    pub fn flags(&self) -> &[FlagState] {
        &self.flags
    }
}

impl FlagState {
    fn evaluate<'a, L: Lookup + ?Sized>(
        lookup: &'a L,
        flag: &'a Arc<Item<Flag>>,
        context: &Context,
        config: FlagDetailConfig,
        now: u64,
    ) -> Result<Self, Needs> {
        let mut prerequisites = Vec::new();
        let detail = evaluate_observed(lookup, flag, context, &mut |of, prerequisite| {
            if of.key() == flag.key() {
                prerequisites.push(Arc::clone(prerequisite.key()));
            }
        })?;
        let model = flag.model();
        let is_experiment = is_experiment(model, &detail.reason);
        let is_debugged = model.debug_events_until_date().is_some_and(|until| now < until);
        let has_details = !config.details_only_for_tracked_flags
            || model.tracks_events()
            || is_experiment
            || is_debugged;
        let has_reason = has_details && (config.with_reasons || is_experiment);
        Ok(Self {
            flag: Arc::clone(flag),
            variation: detail.variation_index,
            reason: has_reason.then(|| detail.reason.into_owned()),
            has_version: has_details,
            is_experiment,
            prerequisites,
        })
    }

    /// The flag's key.
    pub fn key(&self) -> &str {
        self.flag.key()
    }

    /// The flag's value. `None` if it has none: it is off without saying what it gives then, or
    /// malformed.
    pub fn value(&self) -> Option<&Value> {
        self.flag.model().variations().get(self.variation?)
    }

    /// Which of the flag's variations it is.
    pub fn variation(&self) -> Option<usize> {
        self.variation
    }

    /// Why, if reasons are told.
    pub fn reason(&self) -> Option<&Reason<'static>> {
        self.reason.as_ref()
    }

    /// The keys of the flag's own prerequisites that were evaluated.
    pub fn prerequisites(&self) -> &[Arc<str>] {
        &self.prerequisites
    }

    /// Whether each evaluation is to be reported in full.
    pub fn tracks_events(&self) -> bool {
        self.is_experiment || self.flag.model().tracks_events()
    }
}

/// Whether the variation is part of an experiment, by the rollout or by what it comes from.
fn is_experiment(flag: &Flag, reason: &Reason<'_>) -> bool {
    match reason.kind {
        _ if reason.is_in_experiment() => true,
        ReasonKind::Fallthrough { .. } => flag.tracks_fallthrough(),
        ReasonKind::RuleMatch { rule_index, .. } => flag.tracks_rule(rule_index),
        _ => false,
    }
}

impl Serialize for FlagDetail {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(Some(self.flags.len() + 2))?;
        for flag in &self.flags {
            members.serialize_entry(flag.key(), &flag.value())?;
        }
        members.serialize_entry("$flagsState", &States(&self.flags))?;
        members.serialize_entry("$valid", &self.is_valid)?;
        members.end()
    }
}

struct States<'a>(&'a [FlagState]);

impl Serialize for States<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|flag| (flag.key(), Metadata(flag))))
    }
}

/// What is told of a flag beside its value. What would say nothing is left out.
struct Metadata<'a>(&'a FlagState);

impl Serialize for Metadata<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let state = self.0;
        let mut members = serializer.serialize_map(None)?;
        if let Some(variation) = state.variation {
            members.serialize_entry("variation", &variation)?;
        }
        if state.has_version {
            members.serialize_entry("version", &state.flag.version())?;
        }
        if let Some(reason) = &state.reason {
            members.serialize_entry("reason", reason)?;
        }
        if state.tracks_events() {
            members.serialize_entry("trackEvents", &true)?;
        }
        if state.is_experiment {
            members.serialize_entry("trackReason", &true)?;
        }
        if let Some(until) = state.flag.model().debug_events_until_date() {
            members.serialize_entry("debugEventsUntilDate", &until)?;
        }
        if !state.prerequisites.is_empty() {
            members.serialize_entry("prerequisites", &state.prerequisites)?;
        }
        members.end()
    }
}

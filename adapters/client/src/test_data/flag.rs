//! Putting a flag together.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::rule::{Rule, RuleBuilder};

/// The kind of contexts where none is named.
const USER: &str = "user";

/// Names a variation: `true` and `false` of a boolean flag, or its place, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variation {
    /// That of a boolean flag.
    Boolean(bool),
    /// The one at this place.
    At(usize),
}

impl From<bool> for Variation {
    fn from(value: bool) -> Self {
        Self::Boolean(value)
    }
}

/// A negative place is one that no flag has.
impl From<i32> for Variation {
    fn from(at: i32) -> Self {
        Self::At(usize::try_from(at).unwrap_or(usize::MAX))
    }
}

impl From<usize> for Variation {
    fn from(at: usize) -> Self {
        Self::At(at)
    }
}

/// A flag that is being put together. [`TestData::flag`](super::TestData::flag) gives one.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagBuilder {
    key: String,
    is_on: bool,
    variations: Vec<Value>,
    off_variation: usize,
    fallthrough_variation: usize,
    /// Which variation a context gets, by its kind and key.
    targets: BTreeMap<(String, String), usize>,
    rules: Vec<Rule>,
}

impl FlagBuilder {
    /// A boolean flag that is on: true for everybody, false when it is turned off.
    pub(super) fn new(key: &str) -> Self {
        Self {
            key: key.to_owned(),
            is_on: true,
            variations: vec![true.into(), false.into()],
            off_variation: 1,
            fallthrough_variation: 0,
            targets: BTreeMap::new(),
            rules: Vec::new(),
        }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// Makes it a boolean flag, true for everybody and false when off, unless it is one.
    pub fn boolean(mut self) -> Self {
        if self.variations != [Value::Bool(true), Value::Bool(false)] {
            self.variations = vec![true.into(), false.into()];
            self.off_variation = 1;
            self.fallthrough_variation = 0;
        }
        self
    }

    /// The values that it can have. They are named by their places, from 0.
    pub fn variations<V: Into<Value>>(mut self, values: impl IntoIterator<Item = V>) -> Self {
        self.variations = values.into_iter().map(Into::into).collect();
        self
    }

    /// Turns it on or off. Off, it has its off variation for everybody.
    pub fn on(mut self, is_on: bool) -> Self {
        self.is_on = is_on;
        self
    }

    /// What it is when it is off.
    pub fn off_variation(self, variation: impl Into<Variation>) -> Self {
        let (mut flag, at) = self.with(variation.into());
        flag.off_variation = at;
        flag
    }

    /// What it is for contexts that no target and no rule names.
    pub fn fallthrough_variation(self, variation: impl Into<Variation>) -> Self {
        let (mut flag, at) = self.with(variation.into());
        flag.fallthrough_variation = at;
        flag
    }

    /// Turns it on with this variation for everybody: without targets, without rules.
    pub fn variation_for_all(self, variation: impl Into<Variation>) -> Self {
        self.on(true).clear_rules().clear_targets().fallthrough_variation(variation)
    }

    /// Turns it on with this one value for everybody.
    pub fn value_for_all(self, value: impl Into<Value>) -> Self {
        self.variations([value.into()]).off_variation(0).variation_for_all(0)
    }

    /// What it is for the context of this kind and key, before any rule.
    pub fn variation_for_key(
        self,
        kind: impl Into<String>,
        key: impl Into<String>,
        variation: impl Into<Variation>,
    ) -> Self {
        let (mut flag, at) = self.with(variation.into());
        flag.targets.insert((kind.into(), key.into()), at);
        flag
    }

    /// What it is for the user of this key, before any rule.
    pub fn variation_for_user(
        self,
        key: impl Into<String>,
        variation: impl Into<Variation>,
    ) -> Self {
        self.variation_for_key(USER, key, variation)
    }

    /// Begins a rule for users whose attribute is one of these values.
    pub fn if_match<V: Into<Value>>(
        self,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> RuleBuilder {
        RuleBuilder::new(self).and_match(attribute, values)
    }

    /// Begins a rule for users whose attribute is none of these values.
    pub fn if_not_match<V: Into<Value>>(
        self,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> RuleBuilder {
        RuleBuilder::new(self).and_not_match(attribute, values)
    }

    /// Begins a rule for contexts of this kind whose attribute is one of these values.
    pub fn if_match_context<V: Into<Value>>(
        self,
        kind: &str,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> RuleBuilder {
        RuleBuilder::new(self).and_match_context(kind, attribute, values)
    }

    /// Takes all rules away.
    pub fn clear_rules(mut self) -> Self {
        self.rules.clear();
        self
    }

    /// Takes all targets away.
    pub fn clear_targets(mut self) -> Self {
        self.targets.clear();
        self
    }

    /// The place of a variation; to have a boolean one it becomes a boolean flag.
    pub(super) fn with(self, variation: Variation) -> (Self, usize) {
        match variation {
            Variation::Boolean(is_true) => (self.boolean(), usize::from(!is_true)),
            Variation::At(at) => (self, at),
        }
    }

    pub(super) fn push(mut self, rule: Rule) -> Self {
        self.rules.push(rule);
        self
    }

    /// The flag as JSON.
    pub(super) fn object(&self, version: u64) -> Value {
        let kinds: BTreeSet<(&String, usize)> =
            self.targets.iter().map(|((kind, _), variation)| (kind, *variation)).collect();
        let target = |(kind, variation): &(&String, usize)| {
            let values: Vec<_> = self
                .targets
                .iter()
                .filter(|((of, _), at)| of == *kind && *at == variation)
                .map(|((_, key), _)| key)
                .collect();
            json!({"contextKind": kind, "variation": variation, "values": values})
        };
        let (users, others): (Vec<_>, Vec<_>) =
            kinds.into_iter().partition(|(kind, _)| kind.as_str() == USER);
        // Those of users stand in `targets`, and `contextTargets` say when it is their turn.
        let turn = |(kind, variation): &(&String, usize)| json!({"contextKind": kind, "variation": variation, "values": []});
        let context_targets = users.iter().map(turn).chain(others.iter().map(target));
        let rules: Vec<_> =
            self.rules.iter().enumerate().map(|(at, rule)| rule.object(at)).collect();
        json!({
            "key": self.key,
            "version": version,
            "on": self.is_on,
            "variations": self.variations,
            "offVariation": self.off_variation,
            "fallthrough": {"variation": self.fallthrough_variation},
            "targets": users.iter().map(target).collect::<Vec<_>>(),
            "contextTargets": context_targets.collect::<Vec<_>>(),
            "rules": rules,
            "prerequisites": [],
            "salt": "",
        })
    }
}

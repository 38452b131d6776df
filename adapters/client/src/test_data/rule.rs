//! Putting a rule together.

use serde_json::{Value, json};

use super::{FlagBuilder, Variation};

/// A rule of a flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    clauses: Vec<Value>,
    variation: usize,
}

impl Rule {
    pub(super) fn object(&self, at: usize) -> Value {
        json!({"id": format!("rule{at}"), "variation": self.variation, "clauses": self.clauses})
    }
}

/// A rule that is being put together: all that it says has to be so.
/// [`then_return`](Self::then_return) gives the flag back.
#[derive(Clone, Debug)]
#[must_use = "without `then_return` there is no flag"]
pub struct RuleBuilder {
    flag: FlagBuilder,
    clauses: Vec<Value>,
}

impl RuleBuilder {
    pub(super) fn new(flag: FlagBuilder) -> Self {
        Self { flag, clauses: Vec::new() }
    }

    /// And the user's attribute is one of these values.
    pub fn and_match<V: Into<Value>>(
        self,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.and("user", attribute, values, false)
    }

    /// And the user's attribute is none of these values.
    pub fn and_not_match<V: Into<Value>>(
        self,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.and("user", attribute, values, true)
    }

    /// And the attribute of the context of this kind is one of these values.
    pub fn and_match_context<V: Into<Value>>(
        self,
        kind: &str,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.and(kind, attribute, values, false)
    }

    /// And the attribute of the context of this kind is none of these values.
    pub fn and_not_match_context<V: Into<Value>>(
        self,
        kind: &str,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        self.and(kind, attribute, values, true)
    }

    /// Then the flag is this.
    pub fn then_return(self, variation: impl Into<Variation>) -> FlagBuilder {
        let (flag, variation) = self.flag.with(variation.into());
        flag.push(Rule { clauses: self.clauses, variation })
    }

    fn and<V: Into<Value>>(
        mut self,
        kind: &str,
        attribute: &str,
        values: impl IntoIterator<Item = V>,
        negate: bool,
    ) -> Self {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.clauses.push(json!({
            "contextKind": kind, "attribute": attribute, "op": "in", "values": values,
            "negate": negate,
        }));
        self
    }
}

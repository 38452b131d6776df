//! Whether a context meets a clause that names no segments.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::context::{Attribute, AttributeValue, Context, Head, descend};
use crate::model::{Clause, Comparison, Literals, Moment, Test, Version};

/// The clause's attribute reference is invalid.
pub(super) struct Invalid;

/// Whether `context` meets `clause`. One that lacks the attribute does not, negated or not.
#[inline]
pub(super) fn is_match(clause: &Clause, context: &Context) -> Result<bool, Invalid> {
    let path = clause.attribute.path();
    match clause.attribute.head() {
        Head::Invalid(_) => return Err(Invalid),
        Head::Kind if path.is_empty() => return Ok(is_kind_match(clause, context)),
        _ => {}
    }
    let Some(part) = context.part(&clause.kind) else { return Ok(false) };
    let value = match part.attribute(&clause.attribute) {
        Some(Attribute::Value(value)) => match descend(value, path) {
            Some(value) => value,
            None => return Ok(false),
        },
        Some(Attribute::Text(text)) if path.is_empty() => {
            return Ok(passes(&clause.test, Operand::Text(text)) != clause.negate);
        }
        Some(Attribute::Bool(value)) if path.is_empty() => {
            return Ok(passes(&clause.test, Operand::Bool(value)) != clause.negate);
        }
        _ => return Ok(false),
    };
    let passes = match value {
        AttributeValue::Null => return Ok(false),
        AttributeValue::Array(elements) => {
            elements.iter().any(|element| passes(&clause.test, element.into()))
        }
        value => passes(&clause.test, value.into()),
    };
    Ok(passes != clause.negate)
}

/// Whether any of the context's kinds will do.
fn is_kind_match(clause: &Clause, context: &Context) -> bool {
    let mut kinds = context.kinds();
    let passes = kinds.any(|kind| passes(&clause.test, Operand::Text(kind.as_str())));
    passes != clause.negate
}

/// What a test is put to.
#[derive(Clone, Copy)]
enum Operand<'a> {
    Text(&'a str),
    Number(f64),
    Bool(bool),
    List(&'a [AttributeValue]),
    Object(&'a BTreeMap<String, AttributeValue>),
    Null,
}

impl<'a> From<&'a AttributeValue> for Operand<'a> {
    fn from(value: &'a AttributeValue) -> Self {
        match value {
            AttributeValue::String(text) => Self::Text(text),
            AttributeValue::Number(number) => Self::Number(*number),
            AttributeValue::Bool(value) => Self::Bool(*value),
            AttributeValue::Array(elements) => Self::List(elements),
            AttributeValue::Object(members) => Self::Object(members),
            AttributeValue::Null => Self::Null,
        }
    }
}

impl<'a> Operand<'a> {
    fn is(self, value: &AttributeValue) -> bool {
        match (self, value) {
            (Self::Text(text), AttributeValue::String(other)) => text == other,
            (Self::Number(number), AttributeValue::Number(other)) => number == *other,
            (Self::Bool(value), AttributeValue::Bool(other)) => value == *other,
            (Self::List(elements), AttributeValue::Array(other)) => elements == other,
            (Self::Object(members), AttributeValue::Object(other)) => members == other,
            (Self::Null, AttributeValue::Null) => true,
            _ => false,
        }
    }

    fn text(self) -> Option<&'a str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    fn moment(self) -> Option<Moment> {
        match self {
            Self::Text(text) => Moment::parse(text),
            Self::Number(millis) => Moment::from_millis(millis),
            _ => None,
        }
    }

    fn version(self) -> Option<Version<&'a str>> {
        self.text().and_then(Version::parse)
    }
}

#[inline]
fn passes(test: &Test, operand: Operand<'_>) -> bool {
    match test {
        Test::OneOf(keys) => operand.text().is_some_and(|text| keys.contains_text(text)),
        Test::OneOfMixed(literals) => is_one_of(literals, operand),
        Test::StartsWith(starts) => {
            any_text(starts, operand, |text, start| text.starts_with(start))
        }
        Test::EndsWith(ends) => any_text(ends, operand, |text, end| text.ends_with(end)),
        Test::Contains(parts) => any_text(parts, operand, |text, part| text.contains(part)),
        Test::Matches(patterns) => {
            operand.text().is_some_and(|text| patterns.iter().any(|pattern| pattern.is_match(text)))
        }
        Test::Number(comparison, limit) => match operand {
            Operand::Number(number) => compare(number, *comparison, *limit),
            _ => false,
        },
        Test::Before(limit) => operand.moment().is_some_and(|moment| moment < *limit),
        Test::After(limit) => operand.moment().is_some_and(|moment| moment > *limit),
        Test::VersionIs(versions) => operand.version().is_some_and(|version| {
            versions.iter().any(|other| version.precedence(other) == Ordering::Equal)
        }),
        Test::VersionBelow(limit) => {
            operand.version().is_some_and(|version| version.precedence(limit) == Ordering::Less)
        }
        Test::VersionAbove(limit) => {
            operand.version().is_some_and(|version| version.precedence(limit) == Ordering::Greater)
        }
        Test::InSegment(_) | Test::Never => false,
    }
}

fn any_text(
    values: &[Box<str>],
    operand: Operand<'_>,
    passes: impl Fn(&str, &str) -> bool,
) -> bool {
    operand.text().is_some_and(|text| values.iter().any(|value| passes(text, value)))
}

fn is_one_of(literals: &Literals, operand: Operand<'_>) -> bool {
    match operand {
        Operand::Text(text) => literals.texts.contains_text(text),
        Operand::Number(number) => literals.has_number(number),
        operand => literals.others.iter().any(|value| operand.is(value)),
    }
}

fn compare(number: f64, comparison: Comparison, limit: f64) -> bool {
    match comparison {
        Comparison::Less => number < limit,
        Comparison::LessOrEqual => number <= limit,
        Comparison::Greater => number > limit,
        Comparison::GreaterOrEqual => number >= limit,
    }
}

//! Clauses, compiled: what can be worked out before a context is known is worked out here.

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::date::Moment;
use super::decode::{Text, object};
use super::keys::{KeyList, KeySet, TooLong};
use super::pattern::Pattern;
use super::target::{GivenKind, KindName};
use super::version::Version;
use crate::context::{AttributeValue, Reference};

/// One condition on a context.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Clause {
    pub(crate) kind: KindName,
    pub(crate) attribute: Reference,
    pub(crate) negate: bool,
    pub(crate) test: Test,
}

/// An operator together with its values. It passes if any of the values does; where one of the
/// values decides for all, only that one is kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Test {
    /// `in`, with text only.
    OneOf(KeySet),
    /// `in`, with other values too.
    OneOfMixed(Box<Literals>),
    StartsWith(Box<[Box<str>]>),
    EndsWith(Box<[Box<str>]>),
    Contains(Box<[Box<str>]>),
    Matches(Box<[Pattern]>),
    Number(Comparison, f64),
    Before(Moment),
    After(Moment),
    VersionIs(Box<[Version<Box<str>>]>),
    VersionBelow(Box<Version<Box<str>>>),
    VersionAbove(Box<Version<Box<str>>>),
    InSegment(Box<[Box<str>]>),
    /// An unknown operator, or one without a value that it can be applied to.
    Never,
}

/// How a number is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The values of an `in`, by type.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Literals {
    pub(crate) texts: KeySet,
    /// In ascending order, without a negative zero.
    numbers: Box<[f64]>,
    pub(crate) others: Box<[AttributeValue]>,
}

impl Literals {
    pub(crate) fn has_number(&self, number: f64) -> bool {
        let order = |other: &f64| other.total_cmp(&unsigned_zero(number));
        self.numbers.binary_search_by(order).is_ok()
    }
}

/// Zero and negative zero are one number.
fn unsigned_zero(number: f64) -> f64 {
    number + 0.0
}

impl Clause {
    /// Calls `visit` with each segment that this clause names.
    pub(super) fn segments(&self, visit: &mut dyn FnMut(&str)) {
        if let Test::InSegment(keys) = &self.test {
            keys.iter().for_each(|key| visit(key));
        }
    }
}

object! {
    RawClause<'de> {
        "contextKind" => context_kind: Text<'de>,
        "attribute" => attribute: Text<'de>,
        "op" => operator: Text<'de>,
        "values" => values: Vec<Literal<'de>>,
        "negate" => negate: bool,
    }
}

impl<'de> Deserialize<'de> for Clause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawClause::deserialize(deserializer)?;
        let kind = GivenKind::new(raw.context_kind);
        let operator = raw.operator.unwrap_or_default();
        let test = Test::new(&operator.0, raw.values.unwrap_or_default());
        Ok(Self {
            attribute: kind.reference(&raw.attribute.unwrap_or_default().0),
            kind: kind.into_name(),
            negate: raw.negate.unwrap_or_default(),
            test: test.map_err(|TooLong| de::Error::custom("a list of values is too long"))?,
        })
    }
}

impl Test {
    fn new(operator: &str, values: Vec<Literal<'_>>) -> Result<Self, TooLong> {
        Ok(match operator {
            "in" => return Self::one_of(values),
            "startsWith" => Self::StartsWith(texts(values)),
            "endsWith" => Self::EndsWith(texts(values)),
            "contains" => Self::Contains(texts(values)),
            "matches" => Self::Matches(texts(values).into_iter().map(Pattern::new).collect()),
            "lessThan" => Self::number(Comparison::Less, &values),
            "lessThanOrEqual" => Self::number(Comparison::LessOrEqual, &values),
            "greaterThan" => Self::number(Comparison::Greater, &values),
            "greaterThanOrEqual" => Self::number(Comparison::GreaterOrEqual, &values),
            "before" => moments(&values).max().map_or(Self::Never, Self::Before),
            "after" => moments(&values).min().map_or(Self::Never, Self::After),
            "semVerEqual" => Self::VersionIs(versions(&values).map(|v| v.to_owned()).collect()),
            "semVerLessThan" => {
                let newest = versions(&values).max_by(Version::precedence);
                newest.map_or(Self::Never, |version| Self::VersionBelow(version.to_owned().into()))
            }
            "semVerGreaterThan" => {
                let oldest = versions(&values).min_by(Version::precedence);
                oldest.map_or(Self::Never, |version| Self::VersionAbove(version.to_owned().into()))
            }
            "segmentMatch" => Self::InSegment(texts(values)),
            _ => Self::Never,
        })
    }

    fn one_of(values: Vec<Literal<'_>>) -> Result<Self, TooLong> {
        let mut texts = KeyList::default();
        let mut numbers = Vec::new();
        let mut others = Vec::new();
        for value in values {
            match value {
                Literal::Text(text) => texts.push(&text.0)?,
                Literal::Number(number) => numbers.push(unsigned_zero(number)),
                Literal::Other(value) => others.push(value),
            }
        }
        let texts = texts.into_set();
        if numbers.is_empty() && others.is_empty() {
            return Ok(Self::OneOf(texts));
        }
        numbers.sort_unstable_by(f64::total_cmp);
        let literals = Literals { texts, numbers: numbers.into(), others: others.into() };
        Ok(Self::OneOfMixed(Box::new(literals)))
    }

    /// Of several limits the one that is easiest to keep decides.
    fn number(comparison: Comparison, values: &[Literal<'_>]) -> Self {
        let numbers = values.iter().filter_map(Literal::to_number);
        let limit = match comparison {
            Comparison::Less | Comparison::LessOrEqual => numbers.reduce(f64::max),
            Comparison::Greater | Comparison::GreaterOrEqual => numbers.reduce(f64::min),
        };
        limit.map_or(Self::Never, |limit| Self::Number(comparison, limit))
    }
}

fn texts(values: Vec<Literal<'_>>) -> Box<[Box<str>]> {
    let texts = values.into_iter().filter_map(|value| match value {
        Literal::Text(text) => Some(text.into_box()),
        Literal::Number(_) | Literal::Other(_) => None,
    });
    texts.collect()
}

fn moments(values: &[Literal<'_>]) -> impl Iterator<Item = Moment> {
    values.iter().filter_map(|value| match value {
        Literal::Text(text) => Moment::parse(&text.0),
        Literal::Number(millis) => Moment::from_millis(*millis),
        Literal::Other(_) => None,
    })
}

fn versions<'a>(values: &'a [Literal<'_>]) -> impl Iterator<Item = Version<&'a str>> {
    values.iter().filter_map(|value| match value {
        Literal::Text(text) => Version::parse(&text.0),
        Literal::Number(_) | Literal::Other(_) => None,
    })
}

/// A value of a clause before its operator is known.
enum Literal<'de> {
    Text(Text<'de>),
    Number(f64),
    Other(AttributeValue),
}

impl Literal<'_> {
    fn to_number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(_) | Self::Other(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Literal<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(LiteralVisitor)
    }
}

struct LiteralVisitor;

impl<'de> Visitor<'de> for LiteralVisitor {
    type Value = Literal<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Literal::Text(Text(text.into())))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Literal::Text(Text(text.to_owned().into())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Literal::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Literal::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Literal::Number(number))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Literal::Other(AttributeValue::Bool(value)))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Literal::Other(AttributeValue::Null))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, elements: A) -> Result<Self::Value, A::Error> {
        let list = de::value::SeqAccessDeserializer::new(elements);
        AttributeValue::deserialize(list).map(Literal::Other)
    }

    fn visit_map<A: de::MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
        let object = de::value::MapAccessDeserializer::new(members);
        AttributeValue::deserialize(object).map(Literal::Other)
    }
}

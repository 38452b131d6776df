//! What an attribute can hold.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The value of a context's attribute: any JSON value. All numbers are floats, as in every
/// LaunchDarkly SDK.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
pub enum AttributeValue {
    /// Text.
    String(String),
    /// A list. In a clause each of its elements is tried.
    Array(Vec<AttributeValue>),
    /// A number.
    Number(f64),
    /// `true` or `false`.
    Bool(bool),
    /// An object, whose members a [`Reference`](super::Reference) can reach.
    Object(BTreeMap<String, AttributeValue>),
    /// No value. An attribute that is null is as good as absent.
    Null,
}

impl AttributeValue {
    /// The text, if this is text.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if this is a number.
    pub fn to_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// The truth value, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }
}

impl From<&str> for AttributeValue {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for AttributeValue {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<bool> for AttributeValue {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for AttributeValue {
    fn from(number: i64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<f64> for AttributeValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl<T> From<Vec<T>> for AttributeValue
where
    AttributeValue: From<T>,
{
    fn from(elements: Vec<T>) -> Self {
        elements.into_iter().collect()
    }
}

impl<K, V> From<BTreeMap<K, V>> for AttributeValue
where
    String: From<K>,
    AttributeValue: From<V>,
{
    fn from(members: BTreeMap<K, V>) -> Self {
        members.into_iter().collect()
    }
}

impl From<&serde_json::Value> for AttributeValue {
    fn from(value: &serde_json::Value) -> Self {
        use serde_json::Value;
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Number(number) => number.as_f64().map_or(Self::Null, Self::Number),
            Value::String(text) => Self::String(text.clone()),
            Value::Array(elements) => elements.iter().collect(),
            Value::Object(members) => members.iter().collect(),
        }
    }
}

impl<T> FromIterator<T> for AttributeValue
where
    AttributeValue: From<T>,
{
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::Array(elements.into_iter().map(Into::into).collect())
    }
}

impl<K, V> FromIterator<(K, V)> for AttributeValue
where
    String: From<K>,
    AttributeValue: From<V>,
{
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::Object(members.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl Serialize for AttributeValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(elements) => serializer.collect_seq(elements),
            Self::Number(number) => serialize_number(*number, serializer),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Object(members) => serializer.collect_map(members),
            Self::Null => serializer.serialize_unit(),
        }
    }
}

/// Whole numbers are written without a fraction, so that `1` stays `1`.
fn serialize_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    let is_negative_zero = number == 0.0 && number.is_sign_negative();
    if number.fract() == 0.0 && number.abs() <= EXACT && !is_negative_zero {
        serializer.serialize_i64(number as i64)
    } else {
        serializer.serialize_f64(number)
    }
}

impl<'de> Deserialize<'de> for AttributeValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = AttributeValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Bool(value))
    }

    fn visit_i64<E>(self, number: i64) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Number(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Number(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<AttributeValue, E> {
        Ok(AttributeValue::Number(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<AttributeValue, E> {
        Ok(AttributeValue::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<AttributeValue, E> {
        Ok(AttributeValue::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<AttributeValue, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(AttributeValue::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<AttributeValue, A::Error> {
        let mut object = BTreeMap::new();
        while let Some((name, value)) = members.next_entry()? {
            object.insert(name, value);
        }
        Ok(AttributeValue::Object(object))
    }
}

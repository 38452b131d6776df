//! How the fields of an object are read: null is absence, a number is a number in any spelling.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use super::error::within;

/// Text, borrowed from the input unless an escape is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Text<'de>(pub(super) Cow<'de, str>);

impl Text<'_> {
    pub(super) fn into_box(self) -> Box<str> {
        self.0.into()
    }
}

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// A whole number. Those that are none, or do not fit, become the nearest that does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Whole(pub(super) i128);

impl Whole {
    /// As an unsigned number; a negative one is zero.
    pub(super) fn to_u64(self) -> u64 {
        u64::try_from(self.0.max(0)).unwrap_or(u64::MAX)
    }

    /// As a signed number.
    pub(super) fn to_i64(self) -> i64 {
        i64::try_from(self.0).unwrap_or(if self.0 < 0 { i64::MIN } else { i64::MAX })
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor).map(|number| match number {
            Number::Unsigned(number) => Self(number.into()),
            Number::Signed(number) => Self(number.into()),
            Number::Float(number) => Self(number as i128),
        })
    }
}

/// The position of a variation. What can be none is [`VariationIndex::NOWHERE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VariationIndex(u32);

impl VariationIndex {
    /// Out of every list's range.
    pub(crate) const NOWHERE: Self = Self(u32::MAX);

    /// The position in a list.
    #[inline]
    pub(crate) fn to_usize(self) -> usize {
        self.0 as usize
    }
}

impl<'de> Deserialize<'de> for VariationIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor).map(|number| {
            let index = match number {
                Number::Unsigned(number) => u32::try_from(number).ok(),
                Number::Signed(_) => None,
                Number::Float(number) => (number as u32 as f64 == number).then_some(number as u32),
            };
            index.map_or(Self::NOWHERE, Self)
        })
    }
}

/// A weight, in thousandths of a per cent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Weight(pub(super) f32);

impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NumberVisitor).map(|number| match number {
            Number::Unsigned(number) => Self(number as f32),
            Number::Signed(number) => Self(number as f32),
            Number::Float(number) => Self(number as f32),
        })
    }
}

#[derive(Clone, Copy)]
enum Number {
    Unsigned(u64),
    Signed(i64),
    Float(f64),
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_u64<E>(self, number: u64) -> Result<Number, E> {
        Ok(Number::Unsigned(number))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Number, E> {
        Ok(Number::Signed(number))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Number, E> {
        Ok(Number::Float(number))
    }
}

/// Reads the value of `field`: null is as good as absent, an error names the field.
pub(super) fn field<'de, T, A>(name: &'static str, members: &mut A) -> Result<Option<T>, A::Error>
where
    T: Deserialize<'de>,
    A: MapAccess<'de>,
{
    members.next_value::<Option<T>>().map_err(|error| locate(name, error))
}

#[cold]
fn locate<E: de::Error>(name: &'static str, error: E) -> E {
    within(name, error)
}

/// Declares a JSON object whose fields are all optional. Unknown ones are skipped without being
/// kept, and of one that comes twice the last counts.
macro_rules! object {
    ($name:ident $(<$de:lifetime>)? { $($json:literal => $field:ident: $type:ty,)* }) => {
        #[derive(Default)]
        struct $name $(<$de>)? {
            $($field: Option<$type>,)*
        }

        impl<'de> serde::Deserialize<'de> for $name $(<$de>)? {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Fields;

                impl<'de> serde::de::Visitor<'de> for Fields {
                    type Value = $name $(<$de>)?;

                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str("an object")
                    }

                    fn visit_map<A: serde::de::MapAccess<'de>>(
                        self,
                        mut members: A,
                    ) -> Result<Self::Value, A::Error> {
                        let mut object = $name::default();
                        while let Some(name) = members.next_key::<$crate::model::decode::Text>()? {
                            match &*name.0 {
                                $($json => {
                                    object.$field =
                                        $crate::model::decode::field($json, &mut members)?;
                                })*
                                _ => {
                                    members.next_value::<serde::de::IgnoredAny>()?;
                                }
                            }
                        }
                        Ok(object)
                    }
                }

                deserializer.deserialize_map(Fields)
            }
        }
    };
}

pub(super) use object;

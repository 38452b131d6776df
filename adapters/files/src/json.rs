//! JSON objects member by member, with the text of each value.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an object in their order, double names included.
pub(crate) struct Members<'a>(pub(crate) Vec<Member<'a>>);

/// One member of an object.
pub(crate) struct Member<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) value: &'a RawValue,
}

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Members<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Name(name), value)) = map.next_entry()? {
                    members.push(Member { name, value });
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

/// A member's name, borrowed where it holds no escape.
#[derive(serde::Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

/// A JSON text without the white space between its tokens.
pub(crate) fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_in_string = false;
    let mut is_escaped = false;
    for character in text.chars() {
        if is_in_string {
            is_in_string = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
        } else if matches!(character, ' ' | '\t' | '\r' | '\n') {
            continue;
        } else {
            is_in_string = character == '"';
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compacting_keeps_what_is_inside_strings() {
        let text = "{ \"a b\" : [ 1 ,\r\n\t\" \\\" \\\\\" , { } ] }";
        assert_eq!(compact(text), "{\"a b\":[1,\" \\\" \\\\\",{}]}");
    }

    #[test]
    fn members_keep_their_order_and_double_names() {
        let Members(members) = serde_json::from_str(r#"{"b":1,"\u0061":[2],"b":3}"#).unwrap();
        let seen: Vec<_> = members.iter().map(|m| (&*m.name, m.value.get())).collect();
        assert_eq!(seen, [("b", "1"), ("a", "[2]"), ("b", "3")]);
    }
}

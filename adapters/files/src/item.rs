//! One flag or segment of a file.

use std::fmt::Write as _;
use std::sync::Arc;

use fdv2_core::model::{DecodeError, Flag, Item, Kind, Segment};

use crate::Position;
use crate::json::{Member, Members, compact};

/// What names an item. Flags come before segments, and then the keys decide.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ItemId {
    /// What it is.
    pub kind: Kind,
    /// The key that it stands under.
    pub key: Arc<str>,
}

/// One flag or segment, as a file has it.
#[derive(Clone, Debug)]
pub struct FileItem {
    /// What names it.
    pub id: ItemId,
    /// The version, if the file gives one.
    pub version: Option<u64>,
    /// Its JSON object, without white space between tokens.
    pub source: Arc<str>,
    /// Where it stands in its file.
    pub position: Position,
}

impl FileItem {
    /// An item from the JSON object that the file has for it.
    ///
    /// # Errors
    /// Clients could not decode it (B 1.9).
    pub(crate) fn new(
        kind: Kind,
        key: &str,
        object: &str,
        position: Position,
    ) -> Result<Self, DecodeError> {
        let id = ItemId { kind, key: key.into() };
        match kind {
            Kind::Flag => Item::<Flag>::decode(id.key.clone(), 0, object).map(drop)?,
            Kind::Segment => Item::<Segment>::decode(id.key.clone(), 0, object).map(drop)?,
        }
        let source: Arc<str> = compact(object).into();
        let members = members(&source);
        let version = members.iter().rfind(|member| member.name == "version");
        let version = version.and_then(|member| whole(member.value.get()));
        Ok(Self { id, version, source, position })
    }

    /// Whether it says the same, wherever it stands.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.id == other.id && self.source == other.source
    }

    /// The object to serve: the file's own, with this version and the key it stands under.
    pub fn object(&self, version: u64) -> Arc<str> {
        let key = quoted(&self.id.key);
        let number = version.to_string();
        let members = members(&self.source);
        let is_set = |name: &str, value: &str| {
            let mut named = members.iter().filter(|member| member.name == name);
            named.next().is_some_and(|member| member.value.get() == value) && named.next().is_none()
        };
        if is_set("key", &key) && is_set("version", &number) {
            return self.source.clone();
        }
        let mut object = format!(r#"{{"key":{key},"version":{number}"#);
        for Member { name, value } in members {
            if name != "key" && name != "version" {
                let _ = write!(object, ",{}:{}", quoted(&name), value.get());
            }
        }
        object.push('}');
        object.into()
    }
}

/// What stands before the value in a [flag of a value](flag_of_value).
pub(crate) const BEFORE_VALUE: &str = r#"{"on":true,"variations":["#;

/// The object of a flag that has this value for everybody.
pub(crate) fn flag_of_value(value: &str) -> String {
    format!(r#"{BEFORE_VALUE}{value}],"fallthrough":{{"variation":0}},"offVariation":0}}"#)
}

/// The members of an object that was decoded before.
fn members(object: &str) -> Vec<Member<'_>> {
    serde_json::from_str(object).map(|Members(members)| members).unwrap_or_default()
}

/// A string as JSON.
pub(crate) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The whole number that a JSON text spells, in whatever way.
fn whole(text: &str) -> Option<u64> {
    text.parse().ok().or_else(|| {
        let number: f64 = text.parse().ok()?;
        let is_whole = number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number);
        is_whole.then_some(number as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(object: &str) -> FileItem {
        let position = Position { line: 1, column: 1 };
        FileItem::new(Kind::Flag, "a", object, position).unwrap()
    }

    #[test]
    fn an_object_with_key_and_version_is_served_as_it_is() {
        let item = flag(r#"{ "version": 3, "on": true, "key": "a" }"#);
        assert_eq!(item.version, Some(3));
        assert_eq!(&*item.object(3), r#"{"version":3,"on":true,"key":"a"}"#);
    }

    #[test]
    fn key_and_version_are_set_and_the_rest_kept() {
        let item = flag(r#"{"n":1.50,"version":3,"key":"b","x":"\u00e9","version":4}"#);
        assert_eq!(item.version, Some(4));
        assert_eq!(&*item.object(9), r#"{"key":"a","version":9,"n":1.50,"x":"\u00e9"}"#);
        assert_eq!(&*flag("{}").object(1), r#"{"key":"a","version":1}"#);
    }

    #[test]
    fn versions_may_be_spelled_in_any_way() {
        for (text, version) in [("5e1", Some(50)), ("1.0", Some(1)), ("1.5", None), ("null", None)]
        {
            assert_eq!(flag(&format!(r#"{{"version":{text}}}"#)).version, version, "{text}");
        }
        assert_eq!(flag(&format!(r#"{{"version":{}}}"#, u64::MAX)).version, Some(u64::MAX));
    }
}

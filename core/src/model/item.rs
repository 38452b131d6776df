//! An object as it is kept: the text as it came, and the model read from it.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::decode::Text;
use super::{DecodeError, Model};

/// A flag or a segment, as it is kept (B 1.8).
#[derive(Clone, Debug)]
pub struct Item<T> {
    key: Arc<str>,
    version: u64,
    text: Arc<str>,
    came: Came,
    model: T,
}

/// How the text came that is kept.
#[derive(Clone, Copy, Debug)]
enum Came {
    /// As it is kept.
    AsKept,
    /// Without the `len` bytes at `at`.
    Without { at: usize, len: usize, is_version_added: bool },
    /// With another key or version in it.
    Otherwise,
}

/// What an object turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded<T> {
    /// An item to keep.
    Live(Item<T>),
    /// It says `deleted: true`.
    Deleted {
        /// The object's own version, or else that of its envelope.
        version: u64,
    },
}

impl<T: Model> Item<T> {
    /// Reads an object that came under `key` (B 1.8, 1.9).
    ///
    /// `version` is the envelope's, and counts only if the object has none of its own. The text is
    /// kept byte for byte, but a missing version and a missing or differing key are set in it.
    ///
    /// # Errors
    /// The text is not a JSON object, or a known field of it has the wrong JSON type.
    pub fn decode(key: Arc<str>, version: u64, text: &str) -> Result<Decoded<T>, DecodeError> {
        let fault = |error| DecodeError::new(T::KIND, &key, &error);
        let reading = T::read(text).map_err(fault)?;
        let own_version = reading.version;
        let version = own_version.unwrap_or(version);
        if reading.is_deleted {
            return Ok(Decoded::Deleted { version });
        }
        let new_key = (reading.key.as_deref() != Some(&key)).then_some(&*key);
        let new_version = own_version.is_none().then_some(version);
        let (kept, came) = if new_key.is_none() && new_version.is_none() {
            (text.into(), Came::AsKept)
        } else {
            let (amended, came) = amend(text, new_key, new_version).map_err(fault)?;
            (amended.into(), came)
        };
        Ok(Decoded::Live(Self { model: reading.model, version, text: kept, came, key }))
    }
}

impl<T> Item<T> {
    /// The key under which it came.
    pub fn key(&self) -> &Arc<str> {
        &self.key
    }

    /// Its version.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The JSON text, unknown fields included.
    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// A text that decodes to this item in the same way, under its key and in an envelope of its
    /// version. It is the one that came, or says the same: so that an item can be written down and
    /// compared by [`is_from`](Self::is_from) as before.
    pub fn as_it_came(&self) -> Cow<'_, str> {
        match self.came {
            Came::AsKept => Cow::Borrowed(&self.text),
            Came::Without { at, len, .. } => {
                let before = self.text.get(..at).unwrap_or_default();
                let behind = self.text.get(at + len..).unwrap_or_default();
                Cow::Owned(format!("{before}{behind}"))
            }
            Came::Otherwise => Cow::Owned(without_identity(&self.text, &self.key)),
        }
    }

    /// What was read from the text.
    pub fn model(&self) -> &T {
        &self.model
    }

    /// Whether to decode `text` under this key, in an envelope of this version, would give the
    /// same item again. Compares bytes, and decodes nothing.
    pub fn is_from(&self, version: u64, text: &str) -> bool {
        match self.came {
            Came::AsKept => *self.text == *text,
            Came::Without { at, len, is_version_added } => {
                (!is_version_added || self.version == version)
                    && self.text.get(..at) == text.get(..at)
                    && self.text.get(at + len..) == text.get(at..)
            }
            Came::Otherwise => false,
        }
    }
}

/// Items are equal if their texts are: the rest follows from the text.
impl<T> PartialEq for Item<T> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && (Arc::ptr_eq(&self.text, &other.text) || self.text == other.text)
    }
}

/// Sets the given members in the text of an object, touches nothing else, and says how.
fn amend(
    text: &str,
    key: Option<&str>,
    version: Option<u64>,
) -> serde_json::Result<(String, Came)> {
    let Identity { keys, versions, is_empty } = serde_json::from_str(text)?;
    let key = key.map(serde_json::to_string).transpose()?;
    let is_version_added = version.is_some();
    let version = version.map(|version| version.to_string());

    let mut amended = String::with_capacity(text.len() + 64);
    let opening = text.find('{').map_or(0, |brace| brace + 1);
    amended.push_str(text.get(..opening).unwrap_or_default());
    let mut replaced = Vec::new();
    for (name, value, present) in [("key", key, keys), ("version", version, versions)] {
        let Some(value) = value else { continue };
        if present.is_empty() {
            amended.push_str(&format!("\"{name}\":{value},"));
        } else {
            replaced.extend(present.into_iter().map(|old| (offset(text, old), old, value.clone())));
        }
    }
    if is_empty {
        amended.pop();
    }
    let came = match replaced.is_empty() {
        true => Came::Without { at: opening, len: amended.len() - opening, is_version_added },
        false => Came::Otherwise,
    };
    replaced.sort_unstable();
    let mut from = opening;
    for (at, old, value) in replaced {
        amended.push_str(text.get(from..at).unwrap_or_default());
        amended.push_str(&value);
        from = at + old.len();
    }
    amended.push_str(text.get(from..).unwrap_or_default());
    Ok((amended, came))
}

/// A text of which `amend` makes `kept`, by replacing what is there: either every key was set in
/// it, or else every version.
fn without_identity(kept: &str, key: &str) -> String {
    let Ok(Identity { keys, versions, .. }) = serde_json::from_str(kept) else {
        return kept.to_owned();
    };
    let quoted = serde_json::Value::from(key).to_string();
    let is_key_set = !keys.is_empty() && keys.iter().all(|own| **own == *quoted);
    let mut text = String::with_capacity(kept.len());
    let mut from = 0;
    for value in if is_key_set { keys } else { versions } {
        let at = offset(kept, value);
        text.push_str(kept.get(from..at).unwrap_or_default());
        text.push_str("null");
        from = at + value.len();
    }
    text.push_str(kept.get(from..).unwrap_or_default());
    text
}

/// Where `part` begins in the text that it was borrowed from.
fn offset(text: &str, part: &str) -> usize {
    part.as_ptr() as usize - text.as_ptr() as usize
}

/// The values of an object's own key and version, wherever they stand.
struct Identity<'a> {
    keys: Vec<&'a str>,
    versions: Vec<&'a str>,
    is_empty: bool,
}

impl<'de> Deserialize<'de> for Identity<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(IdentityVisitor)
    }
}

struct IdentityVisitor;

impl<'de> Visitor<'de> for IdentityVisitor {
    type Value = Identity<'de>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut identity = Identity { keys: Vec::new(), versions: Vec::new(), is_empty: true };
        while let Some((name, value)) = members.next_entry::<Text<'de>, &'de RawValue>()? {
            identity.is_empty = false;
            match &*name.0 {
                "key" => identity.keys.push(value.get()),
                "version" => identity.versions.push(value.get()),
                _ => {}
            }
        }
        Ok(identity)
    }
}

#[cfg(test)]
mod tests;

//! A set of keys that takes a few bytes more than their text, and is made for look-ups.

use std::fmt;
use std::hash::BuildHasher;

use foldhash::quality::FixedState;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};

/// A set of keys, ordered by hash. A look-up is a binary search over integers and one comparison
/// of text; keys of one hash are in the order of their text, so no choice of keys makes it slow.
#[derive(Clone, Default, PartialEq, Eq)]
pub(crate) struct KeySet {
    text: Box<[u8]>,
    index: Box<[Slot]>,
}

/// One key: it ends at `end`, and begins where the one before it ends.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Slot {
    hash: u32,
    end: u32,
}

/// Up to this many keys are compared one by one, without hashing.
const FEW: usize = 4;

/// The hash that [`KeySet::contains`] goes by.
pub(crate) fn hash(key: &str) -> u32 {
    FixedState::with_seed(0).hash_one(key.as_bytes()) as u32
}

impl KeySet {
    pub(crate) fn is_empty(&self) -> bool {
        self.index.is_empty()
    }

    /// Whether `key`, whose hash is `hash`, is in the set.
    #[inline]
    pub(crate) fn contains(&self, key: &str, hash: u32) -> bool {
        let key = key.as_bytes();
        if self.index.len() <= FEW {
            return self.contains_among_few(key);
        }
        let (mut low, mut high) = (0, self.index.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let Some(slot) = self.index.get(middle) else { return false };
            match slot.hash.cmp(&hash).then_with(|| self.key(middle).cmp(key)) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Equal => return true,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        false
    }

    /// Whether `key` is in the set. It is hashed only if that is worth it.
    #[inline]
    pub(crate) fn contains_text(&self, key: &str) -> bool {
        if self.index.len() <= FEW {
            self.contains_among_few(key.as_bytes())
        } else {
            self.contains(key, hash(key))
        }
    }

    #[inline]
    fn contains_among_few(&self, key: &[u8]) -> bool {
        let mut start = 0;
        self.index.iter().any(|slot| {
            let end = slot.end as usize;
            let found = self.text.get(start..end) == Some(key);
            start = end;
            found
        })
    }

    fn key(&self, index: usize) -> &[u8] {
        let start = match index.checked_sub(1) {
            None => 0,
            Some(before) => self.index.get(before).map_or(0, |slot| slot.end as usize),
        };
        let end = self.index.get(index).map_or(start, |slot| slot.end as usize);
        self.text.get(start..end).unwrap_or_default()
    }
}

/// The keys, in the order of their text.
impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys: Vec<_> =
            (0..self.index.len()).map(|index| String::from_utf8_lossy(self.key(index))).collect();
        keys.sort_unstable();
        f.debug_set().entries(keys).finish()
    }
}

/// Collects the keys of a set.
#[derive(Default)]
pub(super) struct KeyList {
    text: String,
    ends: Vec<u32>,
}

/// The text of one set is over 4 GiB.
pub(super) struct TooLong;

impl KeyList {
    pub(super) fn push(&mut self, key: &str) -> Result<(), TooLong> {
        self.text.push_str(key);
        self.ends.push(u32::try_from(self.text.len()).map_err(|_| TooLong)?);
        Ok(())
    }

    pub(super) fn into_set(self) -> KeySet {
        let keys = self.keys();
        let mut order: Vec<(u32, &str)> = keys.map(|key| (hash(key), key)).collect();
        order.sort_unstable();
        let mut text = Vec::with_capacity(self.text.len());
        let index = order.iter().map(|&(hash, key)| {
            text.extend_from_slice(key.as_bytes());
            Slot { hash, end: text.len() as u32 }
        });
        let index = index.collect();
        KeySet { text: text.into_boxed_slice(), index }
    }

    fn keys(&self) -> impl Iterator<Item = &str> {
        self.ends.iter().scan(0, |start, &end| {
            let key = self.text.get(*start..end as usize);
            *start = end as usize;
            key
        })
    }
}

impl<'de> Deserialize<'de> for KeySet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(KeySetVisitor)
    }
}

struct KeySetVisitor;

impl<'de> Visitor<'de> for KeySetVisitor {
    type Value = KeySet;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of strings")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<KeySet, A::Error> {
        let mut list = KeyList::default();
        while elements.next_element_seed(PushKey(&mut list))?.is_some() {}
        Ok(list.into_set())
    }
}

/// Appends one string to a list, without a copy of its own.
struct PushKey<'a>(&'a mut KeyList);

impl<'de> DeserializeSeed<'de> for PushKey<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for PushKey<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<(), E> {
        self.0.push(key).map_err(|TooLong| E::custom("a list of keys is too long"))
    }
}

#[cfg(test)]
mod tests;

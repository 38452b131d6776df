//! The one map of the core: persistent, keyed by text, read in key order.

use std::fmt;
use std::sync::Arc;

use foldhash::fast::FixedState;
use imbl::shared_ptr::DefaultSharedPtr;

/// The only hash map of the core. Its own order is never seen.
#[expect(clippy::disallowed_types, reason = "this file is where the ban leads to")]
type Map<V> = imbl::GenericHashMap<Arc<str>, V, FixedState, DefaultSharedPtr>;

/// Values by key. A clone shares its structure: it costs nothing, and a change to it afterwards
/// copies the few nodes on the way to what is changed.
#[derive(Clone)]
pub struct Collection<V>(Map<V>);

impl<V: Clone> Collection<V> {
    /// Nothing, with hashes that depend on `seed`.
    pub fn seeded(seed: u64) -> Self {
        Self(Map::with_hasher(FixedState::with_seed(seed)))
    }

    /// Nothing, with the hashes of this collection.
    pub fn new_like<W: Clone>(&self) -> Collection<W> {
        Collection(self.0.new_from())
    }

    /// The number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All values with their keys, in key order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Arc<str>, &V)> {
        let mut entries: Vec<_> = self.0.iter().collect();
        entries.sort_unstable_by_key(|(key, _)| *key);
        entries.into_iter()
    }

    /// The value of `key`.
    pub fn look_up(&self, key: &str) -> Option<&V> {
        self.0.get(key)
    }

    /// The keys, in order, whose values `is_same` tells apart in the two collections. A key that
    /// only one of them has is given as `None` for the other.
    pub fn differing<'a>(
        &'a self,
        other: &'a Self,
        is_same: impl Fn(Option<&V>, Option<&V>) -> bool,
    ) -> Vec<&'a Arc<str>> {
        let in_self =
            self.0.iter().filter(|(key, value)| !is_same(Some(*value), other.look_up(key)));
        let in_other = other
            .0
            .iter()
            .filter(|(key, value)| self.look_up(key).is_none() && !is_same(None, Some(*value)));
        let mut keys: Vec<_> = in_self.chain(in_other).map(|(key, _)| key).collect();
        keys.sort_unstable();
        keys
    }

    /// `key` as it is kept here, if it has a value.
    pub fn look_up_key(&self, key: &str) -> Option<&Arc<str>> {
        self.0.get_key_value(key).map(|(key, _)| key)
    }

    /// Sets the value of `key` and returns the one it had.
    pub fn insert(&mut self, key: Arc<str>, value: V) -> Option<V> {
        self.0.insert(key, value)
    }

    /// Removes the value of `key` and returns it.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        self.0.remove(key)
    }
}

impl<V: Clone> Default for Collection<V> {
    fn default() -> Self {
        Self::seeded(0)
    }
}

/// Cheap for collections that share their structure.
impl<V: Clone + PartialEq> PartialEq for Collection<V> {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
            || (self.len() == other.len()
                && self.0.iter().all(|(key, value)| other.look_up(key) == Some(value)))
    }
}

impl<V: Clone + fmt::Debug> fmt::Debug for Collection<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collection(seed: u64, keys: &[&str]) -> Collection<usize> {
        let mut collection = Collection::seeded(seed);
        for (value, key) in keys.iter().enumerate() {
            collection.insert((*key).into(), value);
        }
        collection
    }

    #[test]
    fn iteration_and_debug_are_in_key_order_whatever_the_seed() {
        for seed in 0..20 {
            let collection = collection(seed, &["b", "", "ä", "a", "bb"]);
            let keys: Vec<&str> = collection.iter().map(|(key, _)| &**key).collect();
            assert_eq!(keys, ["", "a", "b", "bb", "ä"]);
            assert_eq!(format!("{collection:?}"), r#"{"": 1, "a": 3, "b": 0, "bb": 4, "ä": 2}"#);
        }
    }

    #[test]
    fn keys_of_differing_values_are_given_in_order_whichever_side_they_are_on() {
        let (one, other) = (collection(1, &["c", "b", "a"]), collection(2, &["a", "b", "d"]));
        assert_eq!(
            one.differing(&other, |one, other| one == other),
            ["a", "c", "d"].map(Arc::from).each_ref()
        );
        assert!(one.differing(&one, |one, other| one == other).is_empty());
    }

    #[test]
    fn equality_depends_on_values_only() {
        assert_eq!(collection(1, &["a", "b"]), collection(2, &["a", "b"]));
        assert_ne!(collection(1, &["a", "b"]), collection(1, &["b", "a"]));
        assert_ne!(collection(1, &["a", "b"]), collection(1, &["a"]));
    }

    #[test]
    fn a_change_to_a_clone_leaves_the_original() {
        let original = collection(1, &["a", "b"]);
        let mut clone = original.clone();
        assert_eq!(clone.remove("a"), Some(0));
        assert_eq!(clone.insert("b".into(), 7), Some(1));
        assert_eq!((original.look_up("a"), original.len()), (Some(&0), 2));
        assert_eq!((clone.look_up("b"), clone.len()), (Some(&7), 1));
    }
}

//! One collection of the store, as far as it has been read.

use std::sync::Arc;

use fdv2_core::Instant;
use fdv2_core::eval::Found;
use fdv2_core::model::{Item, Model};
use fdv2_core::snapshot::Collection;
use imbl::OrdMap;

use super::{Age, CacheMode};

/// The most keys of one collection that are remembered as missing.
const MISSES: usize = 10_000;

/// What has been read of one collection. A value: cloning shares, changing copies little.
#[derive(Clone, Debug)]
pub(super) struct Kept<T: Model> {
    mode: CacheMode,
    /// What was read by itself, after all that was read as a whole.
    ones: Collection<Entry<T>>,
    /// The whole, brought up to date with what was read since, and when it was read.
    all: Option<(Collection<Arc<Item<T>>>, Instant)>,
    /// The keys that were not there, the one read longest ago first.
    misses: OrdMap<Miss, Arc<str>>,
    max_misses: usize,
    last_miss: u64,
}

/// When a key was found missing, and which miss that was.
type Miss = (Instant, u64);

#[derive(Clone, Debug)]
struct Entry<T> {
    found: Result<Arc<Item<T>>, Miss>,
    read: Instant,
}

impl<T: Model> Kept<T> {
    /// Nothing yet.
    pub(super) fn new(mode: CacheMode) -> Self {
        Self {
            mode,
            ones: Collection::seeded(0),
            all: None,
            misses: OrdMap::new(),
            max_misses: MISSES,
            last_miss: 0,
        }
    }

    /// Nothing yet, and no bound on misses.
    pub(super) fn of_any_number(mode: CacheMode) -> Self {
        Self { max_misses: usize::MAX, ..Self::new(mode) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ones.is_empty() && self.all.as_ref().is_none_or(|(items, _)| items.is_empty())
    }

    /// The whole, if it has been read and still counts.
    pub(super) fn all(&self, age: Age) -> Option<&Collection<Arc<Item<T>>>> {
        let (items, read) = self.all.as_ref()?;
        self.mode.counts(*read, age).then_some(items)
    }

    pub(super) fn find(&self, key: &str, age: Age) -> Found<&Item<T>> {
        match (self.ones.look_up(key), self.all(age)) {
            (Some(entry), _) if self.mode.counts(entry.read, age) => {
                entry.found.as_deref().ok().into()
            }
            // What was read by itself is newer than the whole.
            (Some(_), _) | (None, None) => Found::NotLoaded,
            (None, Some(items)) => items.look_up(key).map(|item| &**item).into(),
        }
    }

    /// Remembers what a read of all has brought.
    pub(super) fn remember_all(&mut self, items: &Collection<Arc<Item<T>>>, now: Instant) {
        self.ones = self.ones.new_like();
        self.misses = OrdMap::new();
        self.all = Some((items.clone(), now));
    }

    /// Remembers what a read of `key` has brought; that it is missing only while there is room.
    pub(super) fn remember(&mut self, key: &Arc<str>, item: Option<&Arc<Item<T>>>, now: Instant) {
        if let Some(Err(miss)) = self.ones.remove(key).map(|old| old.found) {
            self.misses.remove(&miss);
        }
        if let Some((items, _)) = &mut self.all {
            match item {
                Some(item) => items.insert(Arc::clone(key), Arc::clone(item)),
                None => items.remove(key),
            };
        }
        let found = match item {
            Some(item) => Ok(Arc::clone(item)),
            None if !self.has_room(now) => return,
            None => Err(self.miss(key, now)),
        };
        self.ones.insert(Arc::clone(key), Entry { found, read: now });
    }

    fn miss(&mut self, key: &Arc<str>, now: Instant) -> Miss {
        self.last_miss += 1;
        let miss = (now, self.last_miss);
        self.misses.insert(miss, Arc::clone(key));
        miss
    }

    /// Whether one more miss may be remembered. The oldest makes room once it has expired.
    fn has_room(&mut self, now: Instant) -> bool {
        if self.misses.len() < self.max_misses {
            return true;
        }
        let oldest = self.misses.get_min().cloned();
        let expired = oldest.filter(|((read, _), _)| !self.mode.counts(*read, Age::At(now)));
        let Some((miss, key)) = expired else { return false };
        self.misses.remove(&miss);
        self.ones.remove(&key);
        true
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fdv2_core::model::{Decoded, Flag};

    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::from_epoch(Duration::from_secs(seconds))
    }

    fn item(key: &str) -> Arc<Item<Flag>> {
        let Ok(Decoded::Live(item)) = Item::decode(key.into(), 1, "{}") else { panic!("{key}") };
        Arc::new(item)
    }

    fn miss(kept: &mut Kept<Flag>, number: usize, second: u64) {
        kept.remember(&number.to_string().into(), None, at(second));
    }

    fn is_known(kept: &Kept<Flag>, number: usize, second: u64) -> bool {
        !matches!(kept.find(&number.to_string(), Age::At(at(second))), Found::NotLoaded)
    }

    /// B 9.3: cached misses are bounded in number.
    #[test]
    fn b_9_3_misses_are_bounded_in_number() {
        let mut kept = Kept::new(CacheMode::Infinite);
        for number in 0..MISSES + 5 {
            miss(&mut kept, number, 0);
        }
        assert_eq!((kept.ones.len(), kept.misses.len()), (MISSES, MISSES));
        kept.remember(&"0".into(), Some(&item("0")), at(1));
        miss(&mut kept, MISSES + 1, 1);
        miss(&mut kept, MISSES + 2, 1);
        assert_eq!((kept.ones.len(), kept.misses.len()), (MISSES + 1, MISSES), "one became a hit");
    }

    /// B 9.3: those that have expired make room one by one, the oldest first.
    #[test]
    fn b_9_3_expired_misses_make_room_for_new_ones() {
        let mut kept = Kept::new(CacheMode::Ttl(Duration::from_secs(10)));
        for number in 0..MISSES {
            // Every second half of the first.
            miss(&mut kept, number, number as u64 / (MISSES as u64 / 2));
        }
        miss(&mut kept, MISSES, 9);
        assert!(!is_known(&kept, MISSES, 9), "all count still");
        for number in MISSES..MISSES + MISSES / 2 {
            miss(&mut kept, number, 10);
            assert!(is_known(&kept, number, 10));
        }
        assert_eq!((kept.ones.len(), kept.misses.len()), (MISSES, MISSES));
        assert!(is_known(&kept, MISSES - 1, 10), "what counts stays");
        miss(&mut kept, 2 * MISSES, 10);
        assert!(!is_known(&kept, 2 * MISSES, 10));
    }

    /// What was read by itself after the whole is in the whole, too.
    #[test]
    fn the_whole_follows_what_is_read_by_itself() {
        let mut kept = Kept::new(CacheMode::Infinite);
        let mut items = Collection::seeded(0);
        for key in ["a", "b"] {
            items.insert(key.into(), item(key));
        }
        kept.remember_all(&items, at(0));
        kept.remember(&"a".into(), None, at(1));
        kept.remember(&"c".into(), Some(&item("c")), at(1));
        let keys = kept.all(Age::Any).unwrap().iter().map(|(key, _)| key.to_string());
        assert_eq!(keys.collect::<Vec<_>>(), ["b", "c"]);
        assert!(matches!(kept.find("a", Age::Any), Found::Absent));
        assert!(matches!(kept.find("d", Age::Any), Found::Absent));
        kept.remember_all(&items, at(2));
        assert!(matches!(kept.find("a", Age::Any), Found::Present(_)));
        assert!(kept.ones.is_empty() && kept.misses.is_empty());
    }
}

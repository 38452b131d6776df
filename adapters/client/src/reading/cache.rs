//! What has been read from the store, and how long it counts (B 9.3).

use std::sync::Arc;
use std::time::Duration;

use fdv2_core::Instant;
use fdv2_core::eval::{Found, Lookup};
use fdv2_core::model::{Flag, Item, Kind, Segment};
use fdv2_core::snapshot::Collection;

use super::kept::Kept;
use crate::store::{Answer, Query};

/// How long what was read from the persistent store counts (B 9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheMode {
    /// Not at all: every read asks the store.
    Off,
    /// For so long since it was read, whether it is used or not.
    Ttl(Duration),
    /// For ever.
    Infinite,
}

impl Default for CacheMode {
    /// 15 s, as the vendor's SDKs have it.
    fn default() -> Self {
        Self::Ttl(Duration::from_secs(15))
    }
}

impl CacheMode {
    pub(super) fn counts(self, read: Instant, age: Age) -> bool {
        match (age, self) {
            (Age::Any, _) | (_, Self::Infinite) => true,
            (Age::At(_), Self::Off) => false,
            (Age::At(now), Self::Ttl(ttl)) => now.saturating_since(read) < ttl,
        }
    }
}

/// What has been read. A value: cloning shares, changing copies little.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    mode: CacheMode,
    flags: Kept<Flag>,
    segments: Kept<Segment>,
    is_initialized: Option<(bool, Instant)>,
}

impl Cache {
    pub(crate) fn new(mode: CacheMode) -> Self {
        Self { mode, flags: Kept::new(mode), segments: Kept::new(mode), is_initialized: None }
    }

    /// What one evaluation fetches for itself: it counts until the end, misses included.
    pub(crate) fn scratch() -> Self {
        let mode = CacheMode::Infinite;
        Self {
            flags: Kept::of_any_number(mode),
            segments: Kept::of_any_number(mode),
            ..Self::new(mode)
        }
    }

    /// Whether there is no item in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.segments.is_empty()
    }

    /// Whether there is a whole collection in it, which may be large.
    pub(crate) fn has_a_whole(&self) -> bool {
        self.flags.all(Age::Any).is_some() || self.segments.all(Age::Any).is_some()
    }

    /// Whether the store's marker was there, if that is known and still counts.
    pub(crate) fn is_initialized(&self, age: Age) -> Option<bool> {
        let (is_initialized, read) = self.is_initialized?;
        self.mode.counts(read, age).then_some(is_initialized)
    }

    /// Takes in what the store answered.
    pub(crate) fn remember(&mut self, query: &Query, answer: &Answer, now: Instant) {
        match (query, answer) {
            (Query::IsInitialized, Answer::IsInitialized(is)) => {
                self.is_initialized = Some((*is, now));
            }
            (Query::One(Kind::Flag, key), Answer::Flags(loaded)) => {
                self.flags.remember(key, loaded.items.look_up(key), now);
            }
            (Query::One(Kind::Segment, key), Answer::Segments(loaded)) => {
                self.segments.remember(key, loaded.items.look_up(key), now);
            }
            (Query::All(Kind::Flag), Answer::Flags(loaded)) => {
                self.flags.remember_all(&loaded.items, now);
            }
            (Query::All(Kind::Segment), Answer::Segments(loaded)) => {
                self.segments.remember_all(&loaded.items, now);
            }
            (_, _) => debug_assert!(false, "the store answers what it is asked"),
        }
    }
}

/// Which entries count.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Age {
    /// Those that have not expired now.
    At(Instant),
    /// All, expired ones included.
    Any,
}

/// What one evaluation sees: what it has fetched itself, then what was remembered.
pub(crate) struct CacheView<'a> {
    pub(crate) fetched: &'a Cache,
    pub(crate) remembered: &'a Cache,
    pub(crate) age: Age,
}

impl CacheView<'_> {
    /// All flags in key order, if everything has been read.
    pub(crate) fn all_flags(&self) -> Option<impl Iterator<Item = &Arc<Item<Flag>>>> {
        let (fetched, remembered) = (&self.fetched.segments, &self.remembered.segments);
        fetched.all(Age::Any).or_else(|| remembered.all(self.age))?;
        self.flags().map(|flags| flags.iter().map(|(_, flag)| flag))
    }

    fn flags(&self) -> Option<&Collection<Arc<Item<Flag>>>> {
        self.fetched.flags.all(Age::Any).or_else(|| self.remembered.flags.all(self.age))
    }

    /// What is to be read next until everything has been read.
    pub(crate) fn rest(&self) -> Query {
        Query::All(if self.flags().is_some() { Kind::Segment } else { Kind::Flag })
    }
}

impl Lookup for CacheView<'_> {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        match self.fetched.flags.find(key, Age::Any) {
            Found::NotLoaded => self.remembered.flags.find(key, self.age),
            found => found,
        }
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        match self.fetched.segments.find(key, Age::Any) {
            Found::NotLoaded => self.remembered.segments.find(key, self.age),
            found => found,
        }
    }
}

#[cfg(test)]
mod tests {
    use fdv2_core::model::{Decoded, Model};

    use super::*;
    use crate::store::Loaded;

    fn at(seconds: u64) -> Instant {
        Instant::from_epoch(Duration::from_secs(seconds))
    }

    fn item<T: Model>(key: &str) -> Arc<Item<T>> {
        let Ok(Decoded::Live(item)) = Item::decode(key.into(), 1, "{}") else { panic!("{key}") };
        Arc::new(item)
    }

    fn loaded<T: Model>(keys: &[&str]) -> Loaded<T> {
        let mut loaded = Loaded::default();
        for key in keys {
            loaded.items.insert((*key).into(), item(key));
        }
        loaded
    }

    fn flags(keys: &[&str]) -> Answer {
        Answer::Flags(loaded(keys))
    }

    fn segments(keys: &[&str]) -> Answer {
        Answer::Segments(loaded(keys))
    }

    fn one(key: &str) -> Query {
        Query::One(Kind::Flag, key.into())
    }

    /// What the cache says of a flag: there, not there, or not known.
    fn found(cache: &Cache, key: &str, age: Age) -> &'static str {
        let view = CacheView { fetched: &Cache::scratch(), remembered: cache, age };
        match view.flag(key) {
            Found::Present(_) => "there",
            Found::Absent => "not there",
            Found::NotLoaded => "not known",
        }
    }

    /// B 9.3: fixed from load, not extended by reads; misses are cached too.
    #[test]
    fn b_9_3_a_time_to_live_is_fixed_from_the_read_on() {
        let mut cache = Cache::new(CacheMode::Ttl(Duration::from_secs(10)));
        cache.remember(&one("a"), &flags(&["a"]), at(0));
        cache.remember(&one("b"), &flags(&[]), at(0));
        for second in 0..10 {
            assert_eq!(found(&cache, "a", Age::At(at(second))), "there");
            assert_eq!(found(&cache, "b", Age::At(at(second))), "not there");
        }
        assert_eq!(found(&cache, "a", Age::At(at(10))), "not known");
        assert_eq!(found(&cache, "b", Age::At(at(10))), "not known");
        assert_eq!(found(&cache, "a", Age::Any), "there", "an outage serves expired ones (B 9.10)");
    }

    /// B 9.3.
    #[test]
    fn b_9_3_off_forgets_at_once_and_infinite_never() {
        for (mode, known) in [(CacheMode::Off, "not known"), (CacheMode::Infinite, "there")] {
            let mut cache = Cache::new(mode);
            cache.remember(&one("a"), &flags(&["a"]), at(0));
            assert_eq!(found(&cache, "a", Age::At(at(0))), known);
        }
    }

    /// B 9.3: a negative `$inited` is cached too.
    #[test]
    fn b_9_3_a_missing_marker_is_remembered() {
        let mut cache = Cache::new(CacheMode::Ttl(Duration::from_secs(10)));
        assert_eq!(cache.is_initialized(Age::At(at(0))), None);
        cache.remember(&Query::IsInitialized, &Answer::IsInitialized(false), at(0));
        assert_eq!(cache.is_initialized(Age::At(at(9))), Some(false));
        assert_eq!(cache.is_initialized(Age::At(at(10))), None);
    }

    /// After a collection was read, what is not in it is not there.
    #[test]
    fn reading_a_whole_collection_settles_what_is_not_in_it() {
        let mut cache = Cache::new(CacheMode::Ttl(Duration::from_secs(10)));
        cache.remember(&Query::All(Kind::Flag), &flags(&["a", "b"]), at(0));
        assert_eq!(found(&cache, "c", Age::At(at(1))), "not there");
        assert_eq!(found(&cache, "c", Age::At(at(10))), "not known");
    }

    /// Each collection counts for itself, whoever read it.
    #[test]
    fn everything_is_both_collections() {
        let (mut fetched, mut cache) =
            (Cache::scratch(), Cache::new(CacheMode::Ttl(Duration::from_secs(10))));
        let seen = |fetched: &Cache, remembered: &Cache, second| {
            let view = CacheView { fetched, remembered, age: Age::At(at(second)) };
            view.all_flags().map(|flags| flags.count()).ok_or(view.rest())
        };
        assert_eq!(seen(&fetched, &cache, 0), Err(Query::All(Kind::Flag)));
        cache.remember(&Query::All(Kind::Flag), &flags(&["a", "b"]), at(0));
        assert_eq!(seen(&fetched, &cache, 1), Err(Query::All(Kind::Segment)));
        cache.remember(&Query::All(Kind::Segment), &segments(&["s"]), at(1));
        assert_eq!(seen(&fetched, &cache, 9), Ok(2));
        assert_eq!(seen(&fetched, &cache, 10), Err(Query::All(Kind::Flag)));
        fetched.remember(&Query::All(Kind::Flag), &flags(&["a"]), at(10));
        assert_eq!(seen(&fetched, &cache, 10), Ok(1));
        assert_eq!(seen(&fetched, &cache, 11), Err(Query::All(Kind::Segment)));
    }
}

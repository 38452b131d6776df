//! What has been read from the store, and how long it counts (B 9.3).

use std::sync::Arc;
use std::time::Duration;

use fdv2_core::Instant;
use fdv2_core::eval::{Found, Lookup};
use fdv2_core::model::{Flag, Item, Kind, Segment};
use fdv2_core::snapshot::Collection;

use crate::store::{Answer, Query};

/// The most keys that are remembered as missing.
const MISSES: usize = 10_000;

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

/// What has been read. A value: cloning shares, changing copies little.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    mode: CacheMode,
    flags: Collection<Entry<Flag>>,
    segments: Collection<Entry<Segment>>,
    /// All flags have been read; the segments may be yet to come.
    has_all_flags: bool,
    /// When everything was read.
    all: Option<Instant>,
    misses: usize,
    max_misses: usize,
    is_initialized: Option<(bool, Instant)>,
}

#[derive(Clone, Debug)]
struct Entry<T> {
    /// `None`: the store has no such item.
    item: Option<Arc<Item<T>>>,
    read: Instant,
}

impl Cache {
    pub(crate) fn new(mode: CacheMode) -> Self {
        Self {
            mode,
            flags: Collection::seeded(0),
            segments: Collection::seeded(0),
            has_all_flags: false,
            all: None,
            misses: 0,
            max_misses: MISSES,
            is_initialized: None,
        }
    }

    /// What one evaluation fetches for itself: it counts until the end, misses included.
    pub(crate) fn scratch() -> Self {
        Self { max_misses: usize::MAX, ..Self::new(CacheMode::Infinite) }
    }

    /// Whether there is no item in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.segments.is_empty()
    }

    /// Whether the store's marker was there, if that is known and still counts.
    pub(crate) fn is_initialized(&self, age: Age) -> Option<bool> {
        let (is_initialized, read) = self.is_initialized?;
        self.counts(read, age).then_some(is_initialized)
    }

    /// Whether everything has been read, and still counts.
    pub(crate) fn has_all(&self, age: Age) -> bool {
        self.all.is_some_and(|read| self.counts(read, age))
    }

    /// Whether all flags have just been read, and the segments are next.
    fn has_all_flags(&self) -> bool {
        self.has_all_flags
    }

    /// The flags that are there, in key order.
    pub(crate) fn flags(&self) -> impl Iterator<Item = &Arc<Item<Flag>>> {
        self.flags.iter().filter_map(|(_, entry)| entry.item.as_ref())
    }

    /// Takes in what the store answered.
    pub(crate) fn remember(&mut self, query: &Query, answer: &Answer, now: Instant) {
        match (query, answer) {
            (Query::IsInitialized, Answer::IsInitialized(is)) => {
                self.is_initialized = Some((*is, now));
            }
            (Query::One(Kind::Flag, key), Answer::Flags(loaded)) => {
                let entry = Entry { item: loaded.items.first().cloned(), read: now };
                self.misses =
                    remember_one(&mut self.flags, key, entry, self.misses, self.max_misses);
            }
            (Query::One(Kind::Segment, key), Answer::Segments(loaded)) => {
                let entry = Entry { item: loaded.items.first().cloned(), read: now };
                self.misses =
                    remember_one(&mut self.segments, key, entry, self.misses, self.max_misses);
            }
            (Query::All(Kind::Flag), Answer::Flags(loaded)) => {
                self.flags = collection(&loaded.items, now);
                self.has_all_flags = true;
            }
            (Query::All(Kind::Segment), Answer::Segments(loaded)) => {
                self.segments = collection(&loaded.items, now);
                self.misses = 0;
                self.all = self.has_all_flags.then_some(now);
            }
            (_, _) => debug_assert!(false, "the store answers what it is asked"),
        }
    }

    fn counts(&self, read: Instant, age: Age) -> bool {
        match (age, self.mode) {
            (Age::Any, _) | (_, CacheMode::Infinite) => true,
            (Age::At(_), CacheMode::Off) => false,
            (Age::At(now), CacheMode::Ttl(ttl)) => now.saturating_since(read) < ttl,
        }
    }

    fn find<'a, T>(
        &self,
        entries: &'a Collection<Entry<T>>,
        key: &str,
        age: Age,
    ) -> Found<&'a Item<T>>
    where
        Entry<T>: Clone,
    {
        match entries.look_up(key) {
            Some(entry) if self.counts(entry.read, age) => entry.item.as_deref().into(),
            Some(_) => Found::NotLoaded,
            None if self.has_all(age) => Found::Absent,
            None => Found::NotLoaded,
        }
    }
}

/// Remembers an item; a miss only while there are not too many. Returns how many there are then.
fn remember_one<T>(
    entries: &mut Collection<Entry<T>>,
    key: &Arc<str>,
    entry: Entry<T>,
    misses: usize,
    max_misses: usize,
) -> usize
where
    Entry<T>: Clone,
{
    let is_miss = entry.item.is_none();
    let was_miss = entries.remove(key).is_some_and(|old| old.item.is_none());
    let misses = misses.saturating_sub(usize::from(was_miss));
    if is_miss && misses >= max_misses {
        return misses;
    }
    entries.insert(Arc::clone(key), entry);
    misses + usize::from(is_miss)
}

fn collection<T>(items: &[Arc<Item<T>>], read: Instant) -> Collection<Entry<T>>
where
    Entry<T>: Clone,
{
    let mut entries = Collection::seeded(0);
    for item in items {
        entries.insert(Arc::clone(item.key()), Entry { item: Some(Arc::clone(item)), read });
    }
    entries
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
        let everything = if self.fetched.has_all(Age::Any) {
            self.fetched
        } else if self.remembered.has_all(self.age) {
            self.remembered
        } else {
            return None;
        };
        Some(everything.flags())
    }

    /// What is to be read next until everything is there.
    pub(crate) fn rest(&self) -> Query {
        Query::All(if self.fetched.has_all_flags() { Kind::Segment } else { Kind::Flag })
    }
}

impl Lookup for CacheView<'_> {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        match self.fetched.find(&self.fetched.flags, key, Age::Any) {
            Found::NotLoaded => self.remembered.find(&self.remembered.flags, key, self.age),
            found => found,
        }
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        match self.fetched.find(&self.fetched.segments, key, Age::Any) {
            Found::NotLoaded => self.remembered.find(&self.remembered.segments, key, self.age),
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

    fn flags(keys: &[&str]) -> Answer {
        let items = keys.iter().map(|key| item(key)).collect();
        Answer::Flags(Loaded { items, corrupt: Vec::new() })
    }

    fn segments(keys: &[&str]) -> Answer {
        let items = keys.iter().map(|key| item(key)).collect();
        Answer::Segments(Loaded { items, corrupt: Vec::new() })
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

    /// After everything was read, what is not among it is not there.
    #[test]
    fn reading_everything_settles_what_is_not_there() {
        let mut cache = Cache::new(CacheMode::Ttl(Duration::from_secs(10)));
        cache.remember(&Query::All(Kind::Flag), &flags(&["a", "b"]), at(0));
        assert_eq!(found(&cache, "c", Age::At(at(1))), "not known");
        cache.remember(&Query::All(Kind::Segment), &segments(&["s"]), at(0));
        assert_eq!(found(&cache, "c", Age::At(at(1))), "not there");
        assert_eq!(cache.flags().count(), 2);
        assert_eq!(found(&cache, "c", Age::At(at(10))), "not known");
    }

    /// B 9.3: cached misses are bounded in number.
    #[test]
    fn b_9_3_misses_are_bounded_in_number() {
        let mut cache = Cache::new(CacheMode::Infinite);
        for number in 0..MISSES + 5 {
            cache.remember(&one(&number.to_string()), &flags(&[]), at(0));
        }
        assert_eq!(cache.flags.len(), MISSES);
        cache.remember(&one("0"), &flags(&["0"]), at(1));
        cache.remember(&one("new"), &flags(&[]), at(1));
        assert_eq!(cache.flags.len(), MISSES + 1, "one miss became a hit");
    }
}

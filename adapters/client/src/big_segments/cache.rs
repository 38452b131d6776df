//! The memberships that are remembered: of so many contexts, read without a lock.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use arc_swap::{ArcSwap, Guard};
use fdv2_core::Instant;
use fdv2_core::snapshot::Collection;

use super::{ContextHash, Memberships};

/// How long a failure counts at most. Without that, each evaluation would ask a store that fails,
/// and more often than one that answers.
const FAILURE: Duration = Duration::from_secs(1);

/// The memberships of one context, `None` if they could not be read.
pub(super) type Found = Option<Arc<Memberships>>;

/// What is remembered, of a bounded number of contexts. One that is used outlives one that is not.
pub(super) struct Cache {
    size: usize,
    time: Duration,
    entries: ArcSwap<Entries>,
    /// The contexts in it, in the order in which they will be forgotten. Locked by who changes the
    /// entries.
    order: Mutex<VecDeque<Arc<str>>>,
}

/// What is remembered at one moment.
pub(super) type Entries = Collection<Arc<Entry>>;

pub(super) struct Entry {
    pub(super) found: Found,
    read: Instant,
    /// Since it was last spared.
    is_used: AtomicBool,
}

impl Entry {
    pub(super) fn touch(&self) {
        self.is_used.store(true, Ordering::Relaxed);
    }
}

impl Cache {
    pub(super) fn new(size: usize, time: Duration) -> Self {
        Self { size, time, entries: ArcSwap::default(), order: Mutex::default() }
    }

    pub(super) fn entries(&self) -> Guard<Arc<Entries>> {
        self.entries.load()
    }

    /// Whether an entry has not expired.
    pub(super) fn counts(&self, entry: &Entry, now: Instant) -> bool {
        let time = if entry.found.is_some() { self.time } else { self.time.min(FAILURE) };
        now.saturating_since(entry.read) < time
    }

    /// What is remembered of a context, and has not expired.
    pub(super) fn find(&self, context: &ContextHash, now: Instant) -> Option<Found> {
        let entries = self.entries();
        let entry = entries.look_up(context.as_str()).filter(|entry| self.counts(entry, now))?;
        entry.touch();
        Some(entry.found.clone())
    }

    /// Remembers what was read. Tells whether it is something else than what was remembered.
    pub(super) fn remember(&self, context: &ContextHash, found: Found, now: Instant) -> bool {
        if self.size == 0 {
            return false;
        }
        let mut order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let mut entries = Entries::clone(&self.entries());
        let held = entries.look_up(context.as_str()).and_then(|entry| entry.found.as_ref());
        let is_new = held != found.as_ref();
        let known = entries.look_up_key(context.as_str()).cloned();
        let is_used = AtomicBool::new(known.is_some());
        let key = known.unwrap_or_else(|| {
            while entries.len() >= self.size && forget_one(&mut order, &mut entries) {}
            let key: Arc<str> = context.as_str().into();
            order.push_back(Arc::clone(&key));
            key
        });
        let entry = Entry { found, read: now, is_used };
        entries.insert(key, Arc::new(entry));
        self.entries.store(Arc::new(entries));
        is_new
    }
}

/// Forgets the first that was not used since its last turn; the first of all if each was. False if
/// there is none.
fn forget_one(order: &mut VecDeque<Arc<str>>, entries: &mut Entries) -> bool {
    for _ in 0..order.len() {
        let Some(key) = order.pop_front() else { break };
        let entry = entries.look_up(&key);
        if entry.is_some_and(|entry| entry.is_used.swap(false, Ordering::Relaxed)) {
            order.push_back(key);
        } else {
            entries.remove(&key);
            return true;
        }
    }
    match order.pop_front() {
        Some(key) => {
            entries.remove(&key);
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_epoch(Duration::from_millis(millis))
    }

    fn context(number: usize) -> ContextHash {
        ContextHash::of(&number.to_string())
    }

    fn holds(cache: &Cache, numbers: &[usize]) -> Vec<usize> {
        let entries = cache.entries();
        let is_held = |number: &usize| entries.look_up(context(*number).as_str()).is_some();
        numbers.iter().copied().filter(is_held).collect()
    }

    fn found() -> Found {
        Some(Arc::default())
    }

    #[test]
    fn it_remembers_so_many_contexts_and_no_more() {
        let cache = Cache::new(1000, Duration::from_secs(5));
        for number in 0..3000 {
            cache.remember(&context(number), if number % 2 == 0 { found() } else { None }, at(0));
        }
        assert_eq!(cache.entries().len(), 1000);
        assert_eq!(cache.order.lock().unwrap().len(), 1000);
        assert_eq!(holds(&cache, &[1999, 2000, 2999]), [2000, 2999]);
    }

    #[test]
    fn who_is_used_outlives_who_is_not() {
        let cache = Cache::new(2, Duration::from_secs(5));
        cache.remember(&context(1), found(), at(0));
        cache.remember(&context(2), found(), at(0));
        assert!(cache.find(&context(1), at(0)).is_some());
        cache.remember(&context(3), found(), at(0));
        assert_eq!(holds(&cache, &[1, 2, 3]), [1, 3]);
    }

    /// However many are used all the time, room is made, and for the newest.
    #[test]
    fn when_all_are_used_the_first_goes() {
        let cache = Cache::new(2, Duration::from_secs(5));
        for number in 1..10 {
            cache.remember(&context(number), found(), at(0));
            assert!(cache.find(&context(number), at(0)).is_some());
        }
        assert_eq!(holds(&cache, &[6, 7, 8, 9]), [8, 9]);
    }

    #[test]
    fn a_context_that_is_read_again_takes_no_second_place() {
        let cache = Cache::new(2, Duration::from_secs(5));
        for _ in 0..10 {
            cache.remember(&context(1), found(), at(0));
        }
        cache.remember(&context(2), None, at(0));
        assert_eq!(holds(&cache, &[1, 2]), [1, 2]);
        assert_eq!(cache.order.lock().unwrap().len(), 2);
    }

    /// Fixed from the read on, not extended by use; a failure counts for a second at most.
    #[test]
    fn what_was_read_expires() {
        let cache = Cache::new(2, Duration::from_secs(5));
        cache.remember(&context(1), found(), at(0));
        cache.remember(&context(2), None, at(0));
        assert_eq!(cache.find(&context(2), at(999)), Some(None));
        assert_eq!(cache.find(&context(2), at(1000)), None);
        assert_eq!(cache.find(&context(1), at(4999)), Some(found()));
        assert_eq!(cache.find(&context(1), at(5000)), None);
        let brief = Cache::new(2, Duration::from_millis(10));
        brief.remember(&context(2), None, at(0));
        assert_eq!(brief.find(&context(2), at(10)), None);
    }

    #[test]
    fn a_size_of_zero_remembers_nothing() {
        let cache = Cache::new(0, Duration::from_secs(5));
        cache.remember(&context(1), found(), at(0));
        assert!(cache.entries().is_empty());
    }
}

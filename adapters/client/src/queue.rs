//! Bounded queues from the driver to its listeners: the oldest entries are lost, never the newest,
//! and the listener is told (B 7.3).

use std::collections::VecDeque;
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use crate::wakes::Wakes;

/// What a listener reads.
#[derive(Debug, PartialEq)]
pub(crate) enum Entry<T> {
    Item(T),
    /// So many items before the next one were lost.
    Lagged(u64),
}

/// All listeners to one kind of thing.
pub(crate) struct Listeners<T> {
    queues: Vec<Arc<Queue<T>>>,
    lost: u64,
    is_closed: bool,
}

impl<T> Default for Listeners<T> {
    fn default() -> Self {
        Self { queues: Vec::new(), lost: 0, is_closed: false }
    }
}

impl<T: Clone> Listeners<T> {
    /// A new listener, whose queue holds at most `capacity` items and begins with `first`.
    pub(crate) fn subscribe(
        &mut self,
        capacity: usize,
        first: impl IntoIterator<Item = T>,
    ) -> Subscription<T> {
        self.queues.retain(|queue| queue.lock().is_read);
        let state = State {
            items: first.into_iter().collect(),
            lost: 0,
            reader: None,
            is_read: true,
            is_open: !self.is_closed,
        };
        let queue = Arc::new(Queue { capacity, state: Mutex::new(state) });
        if !self.is_closed {
            self.queues.push(Arc::clone(&queue));
        }
        Subscription(queue)
    }

    /// Gives every listener a copy. Returns what was lost to make room, which may be large.
    pub(crate) fn publish(&mut self, item: &T, wakes: &mut Wakes) -> Vec<T> {
        let mut lost = Vec::new();
        self.queues.retain(|queue| queue.push(item, &mut lost, wakes));
        self.lost += lost.len() as u64;
        lost
    }

    /// How many items have been lost so far, by all listeners together.
    pub(crate) fn lost(&self) -> u64 {
        self.lost
    }

    /// Nothing follows, not even for listeners to come.
    pub(crate) fn close(&mut self, wakes: &mut Wakes) {
        self.is_closed = true;
        for queue in mem::take(&mut self.queues) {
            queue.close(wakes);
        }
    }
}

struct Queue<T> {
    capacity: usize,
    state: Mutex<State<T>>,
}

struct State<T> {
    items: VecDeque<T>,
    lost: u64,
    reader: Option<Waker>,
    /// The listener has not been dropped.
    is_read: bool,
    /// More may follow.
    is_open: bool,
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, wakes: &mut Wakes) {
        let mut state = self.lock();
        state.is_open = false;
        wakes.extend(state.reader.take());
    }

    /// Nobody will read any more. Returns the reader's waker.
    #[must_use]
    fn abandon(&self) -> Option<Waker> {
        let mut state = self.lock();
        state.is_read = false;
        state.is_open = false;
        let unread = mem::take(&mut state.items);
        state.lost = 0;
        let reader = state.reader.take();
        // Dropping them can run code of others, which must not find the queue locked.
        drop(state);
        drop(unread);
        reader
    }
}

impl<T: Clone> Queue<T> {
    /// False if nobody will ever read.
    fn push(&self, item: &T, lost: &mut Vec<T>, wakes: &mut Wakes) -> bool {
        let mut state = self.lock();
        if !state.is_read {
            return false;
        }
        if state.items.len() >= self.capacity {
            state.lost += 1;
            lost.extend(state.items.pop_front());
        }
        state.items.push_back(item.clone());
        wakes.extend(state.reader.take());
        true
    }
}

/// The listener's end of a queue.
pub(crate) struct Subscription<T>(Arc<Queue<T>>);

impl<T> Subscription<T> {
    /// The next entry. None when nothing follows.
    pub(crate) fn poll_entry(&mut self, cx: &mut Context<'_>) -> Poll<Option<Entry<T>>> {
        let mut state = self.0.lock();
        if state.lost > 0 {
            return Poll::Ready(Some(Entry::Lagged(mem::take(&mut state.lost))));
        }
        if let Some(item) = state.items.pop_front() {
            return Poll::Ready(Some(Entry::Item(item)));
        }
        if !state.is_open {
            return Poll::Ready(None);
        }
        let replaced = state.reader.replace(cx.waker().clone());
        drop(state);
        drop(replaced);
        Poll::Pending
    }
}

impl<T: Send + 'static> Subscription<T> {
    /// A way to end it from elsewhere.
    pub(crate) fn ending(&self) -> Ending {
        Ending(Arc::<Queue<T>>::clone(&self.0))
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        let reader = self.0.abandon();
        drop(reader);
    }
}

/// Ends a subscription that somebody else reads.
pub(crate) struct Ending(Arc<dyn Endable>);

/// A queue of whatever.
trait Endable: Send + Sync {
    fn end(&self);
    fn is_open(&self) -> bool;
}

impl<T: Send> Endable for Queue<T> {
    fn end(&self) {
        let mut wakes = Wakes::default();
        wakes.extend(self.abandon());
        wakes.wake();
    }

    fn is_open(&self) -> bool {
        self.lock().is_open
    }
}

impl Ending {
    /// Nothing follows, and what is unread is lost.
    pub(crate) fn end(&self) {
        self.0.end();
    }

    /// Whether anything may follow: neither this nor the other end has ended it.
    pub(crate) fn is_open(&self) -> bool {
        self.0.is_open()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(subscription: &mut Subscription<u32>) -> Poll<Option<Entry<u32>>> {
        subscription.poll_entry(&mut Context::from_waker(Waker::noop()))
    }

    fn publish(listeners: &mut Listeners<u32>, item: u32) -> Vec<u32> {
        listeners.publish(&item, &mut Wakes::default())
    }

    /// B 7.3.
    #[test]
    fn a_listener_that_does_not_keep_up_loses_the_oldest_and_is_told() {
        let mut listeners = Listeners::default();
        let mut slow = listeners.subscribe(2, None);
        let lost: Vec<_> = (1..=5).flat_map(|item| publish(&mut listeners, item)).collect();
        assert_eq!(lost, [1, 2, 3]);
        assert_eq!(read(&mut slow), Poll::Ready(Some(Entry::Lagged(3))));
        assert_eq!(read(&mut slow), Poll::Ready(Some(Entry::Item(4))));
        assert_eq!(read(&mut slow), Poll::Ready(Some(Entry::Item(5))));
        assert_eq!(read(&mut slow), Poll::Pending);
    }

    /// B 7.3.
    #[test]
    fn a_listener_that_never_reads_disturbs_no_other() {
        let mut listeners = Listeners::default();
        let _stuck = listeners.subscribe(2, None);
        let mut other = listeners.subscribe(2, None);
        for item in 0..5_000 {
            publish(&mut listeners, item);
            assert_eq!(read(&mut other), Poll::Ready(Some(Entry::Item(item))));
        }
    }

    #[test]
    fn what_came_before_the_end_is_read_before_it() {
        let mut listeners = Listeners::default();
        let mut listener = listeners.subscribe(2, Some(1));
        publish(&mut listeners, 2);
        listeners.close(&mut Wakes::default());
        publish(&mut listeners, 3);
        assert_eq!(read(&mut listener), Poll::Ready(Some(Entry::Item(1))));
        assert_eq!(read(&mut listener), Poll::Ready(Some(Entry::Item(2))));
        assert_eq!(read(&mut listener), Poll::Ready(None));
        let mut late = listeners.subscribe(2, Some(4));
        assert_eq!(read(&mut late), Poll::Ready(Some(Entry::Item(4))));
        assert_eq!(read(&mut late), Poll::Ready(None));
    }

    #[test]
    fn a_listener_that_is_ended_from_elsewhere_reads_nothing_more_and_leaves_nothing_behind() {
        let mut listeners = Listeners::default();
        let mut listener = listeners.subscribe(1, None);
        let ending = listener.ending();
        for item in 1..=2 {
            publish(&mut listeners, item);
        }
        assert!(ending.is_open());
        ending.end();
        assert!(!ending.is_open());
        assert_eq!(read(&mut listener), Poll::Ready(None));
        publish(&mut listeners, 3);
        assert_eq!(read(&mut listener), Poll::Ready(None));
        assert!(listeners.queues.is_empty());
    }

    #[test]
    fn a_dropped_listener_leaves_nothing_behind() {
        let mut listeners = Listeners::default();
        for _ in 0..1_000 {
            drop(listeners.subscribe(2, None));
        }
        assert_eq!(listeners.queues.len(), 1);
        publish(&mut listeners, 1);
        assert!(listeners.queues.is_empty());
    }
}

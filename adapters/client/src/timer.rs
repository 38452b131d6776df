//! Time limits that hold whatever the runtime does.
//!
//! A runtime's own timers stand still when nobody runs it, or when one task blocks it, and panic
//! once it is gone. A `close` has to return all the same (B 10.1, 10.3), so the limits of waits are
//! kept by one thread of our own, which nothing joins, and which is there only while someone waits.

use std::collections::BTreeMap;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use crate::wakes::Wakes;

/// The process's timer.
static TIMER: Timer = Timer {
    sleepers: Mutex::new(Sleepers { next: 0, wakers: BTreeMap::new(), has_thread: false }),
    changed: Condvar::new(),
};

struct Timer {
    sleepers: Mutex<Sleepers>,
    /// The first deadline is another one, or there is none.
    changed: Condvar,
}

/// Who sleeps, by deadline, and by ticket among equals.
struct Sleepers {
    next: u64,
    wakers: BTreeMap<(Instant, u64), Waker>,
    has_thread: bool,
}

impl Timer {
    fn lock(&self) -> MutexGuard<'_, Sleepers> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes until nobody sleeps any more.
    fn run(&self) {
        let mut sleepers = self.lock();
        while let Some(first) = sleepers.first() {
            let rest = first.saturating_duration_since(Instant::now());
            if rest.is_zero() {
                let due = sleepers.take_until(first);
                drop(sleepers);
                due.wake();
                sleepers = self.lock();
            } else {
                let waited = self.changed.wait_timeout(sleepers, rest);
                sleepers = waited.unwrap_or_else(PoisonError::into_inner).0;
            }
        }
        sleepers.has_thread = false;
    }
}

impl Sleepers {
    fn first(&self) -> Option<Instant> {
        self.wakers.first_key_value().map(|((deadline, _), _)| *deadline)
    }

    fn take_until(&mut self, deadline: Instant) -> Wakes {
        let later = self.wakers.split_off(&(deadline, u64::MAX));
        let mut due = Wakes::default();
        due.extend(mem::replace(&mut self.wakers, later).into_values());
        due
    }

    /// False where no thread can be had.
    fn ensure_thread(&mut self) -> bool {
        if !self.has_thread {
            let thread = thread::Builder::new().name("fdv2-timer".into());
            self.has_thread = thread.spawn(|| TIMER.run()).is_ok();
        }
        self.has_thread
    }
}

/// Ends at its deadline, in whatever task it is polled. Where there can be no thread it ends at
/// once: better too early than never.
pub(crate) struct Limit {
    /// None for one that no clock will reach.
    deadline: Option<Instant>,
    ticket: Option<u64>,
}

impl Limit {
    /// A limit `timeout` from now.
    pub(crate) fn after(timeout: Duration) -> Self {
        Self { deadline: Instant::now().checked_add(timeout), ticket: None }
    }
}

impl Future for Limit {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let Some(deadline) = self.deadline else { return Poll::Pending };
        if Instant::now() >= deadline {
            return Poll::Ready(());
        }
        let mut sleepers = TIMER.lock();
        if !sleepers.ensure_thread() {
            return Poll::Ready(());
        }
        let ticket = *self.ticket.get_or_insert_with(|| {
            sleepers.next += 1;
            sleepers.next
        });
        let replaced = sleepers.wakers.insert((deadline, ticket), cx.waker().clone());
        let is_first = sleepers.wakers.first_key_value().is_some_and(|(key, _)| key.1 == ticket);
        drop(sleepers);
        drop(replaced);
        if is_first {
            TIMER.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        let (Some(deadline), Some(ticket)) = (self.deadline, self.ticket) else { return };
        let mut sleepers = TIMER.lock();
        let waker = sleepers.wakers.remove(&(deadline, ticket));
        let is_last = sleepers.wakers.is_empty();
        drop(sleepers);
        drop(waker);
        if is_last {
            TIMER.changed.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;
    use futures::future::join_all;

    use super::*;

    #[test]
    fn a_limit_ends_not_before_its_time() {
        let begun = Instant::now();
        block_on(Limit::after(Duration::from_millis(20)));
        assert!(begun.elapsed() >= Duration::from_millis(20));
    }

    #[test]
    fn an_earlier_limit_ends_while_a_later_one_waits() {
        let mut later = Box::pin(Limit::after(Duration::from_secs(3_600)));
        assert!(later.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        block_on(Limit::after(Duration::from_millis(1)));
    }

    #[test]
    fn many_limits_end_whatever_their_order() {
        let limits = (0..100_u64).map(|n| Limit::after(Duration::from_millis(n * 7 % 20)));
        block_on(join_all(limits));
    }

    #[test]
    fn the_longest_duration_never_ends_and_the_shortest_has_ended() {
        let cx = &mut Context::from_waker(Waker::noop());
        assert!(pin(Limit::after(Duration::MAX)).as_mut().poll(cx).is_pending());
        assert!(pin(Limit::after(Duration::ZERO)).as_mut().poll(cx).is_ready());
    }

    fn pin(limit: Limit) -> Pin<Box<Limit>> {
        Box::pin(limit)
    }
}

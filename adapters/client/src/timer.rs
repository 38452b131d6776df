//! Time limits that hold whatever the runtime does.
//!
//! A runtime's own timers stand still when nobody runs it, or when one task blocks it, and panic
//! once it is gone. A `close` has to return all the same (B 10.1, 10.3), so the limits of waits are
//! kept by one thread of our own, which nothing joins.

use std::collections::BTreeMap;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// The process's timer. Its thread starts with the first limit that has to be waited for.
static TIMER: Timer = Timer {
    sleepers: Mutex::new(Sleepers { next: 0, wakers: BTreeMap::new() }),
    earlier: Condvar::new(),
    is_running: OnceLock::new(),
};

struct Timer {
    sleepers: Mutex<Sleepers>,
    /// The first deadline is now an earlier one.
    earlier: Condvar,
    is_running: OnceLock<bool>,
}

/// Who sleeps, by deadline, and by ticket among equals.
struct Sleepers {
    next: u64,
    wakers: BTreeMap<(Instant, u64), Waker>,
}

impl Timer {
    fn lock(&self) -> MutexGuard<'_, Sleepers> {
        self.sleepers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False where no thread can be had.
    fn start(&'static self) -> bool {
        *self.is_running.get_or_init(|| {
            thread::Builder::new().name("fdv2-timer".into()).spawn(|| self.run()).is_ok()
        })
    }

    fn run(&self) {
        let mut sleepers = self.lock();
        loop {
            let now = Instant::now();
            let due = sleepers.take_due(now);
            if !due.is_empty() {
                drop(sleepers);
                due.into_iter().for_each(Waker::wake);
                sleepers = self.lock();
                continue;
            }
            sleepers = match sleepers.wakers.first_key_value() {
                None => self.earlier.wait(sleepers).unwrap_or_else(PoisonError::into_inner),
                Some(((deadline, _), _)) => {
                    let rest = deadline.saturating_duration_since(now);
                    let waited = self.earlier.wait_timeout(sleepers, rest);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
    }
}

impl Sleepers {
    fn take_due(&mut self, now: Instant) -> Vec<Waker> {
        let later = self.wakers.split_off(&(now, u64::MAX));
        mem::replace(&mut self.wakers, later).into_values().collect()
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
        if Instant::now() >= deadline || !TIMER.start() {
            return Poll::Ready(());
        }
        let mut sleepers = TIMER.lock();
        let ticket = *self.ticket.get_or_insert_with(|| {
            sleepers.next += 1;
            sleepers.next
        });
        let replaced = sleepers.wakers.insert((deadline, ticket), cx.waker().clone());
        let is_first = sleepers.wakers.first_key_value().is_some_and(|(key, _)| key.1 == ticket);
        drop(sleepers);
        drop(replaced);
        if is_first {
            TIMER.earlier.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        if let (Some(deadline), Some(ticket)) = (self.deadline, self.ticket) {
            let waker = TIMER.lock().wakers.remove(&(deadline, ticket));
            drop(waker);
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

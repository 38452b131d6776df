//! What the driver, the client's handles and its listeners share.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use arc_swap::{ArcSwap, ArcSwapOption};
use fdv2_core::snapshot::FlagsChanged;
use fdv2_core::status::{Readiness, StoreStatus};
use fdv2_core::{Instant, Snapshot, Update};

use crate::big_segments::{BigSegmentStatus, BigSegments, MembershipReading};
use crate::control::{Control, Order};
use crate::facts::{End, Facts};
use crate::garbage::Graveyard;
use crate::hook::Hooks;
use crate::observe::Stats;
use crate::reading::Reading;
use crate::wakes::Wakes;
use crate::warning::Warning;

/// The runtime's clock without its type, so that a client is of one type.
pub(crate) type Clock = Arc<dyn Fn() -> Instant + Send + Sync>;

/// One client's state: the data, the facts about it, and the way to its driver.
pub(crate) struct Shared {
    snapshot: ArcSwap<Snapshot>,
    environment_id: ArcSwapOption<Arc<str>>,
    facts: Mutex<Facts>,
    stats: Mutex<Stats>,
    clock: Clock,
    control: Control,
    graveyard: Graveyard,
    /// The persistent store, if there is one.
    reading: Option<Arc<Reading>>,
    /// The store of memberships, if there is one.
    memberships: Option<Arc<MembershipReading>>,
    /// The code around evaluations, if there is any.
    hooks: Option<Hooks>,
}

impl Shared {
    pub(crate) fn new(
        clock: Clock,
        reading: Option<Reading>,
        big_segments: Option<BigSegments>,
        hooks: Option<Hooks>,
    ) -> Self {
        let memberships =
            big_segments.map(|segments| MembershipReading::new(segments, Arc::clone(&clock)));
        Self {
            snapshot: ArcSwap::default(),
            environment_id: ArcSwapOption::empty(),
            facts: Mutex::new(Facts::new(clock(), StoreStatus::new(reading.is_some()))),
            stats: Mutex::default(),
            clock,
            control: Control::default(),
            graveyard: Graveyard::default(),
            reading: reading.map(Arc::new),
            memberships,
            hooks,
        }
    }

    /// The data of this moment, wait-free.
    pub(crate) fn snapshot(&self) -> &ArcSwap<Snapshot> {
        &self.snapshot
    }

    /// The environment's id, wait-free (B 6.6).
    pub(crate) fn environment_id(&self) -> Option<Arc<str>> {
        self.environment_id.load().as_deref().cloned()
    }

    /// The present moment on the runtime's clock.
    pub(crate) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(crate) fn control(&self) -> &Control {
        &self.control
    }

    pub(crate) fn graveyard(&self) -> &Graveyard {
        &self.graveyard
    }

    /// The persistent store as evaluations read it.
    pub(crate) fn reading(&self) -> Option<&Arc<Reading>> {
        self.reading.as_ref()
    }

    /// The store of memberships as evaluations read it.
    pub(crate) fn memberships(&self) -> Option<&Arc<MembershipReading>> {
        self.memberships.as_ref()
    }

    /// The code around evaluations, if there is any.
    #[inline]
    pub(crate) fn hooks(&self) -> Option<&Hooks> {
        self.hooks.as_ref()
    }

    /// Tells of something that harms nothing.
    pub(crate) fn warn(&self, warning: Warning) {
        self.change(|facts, wakes| facts.warn(warning, wakes));
    }

    /// The facts of one moment. No code of others may run before the guard is dropped.
    pub(crate) fn facts(&self) -> MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts something.
    pub(crate) fn count(&self, count: impl FnOnce(&mut Stats)) {
        count(&mut self.stats.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// What has been counted, and what is held.
    pub(crate) fn stats(&self) -> Stats {
        let counted = *self.stats.lock().unwrap_or_else(PoisonError::into_inner);
        let lost_entries = self.facts().lost_entries();
        Stats { lost_entries, objects: self.snapshot.load().objects() as u64, ..counted }
    }

    /// Makes an update of the core visible, and tells those who listen for it.
    ///
    /// As the core's order is kept, a listener can read at least what it is told of (B 6.3).
    pub(crate) fn publish(&self, update: Update) {
        match update {
            Update::EnvironmentId(id) => self.environment_id.store(Some(Arc::new(id))),
            Update::Snapshot(snapshot) => self.publish_snapshot(snapshot),
            Update::SourceStatus(status) => {
                self.change(|facts, wakes| facts.set_status(status, wakes));
            }
            Update::Readiness(readiness) => {
                self.change(|facts, wakes| facts.set_readiness(readiness, wakes));
            }
            Update::FlagsChanged(changed) => self.publish_changes(None, &changed),
            Update::StoreStatus(status) => {
                self.change(|facts, wakes| facts.set_store_status(status, wakes));
            }
            Update::SourceSwitched(switched) => {
                self.change(|facts, wakes| facts.tell_switch(&switched, wakes));
            }
            Update::Odd(oddity) => self.warn(oddity.into()),
            Update::Stopped => self.end(End::Closed),
            _ => {}
        }
    }

    /// Flags may give other values now, though none of them has changed.
    pub(crate) fn tell_newer_data(&self) {
        self.change(Facts::tell_newer_data);
    }

    /// Makes the status of the store of memberships visible.
    pub(crate) fn publish_big_segment_status(&self, status: BigSegmentStatus) {
        self.change(|facts, wakes| facts.set_big_segment_status(status, wakes));
    }

    /// Tells of changed flags, together with the readiness that they made.
    pub(crate) fn publish_changes(&self, readiness: Option<Readiness>, changed: &FlagsChanged) {
        let lost = self.change(|facts, wakes| {
            if let Some(readiness) = readiness {
                facts.set_readiness(readiness, wakes);
            }
            facts.tell_change(changed, wakes)
        });
        drop(lost);
    }

    /// Nothing follows: the status is OFF, waits and streams end, and so does the driver (B 10.4).
    pub(crate) fn end(&self, end: End) {
        let now = self.now();
        // First: a `close` returns as soon as the facts have ended, and no read begins after it.
        if let Some(reading) = &self.reading {
            reading.close();
        }
        if let Some(memberships) = &self.memberships {
            memberships.close();
        }
        self.change(|facts, wakes| facts.end(end, now, wakes));
        self.control.give(Order::End);
    }

    fn publish_snapshot(&self, snapshot: Arc<Snapshot>) {
        let (is_held, is_empty) = (snapshot.is_held(), snapshot.objects() == 0);
        let Some(before) = self.change(|_, _| Some(self.snapshot.swap(snapshot))) else {
            // The end came first, and what was read of the store stays readable.
            return;
        };
        drop(before);
        let reading = self.reading.as_ref().filter(|_| is_held);
        if let Some(cache) = reading.and_then(|reading| reading.end()) {
            self.graveyard.bury(cache);
            if is_empty {
                // No change of flags follows, but what the store gave is gone (B 7.4).
                self.change(Facts::tell_newer_data);
            }
        }
    }

    /// Changes the facts unless the end has come, then wakes whom it concerns.
    fn change<T: Default>(&self, change: impl FnOnce(&mut Facts, &mut Wakes) -> T) -> T {
        let mut wakes = Wakes::default();
        let mut facts = self.facts();
        if facts.is_ended() {
            return T::default();
        }
        let result = change(&mut facts, &mut wakes);
        drop(facts);
        wakes.wake();
        result
    }
}

impl Drop for Shared {
    /// Whoever lets go of the client last does not have to free its data.
    fn drop(&mut self) {
        let last = self.snapshot.swap(Arc::default());
        if last.objects() > 0 {
            self.graveyard.bury(last);
        }
        if let Some(cache) = self.reading.as_ref().and_then(|reading| reading.end()) {
            self.graveyard.bury(cache);
        }
    }
}

/// Waits until the facts give an answer. Dropping it changes nothing.
pub(crate) struct Until<'a, F> {
    shared: &'a Shared,
    look: F,
    ticket: Option<u64>,
}

impl Shared {
    pub(crate) fn until<T, F>(&self, look: F) -> Until<'_, F>
    where
        F: FnMut(&Facts) -> Option<T> + Unpin,
    {
        Until { shared: self, look, ticket: None }
    }
}

impl<T, F: FnMut(&Facts) -> Option<T> + Unpin> Future for Until<'_, F> {
    type Output = T;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let this = &mut *self;
        let mut facts = this.shared.facts();
        if let Some(answer) = (this.look)(&facts) {
            return Poll::Ready(answer);
        }
        let replaced = facts.waiting().enter(&mut this.ticket, cx.waker());
        drop(facts);
        drop(replaced);
        Poll::Pending
    }
}

impl<F> Drop for Until<'_, F> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            let waker = self.shared.facts().waiting().leave(ticket);
            drop(waker);
        }
    }
}

//! How the driver is told to end.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;
use std::time::Duration;

use fdv2_core::StoreRead;
use futures::task::AtomicWaker;

/// What the driver has been told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// Go on.
    Run,
    /// Shut the system down, then end.
    Close,
    /// End at once: nobody waits for a shutdown any more.
    End,
}

/// The most news of reads that wait for the driver. Records beyond it that cannot be read are told
/// of by later reads again.
const READS: usize = 64;

/// One order, that only grows stricter, and the driver's waker.
pub(crate) struct Control {
    order: AtomicU8,
    /// How long the store is waited for after [`Order::Close`], in milliseconds.
    grace: AtomicU64,
    /// What reads of the store have to tell the core.
    reads: Mutex<VecDeque<StoreRead>>,
    driver: AtomicWaker,
}

impl Default for Control {
    fn default() -> Self {
        Self {
            order: AtomicU8::new(Order::Run as u8),
            grace: AtomicU64::new(0),
            reads: Mutex::default(),
            driver: AtomicWaker::new(),
        }
    }
}

impl Control {
    /// Orders to close, with so long for the store to take what is on its way (B 10.2). Of several
    /// such orders the first that the driver sees counts.
    pub(crate) fn close(&self, grace: Duration) {
        let millis = u64::try_from(grace.as_millis()).unwrap_or(u64::MAX);
        self.grace.fetch_max(millis, Ordering::AcqRel);
        self.give(Order::Close);
    }

    /// Tells the core of a read of the store. While it has not heard of one failure, another is
    /// nothing new.
    pub(crate) fn tell(&self, read: StoreRead) {
        let mut reads = self.reads();
        let is_failure = |read: &StoreRead| matches!(read, StoreRead::Failed(_));
        let is_told_again = match &read {
            StoreRead::Failed(_) => reads.iter().any(is_failure),
            StoreRead::Unreadable(_) => reads.len() >= READS,
            // The marker is told of once.
            _ => false,
        };
        if !is_told_again {
            reads.push_back(read);
        }
        drop(reads);
        self.driver.wake();
    }

    /// What the core has not been told yet.
    pub(crate) fn next_read(&self) -> Option<StoreRead> {
        self.reads().pop_front()
    }

    fn reads(&self) -> MutexGuard<'_, VecDeque<StoreRead>> {
        self.reads.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The grace of the order to close.
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_millis(self.grace.load(Ordering::Acquire))
    }

    /// Gives an order, from any thread and any callback. Never waits.
    pub(crate) fn give(&self, order: Order) {
        self.order.fetch_max(order as u8, Ordering::AcqRel);
        self.driver.wake();
    }

    /// The strictest order given so far.
    pub(crate) fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::Run,
            1 => Order::Close,
            _ => Order::End,
        }
    }

    /// Whom the next order wakes. Ask for the order again afterwards.
    pub(crate) fn register(&self, driver: &Waker) {
        self.driver.register(driver);
    }
}

#[cfg(test)]
mod tests {
    use fdv2_core::model::Kind;
    use fdv2_core::persistence::{CorruptRecord, StoreError};

    use super::*;

    /// B 9.7, 9.10, 1.15: bad records are bounded, and crowd out neither a failure nor the marker.
    #[test]
    fn many_bad_records_crowd_out_nothing_else() {
        let control = Control::default();
        let bad = StoreRead::Unreadable(CorruptRecord::Key { kind: Kind::Flag });
        for _ in 0..READS + 5 {
            control.tell(bad.clone());
        }
        control.tell(StoreRead::Initialized);
        for _ in 0..2 {
            control.tell(StoreRead::Failed(StoreError::new("down")));
        }
        let told: Vec<_> = std::iter::from_fn(|| control.next_read()).collect();
        assert_eq!(told.len(), READS + 2);
        let failed = StoreRead::Failed(StoreError::new("down"));
        assert_eq!(told[READS..], [StoreRead::Initialized, failed]);
    }
}

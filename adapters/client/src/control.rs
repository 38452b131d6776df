//! How the driver is told to end.

use std::sync::atomic::{AtomicU8, Ordering};
use std::task::Waker;

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

/// One order, that only grows stricter, and the driver's waker.
pub(crate) struct Control {
    order: AtomicU8,
    driver: AtomicWaker,
}

impl Default for Control {
    fn default() -> Self {
        Self { order: AtomicU8::new(Order::Run as u8), driver: AtomicWaker::new() }
    }
}

impl Control {
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

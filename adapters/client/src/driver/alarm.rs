//! The one sleep of the driver.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use fdv2_core::Instant;

use crate::Runtime;

/// Sleeps until the system's next deadline.
pub(super) struct Alarm<R: Runtime> {
    runtime: R,
    armed_for: Option<Instant>,
    sleep: Pin<Box<Option<R::Sleep>>>,
}

impl<R: Runtime> Alarm<R> {
    pub(super) fn new(runtime: R) -> Self {
        Self { runtime, armed_for: None, sleep: Box::pin(None) }
    }

    /// Whether `deadline` is there. If not, the task is woken when it is.
    ///
    /// Each chunk of a body moves the deadline, nearly always to later. The sleep stays as it is
    /// then: going off too early costs one look, a new sleep for every chunk would cost more.
    pub(super) fn poll(&mut self, cx: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        while self.runtime.now() < deadline {
            if self.armed_for.is_none_or(|armed_for| deadline < armed_for) {
                self.sleep.set(Some(self.runtime.sleep_until(deadline)));
                self.armed_for = Some(deadline);
            }
            let Some(sleep) = self.sleep.as_mut().as_pin_mut() else { return Poll::Pending };
            std::task::ready!(sleep.poll(cx));
            self.armed_for = None;
        }
        Poll::Ready(())
    }

    pub(super) fn now(&self) -> Instant {
        self.runtime.now()
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;
    use std::time::Duration;

    use super::*;
    use crate::tests::sim::Sim;

    fn at(seconds: u64) -> Instant {
        Instant::from_epoch(Duration::from_secs(seconds))
    }

    fn is_reached(alarm: &mut Alarm<Sim>, deadline: Instant) -> bool {
        alarm.poll(&mut Context::from_waker(Waker::noop()), deadline).is_ready()
    }

    #[test]
    fn a_later_deadline_leaves_the_sleep_as_it_is() {
        let sim = Sim::default();
        let mut alarm = Alarm::new(sim.clone());
        assert!(!is_reached(&mut alarm, at(10)));
        assert!(!is_reached(&mut alarm, at(20)));
        assert_eq!(sim.next_sleep(), Some(at(10)));
        // Goes off too early, and is set anew.
        sim.set_now(at(10));
        assert!(!is_reached(&mut alarm, at(20)));
        assert_eq!(sim.next_sleep(), Some(at(20)));
        sim.set_now(at(20));
        assert!(is_reached(&mut alarm, at(20)));
    }

    #[test]
    fn an_earlier_deadline_replaces_the_sleep() {
        let sim = Sim::default();
        let mut alarm = Alarm::new(sim.clone());
        assert!(!is_reached(&mut alarm, at(20)));
        assert!(!is_reached(&mut alarm, at(10)));
        assert_eq!(sim.next_sleep(), Some(at(10)));
        sim.set_now(at(10));
        assert!(is_reached(&mut alarm, at(10)));
    }

    #[test]
    fn a_deadline_that_has_passed_needs_no_sleep() {
        let sim = Sim::default();
        sim.set_now(at(10));
        assert!(is_reached(&mut Alarm::new(sim.clone()), at(9)));
        assert_eq!(sim.next_sleep(), None);
    }
}

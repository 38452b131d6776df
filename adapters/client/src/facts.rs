//! What is known besides the data, and who waits for it.

use std::collections::BTreeMap;
use std::mem;
use std::task::Waker;

use fdv2_core::Instant;
use fdv2_core::effect::SourceSwitched;
use fdv2_core::snapshot::FlagsChanged;
use fdv2_core::status::{
    ErrorKind, Readiness, SourceError, SourceState, SourceStatus, StoreStatus,
};

use crate::big_segments::BigSegmentStatus;
use crate::queue::{Listeners, Subscription};
use crate::wakes::Wakes;
use crate::warning::Warning;

/// How many unread change sets of flags a listener may leave before it loses the oldest.
const FLAG_CHANGES: usize = 64;
/// The same for everything else, of which there is little.
const OTHERS: usize = 64;

/// Why nothing will follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The core has shut down, or a `close` ran out of time.
    Closed,
    /// The driver was dropped, as its runtime was.
    RuntimeGone,
    /// The driver panicked.
    Panicked,
}

impl End {
    fn error(self, at: Instant) -> Option<SourceError> {
        let message = match self {
            Self::Closed => return None,
            Self::RuntimeGone => "the runtime that the client was started on is gone",
            Self::Panicked => "the client's driver panicked; standard error has the message",
        };
        Some(SourceError { kind: ErrorKind::Unknown, status: None, message: message.into(), at })
    }
}

/// There is data that may give other values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewerData;

/// The facts of one moment. They change under one short lock, under which nobody else's code runs:
/// the callers wake and drop what these functions hand back once it is released.
pub(crate) struct Facts {
    status: SourceStatus,
    store_status: StoreStatus,
    /// `None` before the first answer.
    big_segment_status: Option<BigSegmentStatus>,
    readiness: Readiness,
    /// Of each kind of oddity one, and of each hook.
    warnings: Vec<Warning>,
    is_ended: bool,
    status_listeners: Listeners<SourceStatus>,
    store_listeners: Listeners<StoreStatus>,
    big_segment_listeners: Listeners<BigSegmentStatus>,
    switch_listeners: Listeners<SourceSwitched>,
    change_listeners: Listeners<FlagsChanged>,
    data_listeners: Listeners<NewerData>,
    warning_listeners: Listeners<Warning>,
    waiting: Waiting,
}

impl Facts {
    pub(crate) fn new(now: Instant, store_status: StoreStatus) -> Self {
        Self {
            status: SourceStatus {
                state: SourceState::Initializing,
                since: now,
                last_error: None,
                is_last: false,
            },
            store_status,
            big_segment_status: None,
            readiness: Readiness::Pending,
            warnings: Vec::new(),
            is_ended: false,
            status_listeners: Listeners::default(),
            store_listeners: Listeners::default(),
            big_segment_listeners: Listeners::default(),
            switch_listeners: Listeners::default(),
            change_listeners: Listeners::default(),
            data_listeners: Listeners::default(),
            warning_listeners: Listeners::default(),
            waiting: Waiting::default(),
        }
    }

    pub(crate) fn status(&self) -> &SourceStatus {
        &self.status
    }

    pub(crate) fn store_status(&self) -> &StoreStatus {
        &self.store_status
    }

    pub(crate) fn big_segment_status(&self) -> Option<&BigSegmentStatus> {
        self.big_segment_status.as_ref()
    }

    pub(crate) fn readiness(&self) -> &Readiness {
        &self.readiness
    }

    /// Whether nothing follows.
    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended
    }

    pub(crate) fn set_status(&mut self, status: SourceStatus, wakes: &mut Wakes) {
        self.status_listeners.publish(&status, wakes);
        if status.is_last {
            self.status_listeners.close(wakes);
        }
        self.status = status;
    }

    pub(crate) fn set_store_status(&mut self, status: StoreStatus, wakes: &mut Wakes) {
        self.store_listeners.publish(&status, wakes);
        self.store_status = status;
    }

    /// Listeners are told only of what is another state.
    pub(crate) fn set_big_segment_status(&mut self, status: BigSegmentStatus, wakes: &mut Wakes) {
        let is_same = self.big_segment_status.as_ref().is_some_and(|known| {
            (known.is_available, known.is_stale) == (status.is_available, status.is_stale)
        });
        if !is_same {
            self.big_segment_listeners.publish(&status, wakes);
        }
        self.big_segment_status = Some(status);
    }

    pub(crate) fn set_readiness(&mut self, readiness: Readiness, wakes: &mut Wakes) {
        self.readiness = readiness;
        self.waiting.wake_all(wakes);
    }

    pub(crate) fn tell_switch(&mut self, switched: &SourceSwitched, wakes: &mut Wakes) {
        self.switch_listeners.publish(switched, wakes);
    }

    pub(crate) fn warn(&mut self, warning: Warning, wakes: &mut Wakes) {
        self.warning_listeners.publish(&warning, wakes);
        self.warnings.push(warning);
    }

    /// Returns what slow listeners lost.
    #[must_use]
    pub(crate) fn tell_change(
        &mut self,
        changed: &FlagsChanged,
        wakes: &mut Wakes,
    ) -> Vec<FlagsChanged> {
        self.tell_newer_data(wakes);
        self.change_listeners.publish(changed, wakes)
    }

    pub(crate) fn tell_newer_data(&mut self, wakes: &mut Wakes) {
        self.data_listeners.publish(&NewerData, wakes);
    }

    /// Status OFF for good, every wait released, every stream ended (B 10.4).
    pub(crate) fn end(&mut self, end: End, now: Instant, wakes: &mut Wakes) {
        if mem::replace(&mut self.is_ended, true) {
            return;
        }
        let error = end.error(now);
        if end == End::Panicked && self.readiness != Readiness::Ready {
            self.readiness = Readiness::Failed(error.clone());
        }
        if self.status.state != SourceState::Off || !self.status.is_last {
            let last_error = error.or_else(|| self.status.last_error.clone());
            let is_off = self.status.state == SourceState::Off;
            let since = if is_off { self.status.since } else { now };
            let off = SourceStatus { state: SourceState::Off, since, last_error, is_last: true };
            self.set_status(off, wakes);
        }
        self.status_listeners.close(wakes);
        self.store_listeners.close(wakes);
        self.big_segment_listeners.close(wakes);
        self.switch_listeners.close(wakes);
        self.change_listeners.close(wakes);
        self.data_listeners.close(wakes);
        self.warning_listeners.close(wakes);
        self.waiting.wake_all(wakes);
    }

    /// All statuses from the present one on. It ends after the last (B 3.8).
    pub(crate) fn subscribe_status(&mut self) -> Subscription<SourceStatus> {
        self.status_listeners.subscribe(OTHERS, Some(self.status.clone()))
    }

    /// All statuses of the store from the present one on.
    pub(crate) fn subscribe_store_status(&mut self) -> Subscription<StoreStatus> {
        self.store_listeners.subscribe(OTHERS, Some(self.store_status.clone()))
    }

    /// All statuses of the store of memberships, from the first answer on.
    pub(crate) fn subscribe_big_segment_status(&mut self) -> Subscription<BigSegmentStatus> {
        self.big_segment_listeners.subscribe(OTHERS, self.big_segment_status.clone())
    }

    pub(crate) fn subscribe_switches(&mut self) -> Subscription<SourceSwitched> {
        self.switch_listeners.subscribe(OTHERS, None)
    }

    pub(crate) fn subscribe_changes(&mut self) -> Subscription<FlagsChanged> {
        self.change_listeners.subscribe(FLAG_CHANGES, None)
    }

    /// That there is newer data, told once however often it is so.
    pub(crate) fn subscribe_newer_data(&mut self) -> Subscription<NewerData> {
        self.data_listeners.subscribe(1, None)
    }

    /// All warnings, those so far first.
    pub(crate) fn subscribe_warnings(&mut self) -> Subscription<Warning> {
        self.warning_listeners.subscribe(OTHERS, self.warnings.iter().cloned())
    }

    /// What listeners lost because they did not keep up, but for news that stands for all news.
    pub(crate) fn lost_entries(&self) -> u64 {
        self.status_listeners.lost()
            + self.store_listeners.lost()
            + self.big_segment_listeners.lost()
            + self.switch_listeners.lost()
            + self.change_listeners.lost()
            + self.warning_listeners.lost()
    }

    pub(crate) fn waiting(&mut self) -> &mut Waiting {
        &mut self.waiting
    }
}

/// The futures that wait for a fact.
#[derive(Default)]
pub(crate) struct Waiting {
    next: u64,
    wakers: BTreeMap<u64, Waker>,
}

impl Waiting {
    /// Wakes `waker` at the next change. Returns the waker that it replaces.
    #[must_use]
    pub(crate) fn enter(&mut self, ticket: &mut Option<u64>, waker: &Waker) -> Option<Waker> {
        let ticket = *ticket.get_or_insert_with(|| {
            self.next += 1;
            self.next
        });
        self.wakers.insert(ticket, waker.clone())
    }

    /// Forgets the wait. Returns its waker.
    #[must_use]
    pub(crate) fn leave(&mut self, ticket: u64) -> Option<Waker> {
        self.wakers.remove(&ticket)
    }

    fn wake_all(&mut self, wakes: &mut Wakes) {
        wakes.extend(mem::take(&mut self.wakers).into_values());
    }
}

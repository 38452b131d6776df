//! Keeps the store like memory: one write at a time, outages, probes and the grace at the end
//! (B 9.4 to 9.6, 9.10, 10.2).

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::{CorruptRecord, Scope, StoreError, StoreWrite, Upserted};
use crate::config::{StoreMode, Timing};
use crate::snapshot::Snapshot;
use crate::status::StoreStatus;
use crate::time::Instant;
use crate::timer::{Earliest, Timer};

/// So many unreadable records are told of. More say nothing new.
const UNREADABLE: usize = 64;

/// The store's side of the data system. Tells what to do by [`Mirror::next_work`], and what is new
/// by the statuses its methods return.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mirror {
    mode: Option<StoreMode>,
    /// What the store should come to hold.
    newest: Option<Arc<Snapshot>>,
    waiting: Option<StoreWrite>,
    running: Option<Running>,
    outage: Option<Outage>,
    /// Closing: nothing begins that has not begun by then.
    closing: Option<Instant>,
    status: StoreStatus,
    /// The records that are known to be unreadable, so that each is told once.
    unreadable: BTreeSet<Arc<str>>,
}

/// Work that the store has been given.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Work {
    Write(StoreWrite),
    Probe,
}

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Running {
    Write { begun: Instant },
    Probe,
}

/// The store does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outage {
    /// When the next probe is due, while none is under way.
    next_probe: Option<Instant>,
    /// A write failed or was left out: only the whole snapshot makes up for it.
    has_missed: bool,
    /// The probe was answered; the write that makes up for what was missed may go.
    is_answered: bool,
}

impl Mirror {
    pub(crate) fn new(mode: Option<StoreMode>) -> Self {
        Self {
            mode,
            newest: None,
            waiting: None,
            running: None,
            outage: None,
            closing: None,
            status: StoreStatus::new(mode.is_some()),
            unreadable: BTreeSet::new(),
        }
    }

    /// A change set to be persisted. During an outage it is covered by what will be written when
    /// it ends.
    pub(crate) fn on_commit(
        &mut self,
        snapshot: &Arc<Snapshot>,
        scope: Scope,
    ) -> Option<StoreStatus> {
        if self.mode != Some(StoreMode::ReadWrite) || self.closing.is_some() {
            return None;
        }
        self.newest = Some(Arc::clone(snapshot));
        let write = StoreWrite::new(Arc::clone(snapshot), scope);
        if write.is_empty() {
            return None;
        }
        if let Some(outage) = self.outage.as_mut().filter(|outage| !outage.is_answered) {
            outage.has_missed = true;
            return self.status.stale();
        }
        self.waiting = Some(match self.waiting.take() {
            Some(waiting) => waiting.then(write),
            None => write,
        });
        None
    }

    /// The write under way has ended.
    pub(crate) fn on_written(
        &mut self,
        now: Instant,
        result: Result<Upserted, StoreError>,
        timing: &Timing,
    ) -> Option<StoreStatus> {
        self.running = None;
        match result {
            Ok(Upserted::NotInitialized) => {
                self.waiting = self.everything();
                None
            }
            Ok(Upserted::Written | Upserted::NotNewer) => self.on_answer(now),
            Err(error) => self.on_missed(now, error.message(), timing),
        }
    }

    /// A probe has been answered.
    pub(crate) fn on_probed(
        &mut self,
        now: Instant,
        result: Result<(), StoreError>,
        timing: &Timing,
    ) -> Option<StoreStatus> {
        self.running = None;
        let outage = self.outage.as_mut()?;
        if result.is_err() {
            outage.next_probe = Some(now + timing.store_probe);
            return None;
        }
        self.on_answer(now)
    }

    /// A read found a record that cannot be read (B 9.7).
    pub(crate) fn on_unreadable(&mut self, record: &CorruptRecord) -> Option<StoreStatus> {
        if self.mode.is_none() || self.closing.is_some() {
            return None;
        }
        let message: Arc<str> = record.to_string().into();
        let is_told =
            self.unreadable.len() >= UNREADABLE || !self.unreadable.insert(message.clone());
        (!is_told).then(|| self.status.unreadable(message))
    }

    /// A read for an evaluation failed (B 9.10).
    pub(crate) fn on_read_failed(
        &mut self,
        now: Instant,
        error: &StoreError,
        timing: &Timing,
    ) -> Option<StoreStatus> {
        if self.mode.is_none() || self.outage.is_some() || self.closing.is_some() {
            return None;
        }
        self.begin_outage(now, error.message(), false, timing)
    }

    /// A write that does not answer is given up (B 9.5).
    pub(crate) fn on_timeout(&mut self, now: Instant, timing: &Timing) -> Option<StoreStatus> {
        self.running = None;
        self.on_missed(now, "the store did not answer in time", timing)
    }

    /// The next work, if some may begin now.
    pub(crate) fn next_work(&mut self, now: Instant) -> Option<Work> {
        if self.running.is_some() {
            return None;
        }
        if let Some(outage) = &mut self.outage
            && !outage.is_answered
        {
            outage.next_probe.take_if(|at| *at <= now)?;
            self.running = Some(Running::Probe);
            return Some(Work::Probe);
        }
        let write = self.waiting.take()?;
        self.running = Some(Running::Write { begun: now });
        Some(Work::Write(write))
    }

    /// Closing begins: writes may still end and follow for so long (B 10.2).
    pub(crate) fn close(&mut self, now: Instant, grace: Duration) {
        self.closing = Some(now + grace);
    }

    /// Whether closing has to wait for a write. Until a store that is out has answered, none
    /// follows the one that is under way.
    pub(crate) fn is_busy(&self) -> bool {
        let is_writing = matches!(self.running, Some(Running::Write { .. }));
        let may_follow = self.outage.is_none_or(|outage| outage.is_answered);
        is_writing || (may_follow && self.waiting.is_some())
    }

    /// Closed: nothing begins any more.
    pub(crate) fn stop(&mut self) {
        *self = Self { status: self.status.clone(), ..Self::new(None) };
    }

    pub(crate) fn offer_deadlines(&self, timing: &Timing, earliest: &mut Earliest) {
        earliest.offer(Timer::Grace, self.closing);
        match self.running {
            Some(Running::Write { begun }) => {
                earliest.offer(Timer::StoreWrite, Some(begun + timing.store_write));
            }
            Some(Running::Probe) => {}
            None => {
                let next_probe = self.outage.and_then(|outage| outage.next_probe);
                earliest.offer(Timer::StoreProbe, next_probe.filter(|_| self.closing.is_none()));
            }
        }
    }

    /// The store answers. What was missed meanwhile has to be made up for before it is available,
    /// also when what it answers is a write from before (B 9.6).
    fn on_answer(&mut self, now: Instant) -> Option<StoreStatus> {
        match &mut self.outage {
            Some(outage) if outage.has_missed && !outage.is_answered => {
                *outage = Outage { next_probe: None, has_missed: true, is_answered: true };
                self.waiting = self.everything();
                None
            }
            _ => self.outage.take().map(|_| self.status.available(now)),
        }
    }

    fn on_missed(&mut self, now: Instant, message: &str, timing: &Timing) -> Option<StoreStatus> {
        self.waiting = None;
        self.begin_outage(now, message, true, timing)
    }

    fn begin_outage(
        &mut self,
        now: Instant,
        message: &str,
        has_missed: bool,
        timing: &Timing,
    ) -> Option<StoreStatus> {
        let is_news = self.outage.is_none();
        let has_missed = has_missed
            || self.outage.is_some_and(|outage| outage.has_missed)
            || self.waiting.take().is_some();
        self.outage = Some(Outage {
            next_probe: Some(now + timing.store_probe),
            has_missed,
            is_answered: false,
        });
        if is_news {
            return Some(self.status.unavailable(now, message, has_missed));
        }
        has_missed.then(|| self.status.stale()).flatten()
    }

    fn everything(&self) -> Option<StoreWrite> {
        let newest = Arc::clone(self.newest.as_ref()?);
        Some(StoreWrite::new(newest, Scope::Everything))
    }
}

#[cfg(test)]
mod tests;

//! The store's lane: what is persisted, and what the store's answers change (B 9).

use std::time::Duration;

use super::{DataSystem, Phase};
use crate::config::Source;
use crate::effect::{Command, Effect, EffectId, Lane, Outcome, SourceId, StoreRead};
use crate::persistence::Work;
use crate::snapshot::Commit;
use crate::time::Instant;

impl DataSystem {
    /// Files and salvage are not persisted, and custom sources only if they say so (B 9.4).
    pub(super) fn persist(&mut self, source: SourceId, commit: &Commit) {
        let is_persisted = match self.resolved(source).map(|resolved| &resolved.source) {
            Some(Source::Custom(custom)) => custom.persist,
            Some(Source::Streaming(_) | Source::Polling(_)) | None => true,
        };
        if is_persisted && commit.salvaged.is_none() {
            let status = self.mirror.on_commit(&commit.snapshot, commit.scope.clone());
            self.outbox.store_status(status);
        }
    }

    /// The guard at the door of the store's lane.
    pub(super) fn on_store_outcome(&mut self, now: Instant, id: EffectId, outcome: Outcome) {
        if self.live_store != Some(id) {
            return;
        }
        let timing = *self.config.timing();
        let status = match outcome {
            Outcome::StoreWritten(result) => self.mirror.on_written(now, result, &timing),
            Outcome::StoreProbed(result) => self.mirror.on_probed(now, result, &timing),
            _ => return,
        };
        self.live_store = None;
        self.outbox.store_status(status);
        self.stop_if_idle();
    }

    pub(super) fn on_store_read(&mut self, now: Instant, read: StoreRead) {
        match read {
            StoreRead::Initialized => self.is_store_initialized = true,
            StoreRead::Unreadable(record) => {
                let status = self.mirror.on_unreadable(&record);
                self.outbox.store_status(status);
            }
            StoreRead::Failed(error) => {
                let status = self.mirror.on_read_failed(now, &error, self.config.timing());
                self.outbox.store_status(status);
            }
        }
    }

    /// A write that does not answer is given up (B 9.5).
    pub(super) fn give_up_write(&mut self, now: Instant) {
        self.cancel_store_work();
        let status = self.mirror.on_timeout(now, self.config.timing());
        self.outbox.store_status(status);
        self.stop_if_idle();
    }

    /// Begins the store's next work, if there is some and nothing is under way.
    pub(super) fn begin_store_work(&mut self, now: Instant) {
        let Some(work) = self.mirror.next_work(now) else { return };
        self.generation += 1;
        let id = EffectId { lane: Lane::Store, generation: self.generation };
        let effect = match work {
            Work::Write(write) => Effect::WriteStore(write),
            Work::Probe => Effect::ProbeStore,
        };
        self.live_store = Some(id);
        self.outbox.store_effect(Command::Start { id, effect });
    }

    fn cancel_store_work(&mut self) {
        if let Some(id) = self.live_store.take() {
            self.outbox.store_effect(Command::Cancel { id });
        }
    }

    /// Closes (B 10). The sources end at once; a write to the store may still end, and the one
    /// that waits follow, within `grace`.
    pub(super) fn close(&mut self, now: Instant, grace: Duration) {
        if matches!(self.phase, Phase::Closing | Phase::Stopped) {
            return;
        }
        self.end_sources(now);
        self.phase = Phase::Closing;
        self.mirror.close(now, grace);
        self.stop_if_idle();
    }

    fn stop_if_idle(&mut self) {
        if self.phase == Phase::Closing && !self.mirror.is_busy() {
            self.stop();
        }
    }

    /// Closed for good.
    pub(super) fn stop(&mut self) {
        self.cancel_store_work();
        self.mirror.stop();
        self.phase = Phase::Stopped;
        self.outbox.stopped();
    }
}

//! What a test can see and assert.

use std::sync::Arc;
use std::time::Duration;

use fdv2_core::effect::{SourceId, SourceSwitched};
use fdv2_core::model::Item;
use fdv2_core::status::{
    Availability, ErrorKind, Readiness, SourceError, SourceState, SourceStatus,
};
use fdv2_core::{DataSystem, EffectId, Event, Instant, Lane, Snapshot, Update};
use serde::Deserialize;
use serde_json::Value;

use super::{Asked, Core, Sim, Store, wire};

impl<C: Core> Sim<C> {
    /// The time.
    pub fn now(&self) -> Instant {
        self.now
    }

    /// The system itself.
    pub fn system(&self) -> &DataSystem {
        self.core.system()
    }

    /// Everything that went in, and when: told again, it leads to the same.
    pub fn heard(&self) -> &[(Instant, Event)] {
        &self.heard
    }

    /// How many steps it took so far.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The time since the start.
    pub fn elapsed(&self) -> Duration {
        self.now.since_epoch()
    }

    /// The attempt that is live.
    pub fn live(&self) -> Option<EffectId> {
        self.world.live.of(Lane::Source)
    }

    /// An effect that is over, if there is one.
    pub fn dead(&self) -> Option<EffectId> {
        self.dead
    }

    /// The next request that no test has looked at, which must go to this host.
    #[track_caller]
    pub fn expect(&mut self, host: &str) -> Asked {
        let Some(asked) = self.asked.get(self.seen_asked).cloned() else {
            panic!("{host} was asked nothing\n{self:?}");
        };
        assert_eq!(asked.host, host, "another host was asked\n{self:?}");
        self.seen_asked += 1;
        asked
    }

    /// Nobody was asked anything that no test has looked at.
    #[track_caller]
    pub fn expect_quiet(&self) -> &Self {
        assert!(self.asked.len() == self.seen_asked, "somebody was asked\n{self:?}");
        self
    }

    /// Looks at all requests at once.
    pub fn overlook(&mut self) -> &mut Self {
        self.seen_asked = self.asked.len();
        self
    }

    /// Every request so far.
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }

    /// Every request to this host so far.
    pub fn asked_of(&self, host: &str) -> Vec<&Asked> {
        self.asked.iter().filter(|asked| asked.host == host).collect()
    }

    /// The times between the requests to this host.
    pub fn gaps_of(&self, host: &str) -> Vec<Duration> {
        let asked = self.asked_of(host);
        let pairs = asked.iter().zip(asked.iter().skip(1));
        pairs.map(|(first, second)| second.at.saturating_since(first.at)).collect()
    }

    /// Everything told so far.
    pub fn updates(&self) -> impl Iterator<Item = &Update> {
        self.updates.iter().map(|(_, update)| update)
    }

    /// The state of the data source.
    pub fn state(&self) -> SourceState {
        self.world.state()
    }

    /// The newest status.
    #[track_caller]
    pub fn status(&self) -> &SourceStatus {
        self.world.status.as_ref().unwrap_or_else(|| panic!("no status was told\n{self:?}"))
    }

    /// Whether no status can follow: closed, or every source removed.
    pub fn is_over(&self) -> bool {
        self.world.status.as_ref().is_some_and(|status| status.is_last)
    }

    /// Whether it was told to close.
    pub fn is_closing(&self) -> bool {
        self.world.is_closing
    }

    /// The states in the order in which they were entered.
    pub fn states(&self) -> Vec<SourceState> {
        let mut states = vec![SourceState::Initializing];
        states.extend(self.updates().filter_map(|update| match update {
            Update::SourceStatus(status) => Some(status.state),
            _ => None,
        }));
        states.dedup();
        states
    }

    /// The newest error.
    pub fn last_error(&self) -> Option<&SourceError> {
        self.world.status.as_ref()?.last_error.as_ref()
    }

    /// The kind of the newest error.
    pub fn error_kind(&self) -> Option<ErrorKind> {
        self.last_error().map(|error| error.kind)
    }

    /// The answer to waiters.
    pub fn readiness(&self) -> &Readiness {
        &self.world.readiness
    }

    /// Whether waiters were told that the data is there.
    pub fn is_ready(&self) -> bool {
        self.world.readiness == Readiness::Ready
    }

    /// The source that runs, by what was told.
    pub fn running(&self) -> Option<SourceId> {
        self.world.running
    }

    /// Whether a source was removed for good.
    pub fn is_removed(&self, source: SourceId) -> bool {
        self.world.removed.contains(&source)
    }

    /// Every change of source so far.
    pub fn switches(&self) -> Vec<&SourceSwitched> {
        self.updates()
            .filter_map(|update| match update {
                Update::SourceSwitched(switched) => Some(switched),
                _ => None,
            })
            .collect()
    }

    /// The environment's id.
    pub fn environment_id(&self) -> Option<&str> {
        self.world.environment_id.as_deref()
    }

    /// The state of the selector of the data.
    pub fn selector(&self) -> Option<&str> {
        self.world.selector()
    }

    /// How good the data is.
    pub fn availability(&self) -> Availability {
        let snapshot = self.world.snapshot.as_ref();
        snapshot.map_or(Availability::Defaults, |snapshot| snapshot.availability())
    }

    /// How many snapshots were published.
    pub fn snapshots(&self) -> usize {
        self.updates().filter(|update| matches!(update, Update::Snapshot(_))).count()
    }

    /// When the newest snapshot was published.
    #[track_caller]
    pub fn snapshot_at(&self) -> Instant {
        let mut told = self.updates.iter().rev();
        let newest = told.find(|(_, update)| matches!(update, Update::Snapshot(_)));
        newest.unwrap_or_else(|| panic!("nothing was published\n{self:?}")).0
    }

    /// The store.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Whether the store is said to be available.
    pub fn is_store_available(&self) -> bool {
        self.world.store_status.as_ref().is_none_or(|status| status.is_available)
    }

    /// Whether writes are said to be missing in the store.
    pub fn is_store_stale(&self) -> bool {
        self.world.store_status.as_ref().is_some_and(|status| status.is_stale)
    }

    /// Whether nothing of the store is under way, and it is said to be available.
    pub fn is_store_quiet(&self) -> bool {
        self.is_store_available() && self.world.live.of(Lane::Store).is_none()
    }

    /// Whether `Stopped` was told.
    pub fn is_stopped(&self) -> bool {
        self.world.is_stopped
    }

    /// The text of a flag, as it is held.
    pub fn flag_text(&self, key: &str) -> Option<String> {
        let snapshot = self.world.snapshot.as_ref()?;
        snapshot.flag(key).map(|item| item.text().to_string())
    }

    /// The version of a flag, as it is reported.
    pub fn flag_version(&self, key: &str) -> Option<u64> {
        self.world.snapshot.as_ref()?.flag(key).map(|item| item.version())
    }

    /// Whether a flag is on, if there is one.
    pub fn is_on(&self, key: &str) -> Option<bool> {
        Some(is_text_on(self.world.snapshot.as_ref()?.flag(key)?.text()))
    }

    /// The keys of all flags, with whether each is on.
    pub fn flags(&self) -> Vec<(String, bool)> {
        self.world.snapshot.as_deref().map(flags_of).unwrap_or_default()
    }

    /// All segments and flags, as they were put.
    pub fn items(&self) -> Vec<wire::Item> {
        self.world.snapshot.as_deref().map(items_of).unwrap_or_default()
    }

    /// The newest data, if there is any.
    pub fn snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.world.snapshot.as_ref()
    }

    /// Whether a segment is held.
    pub fn has_segment(&self, key: &str) -> bool {
        self.world.snapshot.as_ref().is_some_and(|snapshot| snapshot.segment(key).is_some())
    }

    /// The flags announced since the last call, one list for each change set.
    pub fn announced(&mut self) -> Vec<Vec<String>> {
        let seen = std::mem::replace(&mut self.seen_updates, self.updates.len());
        let announced = self.updates.iter().skip(seen).filter_map(|(_, update)| match update {
            Update::FlagsChanged(changed) => {
                Some(changed.keys().iter().map(|key| key.to_string()).collect())
            }
            _ => None,
        });
        announced.filter(|keys: &Vec<String>| !keys.is_empty()).collect()
    }
}

/// All segments and flags, as they were put.
pub fn items_of(snapshot: &Snapshot) -> Vec<wire::Item> {
    fn item<T>(kind: &'static str, item: &Item<T>) -> wire::Item {
        let (key, object) = (item.key().to_string(), item.text().to_string());
        wire::Item { kind, key, version: item.version(), object }
    }
    let segments = snapshot.segments().map(|segment| item("segment", segment));
    segments.chain(snapshot.flags().map(|flag| item("flag", flag))).collect()
}

fn flags_of(snapshot: &Snapshot) -> Vec<(String, bool)> {
    snapshot.flags().map(|flag| (flag.key().to_string(), is_text_on(flag.text()))).collect()
}

fn is_text_on(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Flag {
        #[serde(default)]
        on: Value,
    }
    let flag: Flag = serde_json::from_str(text).expect("the text of a flag is JSON");
    flag.on == Value::Bool(true)
}

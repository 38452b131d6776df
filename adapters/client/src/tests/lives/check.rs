//! What holds whenever nothing can run: everybody waits for good reason.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use fdv2_core::model::{Flag, Item, Kind};
use fdv2_core::status::{Readiness, SourceState};

use super::life::{Life, Listening};
use super::line::Head;
use super::served::State;
use crate::store::{Answer, Query};
use crate::tests::lives::act::Act;
use crate::{FlagChange, Runtime, WaitError};

/// No pause between requests is longer: the longest back-off, poll interval and pause of a round
/// are 30 s each.
const LONGEST_PAUSE: Duration = Duration::from_secs(61);

/// A stream that is open and silent is given up after 300 s (B 8.4), others take their turn then.
const LONGEST_RECOVERY: Duration = Duration::from_secs(600);

/// From the start of an attempt to its head (B 8.6).
const HEAD: Duration = Duration::from_secs(10);

impl Life {
    /// Everything that can be seen while nothing runs.
    pub(super) fn check(&self) {
        assert_eq!(self.line.faults(), Vec::<String>::new());
        self.the_driver_waits_for_good_reason();
        self.the_data_is_what_was_read();
        self.statuses_are_told_and_legal();
        self.waits_wait_for_good_reason();
        self.listeners_know_all();
    }

    fn is_ended(&self) -> bool {
        self.shared.facts().is_ended()
    }

    /// Lost wake-ups: of the transport, of the clock, of an order.
    fn the_driver_waits_for_good_reason(&self) {
        let is_over = self.sim.tasks() == 0;
        assert_eq!(is_over, self.is_ended(), "the driver's task, and the client's end");
        assert!(!self.is_runtime_gone || is_over);
        if is_over {
            assert_eq!(self.sim.next_sleep(), None, "a sleep is left behind");
            assert!(self.line.idle_since().is_some(), "a request is left behind");
            return;
        }
        assert!(!self.line.is_unread(), "the driver was not woken for what has come");
        let is_store_fine = !self.is_store_hanging && !self.is_store_failing;
        assert!(!(self.is_closed() && is_store_fine), "a client that is closed goes on");
        if self.is_closed() || self.shared.facts().status().is_last {
            return;
        }
        let now = self.sim.now();
        let next = self.sim.next_sleep();
        assert!(next.is_some_and(|at| at > now), "no sleep is armed: {next:?} at {now:?}");
        for (since, limit) in
            [(self.line.idle_since(), LONGEST_PAUSE), (self.line.headless_since(), HEAD)]
        {
            assert!(
                since.is_none_or(|since| now < since.max(self.jumped) + limit),
                "nothing happens since {since:?}, and it is {now:?}"
            );
        }
    }

    fn the_data_is_what_was_read(&self) {
        let read = self.line.applied().map(|number| self.served.state(number).clone());
        assert_eq!(self.seen(), read.clone().unwrap_or_default());
        let is_ready = *self.shared.facts().readiness() == Readiness::Ready;
        assert_eq!(is_ready, read.is_some());
    }

    fn statuses_are_told_and_legal(&self) {
        let status = self.shared.facts().status().clone();
        if self.line.is_streaming() && !self.is_ended() {
            assert_eq!(status.state, SourceState::Valid);
        }
        if self.is_ended() {
            assert!(status.state == SourceState::Off && status.is_last, "{status:?}");
        }
        let told = self.statuses.items();
        assert_eq!(told.last(), Some(&status), "the last status was not told");
        assert_eq!(self.statuses.is_ended(), status.is_last);
        for pair in told.windows(2) {
            let [before, after] = pair else { continue };
            assert!(!before.is_last, "{after:?} follows the last status");
            let is_left = before.state != SourceState::Initializing;
            assert!(!is_left || after.state != SourceState::Initializing, "entered again");
            assert!(before.since <= after.since);
            assert!(before.state != SourceState::Off, "only a directive's end brings it back");
        }
    }

    fn waits_wait_for_good_reason(&self) {
        let readiness = self.shared.facts().readiness().clone();
        for wait in &self.waits {
            let result = wait.result.lock().unwrap().clone();
            assert_eq!(self.app.has(wait.task), result.is_none());
            match result {
                None => {
                    assert!(wait.is_patient);
                    assert_eq!(readiness, Readiness::Pending, "a wait was not told");
                    assert!(!self.is_ended(), "a wait was not told of the end");
                }
                Some(Ok(())) => assert_eq!(readiness, Readiness::Ready),
                Some(Err(WaitError::TimedOut(_))) => assert!(!wait.is_patient),
                Some(Err(WaitError::Failed(_))) => {
                    assert!(matches!(readiness, Readiness::Failed(_)));
                }
                Some(Err(WaitError::Closed(_))) => assert!(self.is_ended()),
            }
        }
        for close in &self.closing {
            assert!(!self.app.has(*close) || !self.is_ended(), "a close was not told of the end");
        }
        for asking in self.asking.iter().filter(|_| !self.is_store_hanging) {
            assert!(!self.app.has(*asking), "an evaluation through the store never ended");
        }
    }

    fn listeners_know_all(&self) {
        let seen = self.seen();
        for listening in &self.listeners {
            let Listening { before, heard, .. } = listening;
            assert_eq!(heard.is_ended(), self.is_ended());
            let heard = heard.items();
            let has_lagged = heard.iter().any(|change| matches!(change, FlagChange::Lagged(_)));
            let told: BTreeSet<_> = heard
                .iter()
                .filter_map(|change| match change {
                    FlagChange::Changed(key) => Some(key.to_string()),
                    FlagChange::Lagged(_) => None,
                })
                .collect();
            let missing: Vec<_> = changed(before, &seen).difference(&told).cloned().collect();
            assert!(has_lagged || missing.is_empty(), "nobody was told of {missing:?}");
        }
    }

    /// The faults end: everything has to become good, and then to end without a trace.
    pub(super) fn finish(mut self) {
        self.act(&Act::StoreWorks);
        let begun = self.sim.now();
        while !self.is_as_good_as_can_be() {
            assert!(self.sim.now() < begun + LONGEST_RECOVERY, "it never recovers");
            self.act(&Act::Answer(Head::Fine));
            self.act(&Act::WriteAll { has_pauses: true });
            self.pass(Duration::from_secs(3));
        }
        while !self.handles.is_empty() {
            self.act(&Act::Drop);
        }
        self.rest();
        assert!(self.is_ended() && self.sim.tasks() == 0);
        assert_eq!(self.app.tasks(), 0, "somebody still waits");
        let Self { store, shared, .. } = self;
        drop(store);
        assert_eq!(Arc::strong_count(&shared), 1, "somebody still holds the client");
    }

    /// The newest data is there, in the store, too, unless nobody can be asked any more.
    fn is_as_good_as_can_be(&self) -> bool {
        let is_over = self.is_ended() || self.shared.facts().status().is_last;
        if is_over || self.is_closed() {
            return true;
        }
        let seen = self.seen();
        let is_newest = seen == *self.served.state(self.served.newest());
        is_newest && self.stored().is_none_or(|stored| stored == seen)
    }

    fn stored(&self) -> Option<State> {
        let (store, _) = self.store.as_ref()?;
        let held = futures::executor::block_on(store.read(Query::All(Kind::Flag)));
        let Ok(Answer::Flags(loaded)) = held else { panic!("{held:?}") };
        let item = |(key, item): (&Arc<str>, &Arc<Item<Flag>>)| (key.to_string(), item.version());
        Some(loaded.items.iter().map(item).collect())
    }
}

/// The keys of flags that are not the same in both.
fn changed(before: &State, after: &State) -> BTreeSet<String> {
    let keys: BTreeSet<_> = before.keys().chain(after.keys()).cloned().collect();
    keys.into_iter().filter(|key| before.get(key) != after.get(key)).collect()
}

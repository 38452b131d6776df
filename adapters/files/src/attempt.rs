//! One attempt of a client to have its flags from files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use fdv2_client::core::SourceUpdate;
use fdv2_client::core::effect::CustomError;
use fdv2_client::core::protocol::InvalidData;
use fdv2_client::core::snapshot::{ChangeSet, ChangeSetBuilder};
use futures::channel::mpsc::Sender;

use crate::item::{FileItem, ItemId};
use crate::{DuplicateKeys, Load, State, Watcher};

/// Files that stay bad are told of again so often: before the client takes the silence for a
/// network failure, after 120 s (B 3.5), and its status would say that.
const TELL_AGAIN: Duration = Duration::from_secs(60);

/// How long to wait at most for a look that decides: an initializer has 10 s in all (B 3.1).
const SECOND_LOOK: Duration = Duration::from_secs(1);

/// What is known of files, from one attempt to the next.
#[derive(Debug)]
pub(crate) struct Known {
    watcher: Watcher,
    /// Each item, and the number of the load that brought it as it is.
    brought: BTreeMap<ItemId, (Arc<str>, u64)>,
    /// The last attempt ended with telling of this fault.
    told: Option<String>,
}

impl Known {
    pub(crate) fn new(paths: Vec<PathBuf>, duplicates: DuplicateKeys) -> Self {
        let watcher = Watcher::new(paths, duplicates);
        Self { watcher, brought: BTreeMap::new(), told: None }
    }

    /// What there is to tell of a state that is new.
    fn tell(&mut self, state: &State) -> Result<ChangeSet, String> {
        match state {
            State::Good(load) => self.change_set(load).map_err(|error| error.to_string()),
            State::Broken(error) => Err(error.to_string()),
        }
    }

    fn change_set(&mut self, load: &Load) -> Result<ChangeSet, InvalidData> {
        let mut all = ChangeSetBuilder::full();
        let mut brought = BTreeMap::new();
        for FileItem { id, version, source, .. } in &load.items {
            let number = match self.brought.get(id) {
                Some((known, number)) if known == source => *number,
                _ => load.number,
            };
            all.put(id.kind, &id.key, version.unwrap_or(number), source)?;
            brought.insert(id.clone(), (Arc::clone(source), number));
        }
        self.brought = brought;
        Ok(all.finish(None))
    }
}

/// An attempt, on its own thread.
pub(crate) struct Attempt {
    known: Known,
    interval: Duration,
    updates: Sender<SourceUpdate>,
    /// What waits until there is room for it.
    update: Option<SourceUpdate>,
}

impl Attempt {
    pub(crate) fn new(known: Known, interval: Duration, updates: Sender<SourceUpdate>) -> Self {
        Self { known, interval, updates, update: None }
    }

    /// Looks at the files until they cannot be used, or until the other end of `stop` is gone.
    pub(crate) fn run(mut self, stop: &Receiver<()>) -> Known {
        // Gone if this attempt is given up: the next one tells of it then.
        let mut told = self.known.told.take();
        let begun = Instant::now();
        let mut is_told = false;
        loop {
            let is_news = self.known.watcher.look().is_some() || !is_told;
            if let Some(state) = self.known.watcher.state().cloned().filter(|_| is_news) {
                match self.known.tell(&state) {
                    Ok(change_set) => {
                        self.update = Some(change_set.into());
                        self.known.told = None;
                        told = None;
                        is_told = true;
                    }
                    Err(fault) if told.as_ref() == Some(&fault) && begun.elapsed() < TELL_AGAIN => {
                    }
                    Err(fault) => {
                        self.update =
                            Some(SourceUpdate::Failed(CustomError::invalid_data(fault.as_str())));
                        self.known.told = Some(fault);
                    }
                }
            }
            self.send();
            if self.known.told.is_some() && self.update.is_none() {
                return self.known;
            }
            if stop.recv_timeout(self.pause(is_told)) != Err(RecvTimeoutError::Timeout) {
                self.known.told = None;
                return self.known;
            }
        }
    }

    /// How long to wait until the next look.
    fn pause(&self, is_told: bool) -> Duration {
        self.interval.min(match (self.known.watcher.is_unsure(), is_told) {
            (true, _) => SECOND_LOOK,
            (false, false) => TELL_AGAIN,
            (false, true) => self.interval,
        })
    }

    /// Hands over what waits, if there is room. A newer state takes the place of an older one.
    fn send(&mut self) {
        let Some(update) = self.update.take() else { return };
        if let Err(refused) = self.updates.try_send(update)
            && refused.is_full()
        {
            self.update = Some(refused.into_inner());
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::channel::mpsc;

    use super::*;

    /// B 3.5: before the client takes the silence for a failure of its own.
    #[test]
    fn however_seldom_files_are_looked_at_a_fault_is_told_again_in_time() {
        let known = Known::new(Vec::new(), DuplicateKeys::Fail);
        let (updates, _told) = mpsc::channel(1);
        let attempt = Attempt::new(known, Duration::from_secs(3600), updates);
        assert_eq!(attempt.pause(false), TELL_AGAIN);
        assert_eq!(attempt.pause(true), Duration::from_secs(3600));
    }
}

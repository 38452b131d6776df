//! A thread that looks at the file and publishes what it says.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use fdv2_files::{DuplicateKeys, FileError, Load, State, Watcher};
use tokio::sync::watch;

use crate::content::Content;
use crate::notice::{Board, Notice};

/// Publishes each edit of one file.
pub(crate) struct Feed {
    watcher: Watcher,
    current: watch::Sender<Arc<Content>>,
    board: Board,
}

impl Feed {
    /// Reads the file for the first time, and once more after `interval` if it is not sure what
    /// that found. Blocks.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be used.
    pub(crate) fn start(
        path: PathBuf,
        interval: Duration,
        run: &str,
        board: Board,
    ) -> Result<Self, FileError> {
        let mut watcher = Watcher::new([path], DuplicateKeys::Fail);
        let state = loop {
            match watcher.look() {
                Some(state) => break state.clone(),
                None => thread::sleep(interval),
            }
        };
        match state {
            State::Good(load) => {
                let (current, _) = watch::channel(Arc::new(Content::first(run, &load.items)));
                Ok(Self { watcher, current, board })
            }
            State::Broken(error) => Err(error),
        }
    }

    /// What is served, now and from now on.
    pub(crate) fn subscribe(&self) -> watch::Receiver<Arc<Content>> {
        self.current.subscribe()
    }

    /// Looks at the file at this interval until the other end of `stop` is gone. Blocks.
    pub(crate) fn run(mut self, interval: Duration, stop: &Receiver<()>) {
        while stop.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
            self.step();
        }
    }

    fn step(&mut self) {
        let was_broken = matches!(self.watcher.state(), Some(State::Broken(_)));
        let notice = match self.watcher.look().cloned() {
            Some(State::Good(load)) => {
                self.publish(&load).or_else(|| was_broken.then_some(Notice::Mended))
            }
            Some(State::Broken(error)) => Some(Notice::Broken(error)),
            None => None,
        };
        if let Some(notice) = notice {
            self.board.post(notice);
        }
    }

    /// Serves what the file says, if that is anything new.
    fn publish(&self, load: &Load) -> Option<Notice> {
        let current = self.current.borrow().clone();
        let next = current.next(&load.items)?;
        let changed = next.changed_since(current.number());
        let keys = changed.map(|entry| entry.id.key.clone()).collect();
        self.current.send_replace(Arc::new(next));
        Some(Notice::Edited { keys })
    }
}

#[cfg(test)]
mod tests;

//! A thread that looks at the file and publishes what it says.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use tokio::sync::watch;

use super::error::Fault;
use super::read::{Look, Reader};
use super::{FileError, FileItem};
use crate::content::Content;
use crate::notice::{Board, Notice};

/// Publishes each edit of one file.
pub(crate) struct Watcher {
    reader: Reader,
    /// A fault of the last look, with whether it was told of. One that is gone at the next look
    /// was a write half done, and nobody's business.
    fault: Option<(Fault, bool)>,
    current: watch::Sender<Arc<Content>>,
    board: Board,
}

impl Watcher {
    /// Reads the file for the first time. Blocks.
    ///
    /// # Errors
    /// [`FileError`] when it cannot be used.
    pub(crate) fn start(path: PathBuf, run: &str, board: Board) -> Result<Self, FileError> {
        let mut reader = Reader::new(path);
        match reader.look() {
            Look::Items(items) => {
                let (current, _) = watch::channel(Arc::new(Content::first(run, items)));
                Ok(Self { reader, fault: None, current, board })
            }
            Look::Faulty(fault) => Err(fault.in_file(reader.path())),
            Look::Same => Err(Fault::of_file("the file cannot be read").in_file(reader.path())),
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
        match self.reader.look() {
            Look::Same => {}
            Look::Items(items) => self.publish(items),
            Look::Faulty(fault) => self.note(fault),
        }
    }

    fn publish(&mut self, items: Vec<FileItem>) {
        let was_told = self.fault.take().is_some_and(|(_, was_told)| was_told);
        let current = self.current.borrow().clone();
        match current.next(items) {
            Some(next) => {
                let changed = next.changed_since(current.number());
                let keys = changed.map(|entry| entry.id.key.clone()).collect();
                self.current.send_replace(Arc::new(next));
                self.board.post(Notice::Edited { keys });
            }
            None if was_told => self.board.post(Notice::Mended),
            None => {}
        }
    }

    fn note(&mut self, fault: Fault) {
        match &mut self.fault {
            Some((known, was_told)) if *known == fault => {
                if !*was_told {
                    *was_told = true;
                    self.board.post(Notice::Broken(fault.in_file(self.reader.path())));
                }
            }
            _ => self.fault = Some((fault, false)),
        }
    }
}

#[cfg(test)]
mod tests;

//! What a server tells of its work.

use std::sync::Arc;

use fdv2_files::FileError;
use tokio::sync::broadcast;

/// How many notices wait for a slow reader; older ones are lost first.
const QUEUE: usize = 256;

/// Something that happened at a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Notice {
    /// The file was edited, and every connected client is sent the changes.
    Edited {
        /// The keys of the flags and segments that were added, changed or removed, flags first.
        keys: Vec<Arc<str>>,
    },
    /// The file cannot be used. The last good data stays.
    Broken(FileError),
    /// The file can be used again, and says what is served already.
    Mended,
    /// A client opened a stream.
    StreamOpened {
        /// How many are open now.
        open: usize,
    },
    /// A stream ended.
    StreamClosed {
        /// How many are open now.
        open: usize,
    },
}

/// The notices of one server since the subscription, in order.
///
/// The queue is bounded: a reader that does not keep up loses the oldest.
#[derive(Debug)]
pub struct Notices(broadcast::Receiver<Notice>);

impl Notices {
    /// Waits for the next notice; `None` once the server has stopped.
    pub async fn next(&mut self) -> Option<Notice> {
        loop {
            match self.0.recv().await {
                Ok(notice) => return Some(notice),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }

    /// The next notice if there is one already.
    pub fn try_next(&mut self) -> Option<Notice> {
        loop {
            match self.0.try_recv() {
                Ok(notice) => return Some(notice),
                Err(broadcast::error::TryRecvError::Lagged(_)) => {}
                Err(_) => return None,
            }
        }
    }
}

/// The sending side. Never waits.
#[derive(Clone, Debug)]
pub(crate) struct Board(broadcast::Sender<Notice>);

impl Board {
    pub(crate) fn new() -> Self {
        Self(broadcast::Sender::new(QUEUE))
    }

    pub(crate) fn post(&self, notice: Notice) {
        // Without a subscriber nobody wants to know.
        let _ = self.0.send(notice);
    }

    pub(crate) fn subscribe(&self) -> Notices {
        Notices(self.0.subscribe())
    }
}

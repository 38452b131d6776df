//! What a server has seen.

use std::sync::Mutex;
use std::time::Instant;

use super::Received;

/// Every request, and how many connections there are and were.
pub struct Log(Mutex<Entries>);

#[derive(Default)]
struct Entries {
    requests: Vec<Received>,
    opened: usize,
    closed: Vec<Instant>,
    most_open: usize,
}

impl Log {
    pub(super) fn new() -> Self {
        Self(Mutex::default())
    }

    /// The requests, in the order in which their heads were complete.
    pub fn requests(&self) -> Vec<Received> {
        self.read(|entries| entries.requests.clone())
    }

    /// How many connections were ever accepted.
    pub fn opened(&self) -> usize {
        self.read(|entries| entries.opened)
    }

    /// How many connections are open.
    pub fn open(&self) -> usize {
        self.read(|entries| entries.opened - entries.closed.len())
    }

    /// How many connections were ever open at once.
    pub fn most_open(&self) -> usize {
        self.read(|entries| entries.most_open)
    }

    pub(super) fn request(&self, request: Received) {
        self.write(|entries| entries.requests.push(request));
    }

    pub(super) fn connected(&self) {
        self.write(|entries| {
            entries.opened += 1;
            entries.most_open = entries.most_open.max(entries.opened - entries.closed.len());
        });
    }

    pub(super) fn disconnected(&self) {
        self.write(|entries| entries.closed.push(Instant::now()));
    }

    fn read<T>(&self, read: impl FnOnce(&Entries) -> T) -> T {
        read(&self.0.lock().expect("the log"))
    }

    fn write(&self, write: impl FnOnce(&mut Entries)) {
        write(&mut self.0.lock().expect("the log"));
    }
}

//! Writing on an open connection as a test goes.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::script::framed;

/// What a test writes on a connection that is open, whenever it wants to. Clones are the same.
#[derive(Clone, Debug, Default)]
pub struct Live(Arc<State>);

#[derive(Debug, Default)]
struct State {
    parts: Mutex<VecDeque<Part>>,
    is_over: AtomicBool,
}

#[derive(Debug)]
pub(super) enum Part {
    Bytes(Vec<u8>),
    End,
}

impl Live {
    /// With nothing written yet. What is written before there is a connection waits for it.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes bytes.
    pub fn write(&self, bytes: impl AsRef<[u8]>) {
        self.push(Part::Bytes(bytes.as_ref().to_vec()));
    }

    /// Writes text as one chunk.
    pub fn chunk(&self, text: &str) {
        self.write(framed(text.as_bytes(), text.len().max(1)));
    }

    /// Ends a body in chunks as it should end, and closes the connection.
    pub fn end(&self) {
        self.write("0\r\n\r\n");
        self.close();
    }

    /// Closes the connection after what was written.
    pub fn close(&self) {
        self.push(Part::End);
    }

    /// Whether the connection has ended, by whomever.
    pub fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::SeqCst)
    }

    pub(super) fn set_over(&self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }

    pub(super) fn next(&self) -> Option<Part> {
        self.0.parts.lock().expect("what was written").pop_front()
    }

    fn push(&self, part: Part) {
        self.0.parts.lock().expect("what was written").push_back(part);
    }
}

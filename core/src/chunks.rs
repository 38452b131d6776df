//! Bytes as they arrive: a queue of chunks read in order, and texts that lie across them.

use std::collections::VecDeque;
use std::mem;
use std::ops::Range;

use bytes::Bytes;

/// What a buffer may keep of its capacity from one text to the next.
pub(crate) const KEPT_CAPACITY: usize = 64 << 10;

/// Chunks in the order of their arrival, and how far they have been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Chunks {
    queue: VecDeque<Bytes>,
    current: Bytes,
    at: usize,
    /// Bytes of the chunks that are gone.
    gone: u64,
}

impl Chunks {
    pub(crate) fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.queue.push_back(bytes);
        }
    }

    /// The current chunk, as [`Text`]s need it.
    pub(crate) fn current(&self) -> &[u8] {
        &self.current
    }

    /// Where the current chunk is read on.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// How many bytes have been read since the start.
    pub(crate) fn offset(&self) -> u64 {
        self.gone + self.at as u64
    }

    /// What is left of the current chunk.
    pub(crate) fn rest(&self) -> &[u8] {
        self.current.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.at >= self.current.len()
    }

    pub(crate) fn skip(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Goes on at this place of the current chunk.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// Lets the current chunk go and begins the next; false if there is none.
    pub(crate) fn next_chunk(&mut self) -> bool {
        let next = self.queue.pop_front();
        let is_there = next.is_some();
        self.gone += self.current.len() as u64;
        self.current = next.unwrap_or_default();
        self.at = 0;
        is_there
    }
}

/// A text that is copied only if it lies in more than one piece: what had to be copied, then a span
/// of the current chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Text {
    copied: Vec<u8>,
    span: Range<usize>,
}

impl Text {
    /// Adds `len` bytes of the current chunk that begin at `at`: right after what it has of that
    /// chunk already, if anything.
    pub(crate) fn extend(&mut self, at: usize, len: usize) {
        let start = if self.span.is_empty() { at } else { self.span.start };
        self.span = start..at + len;
    }

    /// Copies what lies in `chunk`, which is about to go away.
    pub(crate) fn copy_span(&mut self, chunk: &[u8]) {
        let span = mem::take(&mut self.span);
        self.copied.extend_from_slice(chunk.get(span).unwrap_or_default());
    }

    /// Adds a byte that does not follow in `chunk`.
    pub(crate) fn push(&mut self, chunk: &[u8], byte: u8) {
        self.copy_span(chunk);
        self.copied.push(byte);
    }

    /// Brings the text together in one place.
    pub(crate) fn complete(&mut self, chunk: &[u8]) {
        if !self.copied.is_empty() {
            self.copy_span(chunk);
        }
    }

    /// The text, once it is complete.
    pub(crate) fn bytes<'a>(&'a self, chunk: &'a [u8]) -> &'a [u8] {
        if self.copied.is_empty() {
            chunk.get(self.span.clone()).unwrap_or_default()
        } else {
            &self.copied
        }
    }

    pub(crate) fn clear(&mut self) {
        self.span = 0..0;
        self.copied.clear();
        self.copied.shrink_to(KEPT_CAPACITY);
    }
}

//! The data of an event, copied only where it must be.

use std::mem;
use std::ops::Range;

use super::KEPT_CAPACITY;

/// The data of the event being received: what had to be copied, then a span of the current chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Data {
    copied: Vec<u8>,
    span: Range<usize>,
    has_line: bool,
}

impl Data {
    /// Whether the event has a `data` line at all; its text may be empty.
    pub(super) fn has_line(&self) -> bool {
        self.has_line
    }

    /// Begins a line, joined to an earlier one by LF.
    pub(super) fn begin_line(&mut self, chunk: &[u8]) {
        if self.has_line {
            self.copy_span(chunk);
            self.copied.push(b'\n');
        }
        self.has_line = true;
    }

    /// Adds what the current chunk has of the current line: all of it, in one span.
    pub(super) fn set_span(&mut self, span: Range<usize>) {
        self.span = span;
    }

    /// Keeps what lies in `chunk`, which is about to go away.
    pub(super) fn copy_span(&mut self, chunk: &[u8]) {
        let span = mem::take(&mut self.span);
        self.copied.extend_from_slice(chunk.get(span).unwrap_or_default());
    }

    /// Brings the text together in one place.
    pub(super) fn complete(&mut self, chunk: &[u8]) {
        if !self.copied.is_empty() {
            self.copy_span(chunk);
        }
    }

    /// The text, once it is complete.
    pub(super) fn text<'a>(&'a self, chunk: &'a [u8]) -> &'a [u8] {
        if self.copied.is_empty() {
            chunk.get(self.span.clone()).unwrap_or_default()
        } else {
            &self.copied
        }
    }

    pub(super) fn clear(&mut self) {
        let mut copied = mem::take(&mut self.copied);
        copied.clear();
        copied.shrink_to(KEPT_CAPACITY);
        *self = Self { copied, ..Self::default() };
    }
}

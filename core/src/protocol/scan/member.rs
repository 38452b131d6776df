//! The member that is being cut out, or was with the last call.

use std::ops::Range;

use crate::chunks::{KEPT_CAPACITY, Text};

/// How many fields of a member can be looked for.
pub(super) const FIELDS: usize = 2;

/// A member: its key, its text, and where in it the fields lie.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Member {
    /// As it stands, without quotes. Empty in a list.
    pub(super) key: Vec<u8>,
    pub(super) text: Text,
    pub(super) fields: [Range<usize>; FIELDS],
    pub(super) progress: Progress,
    /// Bytes of the text in chunks that are gone.
    before: usize,
    /// Where the text begins in the current chunk.
    from: usize,
}

/// How far a member has come.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum Progress {
    /// There is none, or no more than its key.
    #[default]
    Awaited,
    /// Its value is being read.
    Open,
    /// Its value has ended, and its text is not together yet.
    Ended,
    Complete,
}

impl Member {
    /// Its value begins at this place of the current chunk.
    pub(super) fn begin(&mut self, at: usize) {
        self.progress = Progress::Open;
        self.from = at;
    }

    pub(super) fn is_open(&self) -> bool {
        self.progress == Progress::Open
    }

    /// The place `at` of the current chunk, counted from the beginning of the text.
    pub(super) fn position(&self, at: usize) -> usize {
        self.before.saturating_add(at.saturating_sub(self.from))
    }

    /// Bytes of key and text, if the text reaches to `at`.
    pub(super) fn size(&self, at: usize) -> usize {
        let is_begun = matches!(self.progress, Progress::Open | Progress::Ended);
        let text = if is_begun { self.position(at) } else { 0 };
        self.key.len().saturating_add(text)
    }

    /// Its value has ended at this place of the current chunk.
    pub(super) fn complete(&mut self, chunk: &[u8], at: usize) {
        self.text.extend(self.from, at.saturating_sub(self.from));
        self.text.complete(chunk);
        self.progress = Progress::Complete;
    }

    /// One of its fields lies there in the text.
    pub(super) fn set_field(&mut self, field: usize, range: Range<usize>) {
        if let Some(place) = self.fields.get_mut(field) {
            *place = range;
        }
    }

    /// Keeps what `chunk` has of the text. The chunk has been read whole and goes away.
    pub(super) fn end_chunk(&mut self, chunk: &[u8]) {
        if self.is_open() {
            self.before = self.position(chunk.len());
            self.text.extend(self.from, chunk.len().saturating_sub(self.from));
            self.text.copy_span(chunk);
            self.from = 0;
        }
    }

    pub(super) fn clear(&mut self) {
        self.key.clear();
        self.key.shrink_to(KEPT_CAPACITY);
        self.text.clear();
        self.fields = Default::default();
        self.progress = Progress::Awaited;
        self.before = 0;
    }
}

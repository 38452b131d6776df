//! One transfer to one client, written a piece at a time.

use std::sync::Arc;

use bytes::Bytes;

use crate::content::{Content, Need};
use crate::encode::{self, Framing};

/// A piece is handed out once it has grown to this size.
pub(crate) const PIECE_BYTES: usize = 16 << 10;

/// A transfer of FDv2 events. Holds the content and a place in it: a client that reads slowly
/// costs no more memory than one that reads fast.
#[derive(Debug)]
pub(crate) struct Transfer {
    content: Arc<Content>,
    need: Need,
    framing: Framing,
    at: usize,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Begin,
    Items,
    Done,
}

impl Transfer {
    /// What fills this need, framed for a stream.
    pub(crate) fn stream(content: Arc<Content>, need: Need) -> Self {
        Self { content, need, framing: Framing::Stream, at: 0, phase: Phase::Begin }
    }

    /// What fills this need, as a poll body.
    pub(crate) fn poll(content: Arc<Content>, need: Need) -> Self {
        Self { content, need, framing: Framing::Poll, at: 0, phase: Phase::Begin }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.framing == Framing::Poll {
            out.extend_from_slice(br#"{"events":["#);
        }
        let (code, reason) = match self.need {
            Need::Full => ("xfer-full", "payload-missing"),
            Need::ChangesSince(_) => ("xfer-changes", "stale"),
            Need::Nothing => ("none", "up-to-date"),
        };
        encode::server_intent(self.framing, code, reason, out);
    }

    /// Writes items until the piece is large enough, and returns whether that was all.
    fn write_items(&mut self, out: &mut Vec<u8>) -> bool {
        let content = self.content.clone();
        while out.len() < PIECE_BYTES {
            let Some(entry) = content.entries().get(self.at) else { return true };
            self.at += 1;
            if entry.is_needed(self.need) {
                self.separate(out);
                encode::item(self.framing, entry, out);
            }
        }
        false
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        if self.need != Need::Nothing {
            self.separate(out);
            let (state, number) = (self.content.state(), self.content.number());
            encode::payload_transferred(self.framing, &state, number, out);
        }
        if self.framing == Framing::Poll {
            out.extend_from_slice(b"]}");
        }
    }

    fn separate(&self, out: &mut Vec<u8>) {
        if self.framing == Framing::Poll {
            out.push(b',');
        }
    }
}

impl Iterator for Transfer {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut out = Vec::new();
        if self.phase == Phase::Begin {
            self.begin(&mut out);
            self.phase = Phase::Items;
        }
        if self.phase == Phase::Items && self.write_items(&mut out) {
            self.end(&mut out);
            self.phase = Phase::Done;
        }
        (!out.is_empty()).then(|| out.into())
    }
}

#[cfg(test)]
mod tests;

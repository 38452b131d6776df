//! One transfer to one client, written a piece at a time.

use std::sync::Arc;

use bytes::Bytes;
use fdv2_core::protocol::encode::Message;
use fdv2_core::protocol::event::IntentCode;

use crate::content::{Content, Entry, Need};

/// A piece is handed out once it has grown to this size.
const PIECE_BYTES: usize = 16 << 10;

/// The id of the one payload there is.
const PAYLOAD: &str = "flag-file";

/// A transfer of FDv2 events. Holds the content and a place in it: a client that reads slowly
/// costs no more memory than one that reads fast.
#[derive(Debug)]
pub(crate) struct Transfer {
    content: Arc<Content>,
    need: Need,
    framing: Framing,
    phase: Phase,
}

/// How events are set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Framing {
    /// As frames of a stream.
    Stream,
    /// As elements of a poll body.
    Poll,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Begin,
    /// The place of the next item.
    Items(usize),
    Done,
}

impl Transfer {
    /// What fills this need, framed for a stream.
    pub(crate) fn stream(content: Arc<Content>, need: Need) -> Self {
        Self { content, need, framing: Framing::Stream, phase: Phase::Begin }
    }

    /// What fills this need, as a poll body.
    pub(crate) fn poll(content: Arc<Content>, need: Need) -> Self {
        Self { content, need, framing: Framing::Poll, phase: Phase::Begin }
    }

    /// Writes the next event, or what stands around the events.
    fn step(&self, out: &mut Vec<u8>) -> Phase {
        match self.phase {
            Phase::Begin => {
                self.begin(out);
                Phase::Items(0)
            }
            Phase::Items(at) => match self.content.entries().get(at) {
                Some(entry) => {
                    if entry.is_needed(self.need) {
                        self.write(item(entry), out);
                    }
                    Phase::Items(at + 1)
                }
                None => {
                    self.end(out);
                    Phase::Done
                }
            },
            Phase::Done => Phase::Done,
        }
    }

    fn begin(&self, out: &mut Vec<u8>) {
        let (code, reason) = match self.need {
            Need::Full => (IntentCode::Full, "payload-missing"),
            Need::ChangesSince(_) => (IntentCode::Changes, "stale"),
            Need::Nothing => (IntentCode::None, "up-to-date"),
        };
        let target = self.content.number();
        let intent = Message::ServerIntent { payload: PAYLOAD, target, code, reason };
        match self.framing {
            Framing::Stream => intent.write_frame(out),
            Framing::Poll => {
                out.extend_from_slice(br#"{"events":["#);
                intent.write_element(out);
            }
        }
    }

    fn end(&self, out: &mut Vec<u8>) {
        if self.need != Need::Nothing {
            let (state, version) = (self.content.state(), self.content.number());
            self.write(Message::PayloadTransferred { state: &state, version }, out);
        }
        if self.framing == Framing::Poll {
            out.extend_from_slice(b"]}");
        }
    }

    /// Writes an event that is not the first.
    fn write(&self, message: Message<'_>, out: &mut Vec<u8>) {
        match self.framing {
            Framing::Stream => message.write_frame(out),
            Framing::Poll => {
                out.push(b',');
                message.write_element(out);
            }
        }
    }
}

fn item(entry: &Entry) -> Message<'_> {
    let (kind, key, version) = (entry.id.kind, &*entry.id.key, entry.version);
    match entry.object() {
        Some(object) => Message::PutObject { kind, key, version, object },
        None => Message::DeleteObject { kind, key, version },
    }
}

impl Iterator for Transfer {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let mut out = Vec::new();
        while out.len() < PIECE_BYTES && self.phase != Phase::Done {
            self.phase = self.step(&mut out);
        }
        (!out.is_empty()).then(|| out.into())
    }
}

#[cfg(test)]
mod tests;

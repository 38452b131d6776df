//! Cuts members out of one JSON object as it arrives (B 4.5, 5.7).
//!
//! The object's *collections*, lists or objects of known names, are walked, and each of their
//! members is cut out as text for a decoder. The grammar of the whole body is checked on the way,
//! strictly and without recursion. Nothing is kept but the member that is being cut.

mod machine;
mod member;
mod nesting;
mod token;
mod utf8;
mod value;

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;

use self::machine::Machine;
use self::member::{FIELDS, Progress};
use self::utf8::NotUtf8;
use super::InvalidData;
use crate::chunks::Chunks;

/// What to cut out of which body.
#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    /// The body's name, for messages.
    pub(super) what: &'static str,
    /// The collections: at least one must be there, each once at most.
    pub(super) collections: &'static [Collection],
    /// The fields to find in members that are objects, each once at most.
    pub(super) fields: &'static [&'static str],
}

/// A member of the body whose members are cut out.
#[derive(Debug, PartialEq)]
pub(super) struct Collection {
    pub(super) name: &'static str,
    /// Whether it is an object; else it is a list.
    pub(super) is_object: bool,
}

/// A member that was cut out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cut<'a> {
    /// Which of the shape's collections it is in.
    pub(super) collection: usize,
    /// Its key without quotes, not unescaped. Empty in a list.
    pub(super) key: &'a str,
    /// Its text: one JSON value.
    pub(super) text: &'a str,
    fields: [Range<usize>; FIELDS],
}

impl<'a> Cut<'a> {
    /// The text of one of the shape's fields, if the member has it.
    pub(super) fn field(&self, index: usize) -> Option<&'a str> {
        let range = self.fields.get(index)?.clone();
        self.text.get(range).filter(|text| !text.is_empty())
    }
}

/// The scanner of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scanner {
    what: &'static str,
    limit: usize,
    chunks: Chunks,
    machine: Machine,
}

/// Why a body cannot be read on.
#[derive(Clone, Debug, PartialEq)]
enum Fault {
    NotUtf8,
    Limit,
    /// What was found instead of what belongs there.
    Grammar(Cow<'static, str>),
}

impl From<NotUtf8> for Fault {
    fn from(_: NotUtf8) -> Self {
        Self::NotUtf8
    }
}

impl Fault {
    fn grammar(found: &'static str) -> Self {
        Self::Grammar(Cow::Borrowed(found))
    }
}

impl Scanner {
    /// A scanner at the start of a body. `limit` bounds one member with its key.
    pub(super) fn new(shape: &'static Shape, limit: usize) -> Self {
        Self {
            what: shape.what,
            limit,
            chunks: Chunks::default(),
            machine: Machine::new(shape, limit),
        }
    }

    pub(super) fn push(&mut self, bytes: Bytes) {
        self.chunks.push(bytes);
    }

    /// Reads on to the end of the next member; `None` when more bytes are needed. After an error
    /// the scanner is of no use.
    pub(super) fn next(&mut self) -> Result<Option<Cut<'_>>, InvalidData> {
        match self.advance() {
            Ok(false) => Ok(None),
            Ok(true) => self.cut().map(Some),
            Err(fault) => Err(self.invalid(fault)),
        }
    }

    /// The body has ended; whether it was whole. To be asked once all members are pulled.
    pub(super) fn finish(&self) -> Result<(), InvalidData> {
        if self.machine.is_at_end() && self.chunks.is_spent() {
            Ok(())
        } else {
            Err(self.invalid(Fault::grammar("the end of the body")))
        }
    }

    /// Reads on; whether a member is complete.
    fn advance(&mut self) -> Result<bool, Fault> {
        if self.machine.member.progress == Progress::Complete {
            self.machine.member.clear();
        }
        while !self.chunks.is_spent() || self.next_chunk() {
            let mut at = self.chunks.at();
            let is_complete = self.machine.read(self.chunks.current(), &mut at);
            self.chunks.skip_to(at);
            if is_complete? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn next_chunk(&mut self) -> bool {
        self.machine.member.end_chunk(self.chunks.current());
        self.chunks.next_chunk()
    }

    /// The member that is complete.
    fn cut(&self) -> Result<Cut<'_>, InvalidData> {
        let member = &self.machine.member;
        let key = simdutf8::basic::from_utf8(&member.key);
        let text = simdutf8::basic::from_utf8(member.text.bytes(self.chunks.current()));
        let (Ok(key), Ok(text), Some(collection)) = (key, text, self.machine.collection()) else {
            return Err(InvalidData::utf8(self.what));
        };
        Ok(Cut { collection, key, text, fields: member.fields.clone() })
    }

    fn invalid(&self, fault: Fault) -> InvalidData {
        match fault {
            Fault::NotUtf8 => InvalidData::utf8(self.what),
            Fault::Limit => {
                InvalidData::limit(format_args!("one item of {}", self.what), self.limit)
            }
            Fault::Grammar(found) => {
                let at = self.chunks.offset();
                InvalidData::json(self.what, format_args!("{found} at byte {at}"))
            }
        }
    }
}

/// The text of a JSON string without its quotes.
pub(super) fn unescape(text: &str) -> Result<Cow<'_, str>, serde_json::Error> {
    if text.contains('\\') {
        serde_json::from_str(&format!("\"{text}\"")).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(text))
    }
}

#[cfg(test)]
mod tests;

//! Cuts members out of one JSON object as it arrives (B 4.5, 5.7).
//!
//! The object's *collections* (lists or objects of known names) are walked, and each of their
//! members is cut out as text for a decoder. The grammar of everything around is checked here,
//! strictly and without recursion; of that nothing is kept. What a cut member holds inside is its
//! decoder's to check: the cut ends where the value would end if it is JSON.

mod cutter;
mod token;
mod utf8;

use bytes::Bytes;

use self::cutter::Cutter;
use self::token::{Fault, Token};
use super::InvalidData;
use crate::chunks::{Chunks, KEPT_CAPACITY, Text};

/// How deep objects and lists may be nested outside of what is cut out.
const DEEPEST: u32 = 128;

/// Room for a key of the body, quotes included: no collection's name is longer, escapes and all.
const LONGEST_NAME: usize = 64;

/// What to cut out of which body.
#[derive(Debug, PartialEq)]
pub(super) struct Shape {
    /// The body's name, for messages.
    pub(super) what: &'static str,
    /// The collections: at least one must be there, each once at most.
    pub(super) collections: &'static [Collection],
}

/// A member of the body whose members are cut out.
#[derive(Debug, PartialEq)]
pub(super) struct Collection {
    pub(super) name: &'static str,
    /// Whether it is an object; else it is a list.
    pub(super) is_object: bool,
}

/// The scanner of one body.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scanner {
    shape: &'static Shape,
    /// Bounds one member with its key.
    limit: usize,
    chunks: Chunks,
    state: State,
    /// How deep the state lies, and for each level whether it is an object.
    depth: u32,
    objects: u128,
    /// The collection that the state is in, or whose colon is awaited.
    collection: Option<usize>,
    /// One bit for each collection that was there.
    seen: u8,
    /// A key as it stands, quotes included, if it may matter.
    key: Vec<u8>,
    /// The member that is being cut out, or was with the last call.
    member: Text,
    member_bytes: usize,
    is_complete: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    /// Before a value.
    Value,
    /// Before a value or the end of the list.
    FirstElement,
    /// Before a key or the end of the object.
    FirstKey,
    /// Before a key.
    Key,
    /// In a key.
    KeyToken(Token),
    Colon,
    /// In a string, number or word that is not kept.
    ValueToken(Token),
    /// In a value that is cut out.
    Cut(Cutter),
    /// After a value within an object or a list.
    AfterValue,
    /// After the body's own end.
    End,
}

impl Scanner {
    pub(super) fn new(shape: &'static Shape, limit: usize) -> Self {
        Self {
            shape,
            limit,
            chunks: Chunks::default(),
            state: State::Value,
            depth: 0,
            objects: 0,
            collection: None,
            seen: 0,
            key: Vec::new(),
            member: Text::default(),
            member_bytes: 0,
            is_complete: false,
        }
    }

    pub(super) fn push(&mut self, bytes: Bytes) {
        self.chunks.push(bytes);
    }

    /// Reads on to the end of the next member, and tells which collection it is in; `None` when
    /// more bytes are needed.
    pub(super) fn next(&mut self) -> Result<Option<usize>, InvalidData> {
        if self.is_complete {
            self.clear_member();
        }
        while !self.chunks.is_spent() || self.next_chunk() {
            match self.state {
                State::KeyToken(token) => self.read_key(token)?,
                State::ValueToken(token) => self.read_token(token)?,
                State::Cut(cutter) => self.read_member(cutter)?,
                _ => self.read_structure()?,
            }
            if self.is_complete {
                return Ok(self.collection);
            }
        }
        Ok(None)
    }

    /// The key of the member that [`next`](Self::next) found, as it stands, quotes included.
    pub(super) fn key(&self) -> &[u8] {
        &self.key
    }

    /// The text of the member that [`next`](Self::next) found.
    pub(super) fn member(&self) -> &[u8] {
        self.member.bytes(self.chunks.current())
    }

    /// The body has ended; whether it was whole. To be asked once all members are pulled.
    pub(super) fn finish(&self) -> Result<(), InvalidData> {
        if self.state == State::End && self.chunks.is_spent() {
            return Ok(());
        }
        Err(self.fault("the body ended early"))
    }

    /// `why`, with the place where it was found.
    pub(super) fn fault(&self, why: &str) -> InvalidData {
        let at = self.chunks.offset();
        InvalidData::json(self.shape.what, format_args!("{why} at byte {at}"))
    }

    fn next_chunk(&mut self) -> bool {
        self.member.copy_span(self.chunks.current());
        self.chunks.next_chunk()
    }

    fn clear_member(&mut self) {
        self.member.clear();
        self.member_bytes = 0;
        self.key.clear();
        self.key.shrink_to(KEPT_CAPACITY);
        self.is_complete = false;
    }

    /// Reads one byte between tokens.
    fn read_structure(&mut self) -> Result<(), InvalidData> {
        let rest = self.chunks.rest();
        let space = rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        let byte = space.and_then(|space| rest.get(space)).copied();
        self.chunks.skip(space.unwrap_or(rest.len()));
        let Some(byte) = byte else { return Ok(()) };
        match (self.state, byte) {
            (State::FirstElement, b']') | (State::FirstKey, b'}') => self.close()?,
            (State::AfterValue, b']' | b'}') if (byte == b'}') == self.is_in_object() => {
                self.close()?;
            }
            (State::AfterValue, b',') if self.is_in_object() => self.state = State::Key,
            (State::AfterValue, b',') => self.state = State::Value,
            (State::Colon, b':') => self.state = State::Value,
            (State::FirstKey | State::Key, b'"') => self.begin_key(),
            (State::Value | State::FirstElement, _) => return self.begin_value(byte),
            _ => return Err(self.fault("something that does not belong there")),
        }
        self.chunks.skip(1);
        Ok(())
    }

    fn begin_key(&mut self) {
        self.key.clear();
        self.key.push(b'"');
        self.state = State::KeyToken(Token::Quoted(Default::default()));
    }

    /// Whether the state is directly in a collection: its members are cut out.
    fn is_in_collection(&self) -> bool {
        self.depth == 2 && self.collection.is_some()
    }

    fn begin_value(&mut self, byte: u8) -> Result<(), InvalidData> {
        if self.depth == 0 && byte != b'{' {
            return Err(self.fault("something else than an object"));
        }
        if self.depth == 1 {
            self.check_collection(byte)?;
        }
        let token = Token::after(byte);
        if token.is_none() && !matches!(byte, b'{' | b'[') {
            return Err(self.fault("something that is no value"));
        }
        if self.is_in_collection() {
            self.state = State::Cut(Cutter::after(byte));
            return self.extend_member(1);
        }
        self.state = match token {
            Some(token) => State::ValueToken(token),
            None => self.open(byte == b'{')?,
        };
        self.chunks.skip(1);
        Ok(())
    }

    /// A collection begins: it must be of its kind, and the first of its name.
    fn check_collection(&mut self, byte: u8) -> Result<(), InvalidData> {
        let Some(index) = self.collection else { return Ok(()) };
        let Some(collection) = self.shape.collections.get(index) else { return Ok(()) };
        let opening = if collection.is_object { b'{' } else { b'[' };
        if byte != opening {
            let expected = if collection.is_object { "an object" } else { "a list" };
            return Err(self.fault(&format!("`{}` is not {expected},", collection.name)));
        }
        if self.seen & (1 << index) != 0 {
            return Err(self.fault(&format!("`{}` is there twice,", collection.name)));
        }
        self.seen |= 1 << index;
        Ok(())
    }

    fn open(&mut self, is_object: bool) -> Result<State, InvalidData> {
        if self.depth == DEEPEST {
            return Err(self.fault("objects and lists nested too deeply"));
        }
        self.objects = self.objects << 1 | u128::from(is_object);
        self.depth += 1;
        Ok(if is_object { State::FirstKey } else { State::FirstElement })
    }

    fn is_in_object(&self) -> bool {
        self.objects & 1 == 1
    }

    fn close(&mut self) -> Result<(), InvalidData> {
        self.objects >>= 1;
        self.depth -= 1;
        if self.depth == 1 {
            self.collection = None;
        }
        self.state = if self.depth == 0 { State::End } else { State::AfterValue };
        if self.depth == 0 && self.seen == 0 {
            let first = self.shape.collections.first().map_or("", |collection| collection.name);
            return Err(self.fault(&format!("no `{first}`")));
        }
        Ok(())
    }

    fn read_key(&mut self, mut token: Token) -> Result<(), InvalidData> {
        let from = self.chunks.at();
        let is_end = self.read(&mut token)?;
        self.keep_key(from)?;
        if !is_end {
            self.state = State::KeyToken(token);
            return Ok(());
        }
        if self.depth == 1 {
            self.collection = self.named_collection();
            self.key.clear();
        }
        self.state = State::Colon;
        Ok(())
    }

    /// Keeps what was read of a key since `from`, if the key may matter.
    fn keep_key(&mut self, from: usize) -> Result<(), InvalidData> {
        let read = self.chunks.current().get(from..self.chunks.at()).unwrap_or_default();
        if self.is_in_collection() {
            if self.key.len() + read.len() > self.limit {
                return Err(self.over_limit());
            }
            self.key.extend_from_slice(read);
        } else if self.depth == 1 {
            let room = LONGEST_NAME.saturating_sub(self.key.len());
            self.key.extend_from_slice(read.get(..room).unwrap_or(read));
        }
        Ok(())
    }

    /// The collection that the key names. A key cut short to its room is no JSON, and names none.
    fn named_collection(&self) -> Option<usize> {
        let name: String = serde_json::from_slice(&self.key).ok()?;
        self.shape.collections.iter().position(|collection| collection.name == name)
    }

    fn read_token(&mut self, mut token: Token) -> Result<(), InvalidData> {
        let is_end = self.read(&mut token)?;
        self.state = if is_end { State::AfterValue } else { State::ValueToken(token) };
        Ok(())
    }

    /// Reads on in `token`; whether it has ended.
    fn read(&mut self, token: &mut Token) -> Result<bool, InvalidData> {
        let mut read = 0;
        let is_end = token.read(self.chunks.rest(), &mut read);
        self.chunks.skip(read);
        is_end.map_err(|fault| match fault {
            Fault::NotUtf8 => InvalidData::utf8(self.shape.what),
            Fault::Grammar(why) => self.fault(why),
        })
    }

    fn read_member(&mut self, mut cutter: Cutter) -> Result<(), InvalidData> {
        let rest = self.chunks.rest();
        let end = cutter.find_end(rest);
        let len = end.unwrap_or(rest.len());
        self.extend_member(len)?;
        if end.is_none() {
            self.state = State::Cut(cutter);
            return Ok(());
        }
        self.member.complete(self.chunks.current());
        self.state = State::AfterValue;
        self.is_complete = true;
        Ok(())
    }

    /// Reads `len` bytes of the member that is being cut out.
    fn extend_member(&mut self, len: usize) -> Result<(), InvalidData> {
        self.member_bytes = self.member_bytes.saturating_add(len);
        if self.key.len().saturating_add(self.member_bytes) > self.limit {
            return Err(self.over_limit());
        }
        self.member.extend(self.chunks.at(), len);
        self.chunks.skip(len);
        Ok(())
    }

    fn over_limit(&self) -> InvalidData {
        InvalidData::limit(format_args!("an item of {}", self.shape.what), self.limit)
    }
}

#[cfg(test)]
mod tests;

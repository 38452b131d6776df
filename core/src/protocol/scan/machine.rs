//! Walks the levels of a body: the body itself, its collections, their members, the members' fields.

use super::member::{Member, Progress};
use super::token::{Escape, read_string};
use super::utf8::Utf8;
use super::value::Value;
use super::{Collection, Fault, Shape, unescape};

/// How deep objects and lists may be nested in what is not cut out.
const DEEPEST: usize = 128;

/// Room for a name that is looked for: none is longer, escapes and all.
const LONGEST_NAME: usize = 64;

/// Reads one body, whatever it is cut into.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Machine {
    shape: &'static Shape,
    /// Bounds one member with its key.
    limit: usize,
    level: Level,
    state: State,
    /// A character that is cut, outside of members: they are checked once they are cut out.
    utf8: Utf8,
    /// The name of a collection or field so far, cut short to its room.
    name: Vec<u8>,
    /// The collection that the state is in, or whose value is awaited.
    collection: Option<usize>,
    /// One bit for each collection that was there.
    seen: u8,
    /// The field whose value is awaited or open, and where it began in the member.
    field: Option<(usize, usize)>,
    pub(super) member: Member,
}

/// Which object or list the state is in.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Level {
    Outside,
    Body,
    Collection,
    Member,
}

#[derive(Clone, Debug, PartialEq)]
enum State {
    /// Before what comes first in an object or a list, or its end.
    First,
    /// After a comma.
    Next,
    /// In a key.
    Key(Option<Escape>),
    Colon,
    /// Before a value.
    Value,
    /// In a value that is not walked.
    Within(Value),
    /// After a value.
    After,
    /// After the body's own end.
    End,
}

impl Machine {
    pub(super) fn new(shape: &'static Shape, limit: usize) -> Self {
        Self {
            shape,
            limit,
            level: Level::Outside,
            state: State::Value,
            utf8: Utf8::default(),
            name: Vec::new(),
            collection: None,
            seen: 0,
            field: None,
            member: Member::default(),
        }
    }

    /// The body has ended whole.
    pub(super) fn is_at_end(&self) -> bool {
        self.state == State::End
    }

    /// The collection that the member is in.
    pub(super) fn collection(&self) -> Option<usize> {
        self.collection
    }

    /// Reads `chunk` on from `at`, which it moves: behind a member, else to the end of the chunk,
    /// or to a fault. Whether a member has ended.
    pub(super) fn read(&mut self, chunk: &[u8], at: &mut usize) -> Result<bool, Fault> {
        let is_ended = self.read_to_end_of_member(chunk, at);
        if self.member.size(*at) > self.limit {
            return Err(Fault::Limit);
        }
        if is_ended == Ok(true) {
            self.member.complete(chunk, *at);
        }
        is_ended
    }

    fn read_to_end_of_member(&mut self, chunk: &[u8], at: &mut usize) -> Result<bool, Fault> {
        while let Some(&byte) = chunk.get(*at) {
            match self.state {
                State::Within(_) => self.read_within(chunk, at)?,
                State::Key(_) => self.read_key(chunk, at)?,
                _ if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => *at += 1,
                State::Value => self.begin_value(byte, at)?,
                _ => self.read_structure(byte, at)?,
            }
            if self.member.progress == Progress::Ended {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_in_object(&self) -> bool {
        match self.level {
            Level::Outside => false,
            Level::Body | Level::Member => true,
            Level::Collection => self.known_collection().is_some_and(|known| known.is_object),
        }
    }

    fn known_collection(&self) -> Option<&'static Collection> {
        self.shape.collections.get(self.collection?)
    }

    /// Reads a byte between keys and values.
    fn read_structure(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        let is_object = self.is_in_object();
        match (&self.state, byte, is_object) {
            (State::First | State::After, b'}', true)
            | (State::First | State::After, b']', false) => {
                self.close()?;
            }
            (State::First | State::Next, b'"', true) => {
                self.name.clear();
                self.state = State::Key(None);
            }
            (State::First | State::Next, _, false) => {
                self.state = State::Value;
                return Ok(());
            }
            (State::Colon, b':', _) => self.state = State::Value,
            (State::After, b',', _) => self.state = State::Next,
            _ => return Err(Fault::grammar("something that does not belong there")),
        }
        *at += 1;
        Ok(())
    }

    /// Goes into the value that begins with `byte` if it is one to walk, else only reads it.
    fn begin_value(&mut self, byte: u8, at: &mut usize) -> Result<(), Fault> {
        let walked = match self.level {
            Level::Outside if byte != b'{' => {
                return Err(Fault::grammar("something else than an object"));
            }
            Level::Outside => Some(Level::Body),
            Level::Body => self.begin_collection(byte)?,
            Level::Collection => {
                self.member.begin(*at);
                (byte == b'{' && !self.shape.fields.is_empty()).then_some(Level::Member)
            }
            Level::Member => {
                self.begin_field(*at)?;
                None
            }
        };
        let Some(level) = walked else {
            let deepest = if self.member.is_open() { usize::MAX } else { DEEPEST };
            self.state = State::Within(Value::new(deepest));
            return Ok(());
        };
        self.level = level;
        self.state = State::First;
        *at += 1;
        Ok(())
    }

    /// A collection must be of its kind, and the first of its name.
    fn begin_collection(&mut self, byte: u8) -> Result<Option<Level>, Fault> {
        let (Some(index), Some(collection)) = (self.collection, self.known_collection()) else {
            return Ok(None);
        };
        let (name, opening) = (collection.name, if collection.is_object { b'{' } else { b'[' });
        if byte != opening {
            let kind = if collection.is_object { "an object" } else { "a list" };
            return Err(Fault::Grammar(format!("`{name}` that is not {kind}").into()));
        }
        if self.seen & 1 << index != 0 {
            return Err(Fault::Grammar(format!("`{name}` for the second time").into()));
        }
        self.seen |= 1 << index;
        Ok(Some(Level::Collection))
    }

    fn begin_field(&mut self, at: usize) -> Result<(), Fault> {
        let Some((field, start)) = &mut self.field else { return Ok(()) };
        *start = self.member.position(at);
        if self.member.fields.get(*field).is_some_and(|range| !range.is_empty()) {
            let name = self.shape.fields.get(*field).unwrap_or(&"");
            return Err(Fault::Grammar(format!("`{name}` for the second time").into()));
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        self.state = State::After;
        match self.level {
            Level::Member => {
                self.level = Level::Collection;
                self.member.progress = Progress::Ended;
            }
            Level::Collection => {
                self.level = Level::Body;
                self.collection = None;
            }
            Level::Body | Level::Outside if self.seen == 0 => {
                let name = self.shape.collections.first().map_or("", |known| known.name);
                return Err(Fault::Grammar(format!("the end without `{name}`").into()));
            }
            Level::Body | Level::Outside => {
                self.level = Level::Outside;
                self.state = State::End;
            }
        }
        Ok(())
    }

    /// Reads on in a value that is not walked.
    fn read_within(&mut self, chunk: &[u8], at: &mut usize) -> Result<(), Fault> {
        let State::Within(value) = &mut self.state else { return Ok(()) };
        let from = *at;
        let is_ended = value.read(chunk, at);
        if !self.member.is_open() {
            self.utf8.read(chunk.get(from..*at).unwrap_or_default())?;
        }
        if !is_ended? {
            return Ok(());
        }
        self.state = State::After;
        match (self.level, self.field.take()) {
            (Level::Collection, _) => self.member.progress = Progress::Ended,
            (Level::Member, Some((field, start))) => {
                let end = self.member.position(*at);
                self.member.set_field(field, start..end);
            }
            _ => {}
        }
        Ok(())
    }

    fn read_key(&mut self, chunk: &[u8], at: &mut usize) -> Result<(), Fault> {
        let State::Key(escape) = &mut self.state else { return Ok(()) };
        let from = *at;
        let is_ended = read_string(escape, chunk, at);
        let end = *at - usize::from(is_ended == Ok(true));
        if self.level == Level::Body {
            self.utf8.read(chunk.get(from..*at).unwrap_or_default())?;
        }
        self.keep_key(chunk.get(from..end).unwrap_or_default())?;
        if is_ended? {
            self.state = State::Colon;
            self.resolve_name();
        }
        Ok(())
    }

    /// Keeps a piece of a key, as far as it may matter.
    fn keep_key(&mut self, read: &[u8]) -> Result<(), Fault> {
        if self.level == Level::Collection {
            if self.member.key.len() + read.len() > self.limit {
                return Err(Fault::Limit);
            }
            self.member.key.extend_from_slice(read);
            return Ok(());
        }
        let room = LONGEST_NAME.saturating_sub(self.name.len());
        self.name.extend_from_slice(read.get(..room).unwrap_or(read));
        Ok(())
    }

    /// A key has ended. It may be the name of a collection or of a field.
    fn resolve_name(&mut self) {
        let name = std::str::from_utf8(&self.name).ok().and_then(|name| unescape(name).ok());
        let Some(name) = name.as_deref() else { return };
        match self.level {
            Level::Body => {
                self.collection =
                    self.shape.collections.iter().position(|known| known.name == name);
            }
            Level::Member => {
                let field = self.shape.fields.iter().position(|known| *known == name);
                self.field = field.map(|field| (field, 0));
            }
            Level::Collection | Level::Outside => {}
        }
    }
}

//! The parser's loop: chunks into lines, lines into fields, fields into frames.

use std::time::Duration;

use bytes::Bytes;

use super::line::{Field, FieldName, Line};
use super::{Frame, OpenEvent, SseError};
use crate::chunks::{Chunks, KEPT_CAPACITY, Text};

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// Parses one event stream: push bytes, pull frames (B 1.16).
///
/// Where the bytes are cut changes nothing, and the time is linear in them. An event that lies
/// within one chunk is handed out without a copy; of others one event is held at most, within the
/// limit (B 1.13). Comments and unknown fields are not held at all, and not decoded.
///
/// What a stream's end leaves unfinished is dropped with the parser (B 1.12). A new connection
/// needs a new parser.
#[derive(Clone, Debug, PartialEq)]
pub struct Parser {
    limit: usize,
    chunks: Chunks,
    line: Line,
    /// The value of an `event`, `id` or `retry` line so far.
    value: Vec<u8>,
    /// The byte before was a CR: an LF now belongs to it.
    is_after_cr: bool,
    event: Pending,
    last_event_id: String,
    failed: Option<SseError>,
}

/// The event that is being received.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pending {
    name: String,
    has_name: bool,
    /// The name that an earlier `event` line gave, before this one.
    former: Option<Box<str>>,
    data: Text,
    /// It has a `data` line at all; the text may be empty.
    has_data: bool,
    id: Option<String>,
    bytes: usize,
    fresh: usize,
    /// It has been handed out, and goes away with the next call.
    is_complete: bool,
}

/// What a line's end brought, for [`Parser::next`] to dress up.
enum Found {
    Event,
    Retry(Duration),
    Comment,
}

type Progress = Result<Option<Found>, SseError>;

impl Parser {
    /// A parser at the start of a stream. `event_limit` bounds each event (the bytes of its fields
    /// together) and each line of any kind (B 1.13).
    pub fn new(event_limit: usize) -> Self {
        Self {
            limit: event_limit,
            chunks: Chunks::default(),
            line: Line::ByteOrderMark(0),
            value: Vec::new(),
            is_after_cr: false,
            event: Pending::default(),
            last_event_id: String::new(),
            failed: None,
        }
    }

    /// Takes in the next bytes of the stream. Pull with [`next`](Self::next) until it has none
    /// before pushing more: what waits here is not bounded.
    pub fn push(&mut self, bytes: Bytes) {
        if self.failed.is_none() {
            self.chunks.push(bytes);
        }
    }

    /// The next frame, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`SseError`] when the limit is passed or text is not UTF-8. The frames before the fault are
    /// handed out first; after an error there is nothing but the same error.
    #[expect(clippy::should_implement_trait, reason = "a frame borrows from the parser")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, SseError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        match self.advance() {
            Ok(None) => Ok(None),
            Ok(Some(Found::Comment)) => Ok(Some(Frame::Comment)),
            Ok(Some(Found::Retry(delay))) => Ok(Some(Frame::Retry(delay))),
            Ok(Some(Found::Event)) => self.event_frame(),
            Err(error) => {
                self.failed = Some(error);
                Err(error)
            }
        }
    }

    /// The event that is being received, once something of it has come in; after an error the one
    /// that failed.
    pub fn open_event(&self) -> Option<OpenEvent<'_>> {
        let event = &self.event;
        (event.bytes > 0 && !event.is_complete).then(|| OpenEvent {
            name: event.first_name(),
            bytes: event.bytes,
            fresh: event.fresh,
        })
    }

    /// The id of the last event, empty if there was none: the newest `id` field without NUL before
    /// the last blank line.
    pub fn last_event_id(&self) -> &str {
        &self.last_event_id
    }

    fn event_frame(&mut self) -> Result<Option<Frame<'_>>, SseError> {
        let Ok(data) = simdutf8::basic::from_utf8(self.event.data.bytes(self.chunks.current()))
        else {
            self.failed = Some(SseError::NotUtf8);
            self.event.is_complete = false;
            return Err(SseError::NotUtf8);
        };
        let name = if self.event.name.is_empty() { "message" } else { &self.event.name };
        Ok(Some(Frame::Event { name, data }))
    }

    /// Reads on to the next frame or to the end of what was pushed.
    fn advance(&mut self) -> Progress {
        if self.event.is_complete {
            self.event.clear();
        }
        while !self.chunks.is_spent() || self.next_chunk() {
            if std::mem::take(&mut self.is_after_cr) && self.chunks.rest().first() == Some(&b'\n') {
                self.chunks.skip(1);
                continue;
            }
            let found = match self.line {
                Line::ByteOrderMark(matched) => self.read_byte_order_mark(matched),
                Line::Name(name) => self.read_name(name)?,
                Line::Value { field, is_start } => self.read_value(field, is_start)?,
                Line::Ignored { is_comment, bytes } => self.skip_line(is_comment, bytes)?,
            };
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    fn next_chunk(&mut self) -> bool {
        self.event.data.copy_span(self.chunks.current());
        let is_there = self.chunks.next_chunk();
        if is_there {
            self.event.fresh = 0;
        }
        is_there
    }

    fn read_byte_order_mark(&mut self, matched: usize) -> Option<Found> {
        if self.chunks.rest().first() == BYTE_ORDER_MARK.get(matched) {
            self.chunks.skip(1);
            let is_whole = matched + 1 == BYTE_ORDER_MARK.len();
            self.line = if is_whole { Line::START } else { Line::ByteOrderMark(matched + 1) };
        } else if matched == 0 {
            self.line = Line::START;
        } else {
            self.line = Line::Ignored { is_comment: false, bytes: matched };
        }
        None
    }

    fn read_name(&mut self, mut name: FieldName) -> Progress {
        for (len, &byte) in self.chunks.rest().iter().enumerate() {
            match byte {
                b':' => {
                    self.chunks.skip(len + 1);
                    return self.begin_value(name).map(|()| None);
                }
                b'\n' | b'\r' => {
                    self.end_line(len);
                    return self.finish_bare_name(name);
                }
                _ if name.push(byte) => {}
                _ => {
                    self.chunks.skip(len);
                    self.line = Line::Ignored { is_comment: false, bytes: name.len() };
                    return Ok(None);
                }
            }
        }
        self.chunks.skip(self.chunks.rest().len());
        self.line = Line::Name(name);
        Ok(None)
    }

    /// A colon ended the name.
    fn begin_value(&mut self, name: FieldName) -> Result<(), SseError> {
        let bytes = name.len() + 1;
        self.line = match name.field() {
            Some(field) => {
                self.begin_field(field, bytes)?;
                Line::Value { field, is_start: true }
            }
            None => {
                self.check_line(bytes)?;
                Line::Ignored { is_comment: name.len() == 0, bytes }
            }
        };
        Ok(())
    }

    /// The line ended without a colon.
    fn finish_bare_name(&mut self, name: FieldName) -> Progress {
        if name.len() == 0 {
            return Ok(self.end_event());
        }
        let Some(field) = name.field() else { return Ok(None) };
        self.begin_field(field, name.len())?;
        self.finish_field(field)
    }

    fn begin_field(&mut self, field: Field, bytes: usize) -> Result<(), SseError> {
        self.event.charge(bytes, self.limit)?;
        if field == Field::Data {
            self.event.begin_data_line(self.chunks.current());
        }
        Ok(())
    }

    fn read_value(&mut self, field: Field, is_start: bool) -> Progress {
        if is_start && self.chunks.rest().first() == Some(&b' ') {
            self.chunks.skip(1);
            self.line = Line::Value { field, is_start: false };
            return self.event.charge(1, self.limit).map(|()| None);
        }
        let rest = self.chunks.rest();
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let value = end.map_or(rest, |end| rest.get(..end).unwrap_or_default());
        let len = value.len();
        self.event.charge(len, self.limit)?;
        if field == Field::Data {
            self.event.data.extend(self.chunks.at(), len);
        } else {
            self.value.extend_from_slice(value);
        }
        if end.is_some() {
            self.end_line(len);
            return self.finish_field(field);
        }
        self.chunks.skip(len);
        self.line = Line::Value { field, is_start: false };
        Ok(None)
    }

    /// The value of `field` is whole.
    fn finish_field(&mut self, field: Field) -> Progress {
        // The line's end is a byte of the event too, and the one that makes its name known.
        self.event.fresh = self.event.fresh.saturating_add(1);
        let mut found = None;
        match field {
            Field::Data => {}
            Field::Event => self.event.set_name(text(&self.value)?),
            Field::Id if self.value.contains(&0) => {}
            Field::Id => self.event.id = Some(text(&self.value)?.to_owned()),
            Field::Retry => found = delay(&self.value).map(Found::Retry),
        }
        self.value.clear();
        self.value.shrink_to(KEPT_CAPACITY);
        Ok(found)
    }

    fn skip_line(&mut self, is_comment: bool, bytes: usize) -> Progress {
        let rest = self.chunks.rest();
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let len = end.unwrap_or(rest.len());
        let bytes = bytes.saturating_add(len);
        self.check_line(bytes)?;
        if end.is_some() {
            self.end_line(len);
            return Ok(is_comment.then_some(Found::Comment));
        }
        self.chunks.skip(len);
        self.line = Line::Ignored { is_comment, bytes };
        Ok(None)
    }

    /// Bounds a line that is not kept.
    fn check_line(&self, bytes: usize) -> Result<(), SseError> {
        if bytes > self.limit { Err(SseError::TooLarge { limit: self.limit }) } else { Ok(()) }
    }

    /// Steps over the line end that stands `len` bytes ahead.
    fn end_line(&mut self, len: usize) {
        self.is_after_cr = self.chunks.rest().get(len) == Some(&b'\r');
        self.chunks.skip(len + 1);
        self.line = Line::START;
    }

    /// A blank line: what came before is one event, if it had data.
    fn end_event(&mut self) -> Option<Found> {
        if let Some(id) = self.event.id.take() {
            self.last_event_id = id;
        }
        if !self.event.has_data {
            self.event.clear();
            return None;
        }
        self.event.data.complete(self.chunks.current());
        self.event.is_complete = true;
        Some(Found::Event)
    }
}

impl Pending {
    /// Counts bytes of a field, before they are kept.
    fn charge(&mut self, bytes: usize, limit: usize) -> Result<(), SseError> {
        self.bytes = self.bytes.saturating_add(bytes);
        self.fresh = self.fresh.saturating_add(bytes);
        if self.bytes > limit { Err(SseError::TooLarge { limit }) } else { Ok(()) }
    }

    /// Begins a line of data, joined to an earlier one by LF.
    fn begin_data_line(&mut self, chunk: &[u8]) {
        if self.has_data {
            self.data.push(chunk, b'\n');
        }
        self.has_data = true;
    }

    fn set_name(&mut self, name: &str) {
        if self.has_name && self.former.is_none() {
            self.former = Some(self.name.as_str().into());
        }
        self.name.clear();
        self.name.push_str(name);
        self.has_name = true;
    }

    fn first_name(&self) -> Option<&str> {
        self.former.as_deref().or(self.has_name.then_some(&self.name))
    }

    fn clear(&mut self) {
        self.former = None;
        self.data.clear();
        self.has_data = false;
        self.name.clear();
        self.name.shrink_to(KEPT_CAPACITY);
        self.has_name = false;
        self.bytes = 0;
        self.fresh = 0;
        self.is_complete = false;
    }
}

fn text(value: &[u8]) -> Result<&str, SseError> {
    simdutf8::basic::from_utf8(value).map_err(|_| SseError::NotUtf8)
}

/// The delay that a `retry` field tells in milliseconds; `None` if it is not a number.
fn delay(value: &[u8]) -> Option<Duration> {
    if value.is_empty() {
        return None;
    }
    value
        .iter()
        .try_fold(0_u64, |millis, byte| {
            let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
            Some(millis.saturating_mul(10).saturating_add(digit))
        })
        .map(Duration::from_millis)
}

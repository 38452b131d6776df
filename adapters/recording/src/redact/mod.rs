//! Hiding texts and numbers before they are written.
//!
//! What is hidden is replaced byte by byte, so that sizes and shapes stay, and wherever the bytes
//! were cut. A second core runs on what is left: the recording is of that one, and replays bit for
//! bit. It goes on as long as both cores do the same.

mod json;
mod sse;

use bytes::Bytes;
use fdv2_core::config::Config;
use fdv2_core::effect::{ResponseHead, SourceUpdate};
use fdv2_core::persistence::CorruptRecord;
use fdv2_core::snapshot::{Call, ChangeSet, ChangeSetBuilder};
use fdv2_core::{
    Command, DataSystem, Effect, EffectId, Event, Instant, Limits, Outcome, Request, StoreRead,
};
use http::{HeaderMap, HeaderValue, header};

use json::JsonMask;
use sse::SseMask;

/// The second core, and what hides what it is told.
pub(crate) struct Redactor {
    system: DataSystem,
    body: Body,
}

/// The body that is coming in.
enum Body {
    Stream(Box<SseMask>),
    Json(Box<JsonMask>),
}

impl Redactor {
    pub(crate) fn new(config: &Config, seed: u64) -> Self {
        let system = DataSystem::new(config.without_secrets(), seed);
        Self { system, body: Body::Json(Box::new(JsonMask::body())) }
    }

    /// The event with nothing in it that is to be hidden, and what the second core says to it.
    /// `None` if that does something else than the first.
    pub(crate) fn redact(
        &mut self,
        now: Instant,
        event: &Event,
        commands: &[Command],
    ) -> Option<(Event, Vec<Command>)> {
        let event = self.hide(event)?;
        let again: Vec<Command> = self.system.handle(now, event.clone()).collect();
        for command in &again {
            if let Command::Start { effect: Effect::Request(request), .. } = command {
                self.body = Body::of(request);
            }
        }
        deeds(commands).eq(deeds(&again)).then_some((event, again))
    }

    fn hide(&mut self, event: &Event) -> Option<Event> {
        let (id, outcome) = match event {
            Event::Effect { id, outcome } => (id, outcome),
            Event::StoreRead(StoreRead::Unreadable(record)) => {
                return Some(Event::StoreRead(StoreRead::Unreadable(hide_reason(record))));
            }
            other => return Some(other.clone()),
        };
        let outcome = match outcome {
            Outcome::ResponseHead(head) => Outcome::ResponseHead(hide_head(head)),
            Outcome::ResponseChunk(bytes) => Outcome::ResponseChunk(self.body.mask(bytes)),
            Outcome::SourceUpdate(SourceUpdate::ChangeSet(change_set)) => {
                let hidden = Box::new(hide_change_set(change_set)?);
                Outcome::SourceUpdate(SourceUpdate::ChangeSet(hidden))
            }
            Outcome::SourceUpdate(SourceUpdate::EnvironmentId(id)) => {
                Outcome::SourceUpdate(SourceUpdate::EnvironmentId("x".repeat(id.len()).into()))
            }
            other => other.clone(),
        };
        Some(Event::Effect { id: *id, outcome })
    }
}

/// What a driver has to do: the second core must want the same.
fn deeds(commands: &[Command]) -> impl Iterator<Item = (bool, EffectId)> {
    commands.iter().filter_map(|command| match command {
        Command::Start { id, .. } => Some((true, *id)),
        Command::Cancel { id } => Some((false, *id)),
        Command::Emit(_) | Command::Discard(_) => None,
    })
}

impl Body {
    fn of(request: &Request) -> Self {
        let accept = request.0.headers().get(header::ACCEPT);
        match accept.is_some_and(|accept| accept.as_bytes().starts_with(b"text/event-stream")) {
            true => Self::Stream(Box::default()),
            false => Self::Json(Box::new(JsonMask::body())),
        }
    }

    fn mask(&mut self, bytes: &Bytes) -> Bytes {
        match self {
            Self::Stream(stream) => bytes.iter().map(|byte| stream.mask(*byte)).collect(),
            Self::Json(json) => bytes.iter().map(|byte| json.mask(*byte)).collect(),
        }
    }
}

/// What is wrong with a record repeats a part of it.
fn hide_reason(record: &CorruptRecord) -> CorruptRecord {
    match record {
        CorruptRecord::Object(error) => CorruptRecord::Said(
            format!("in the store, {} {:?} makes no sense", error.kind(), error.key()).into(),
        ),
        other => other.clone(),
    }
}

/// A redirect's query may hold tokens, and an environment id names an environment.
fn hide_head(head: &ResponseHead) -> ResponseHead {
    let mut headers = HeaderMap::new();
    for (name, value) in &head.headers {
        let value = match name.as_str() {
            "location" => hide_query(value),
            "x-ld-envid" => hide_word(value),
            _ => value.clone(),
        };
        headers.append(name, value);
    }
    ResponseHead { status: head.status, headers }
}

fn hide_query(value: &HeaderValue) -> HeaderValue {
    let bytes = value.as_bytes();
    let query = bytes.iter().position(|byte| *byte == b'?').map_or(bytes.len(), |at| at + 1);
    let hidden: Vec<u8> =
        bytes.iter().enumerate().map(|(at, byte)| if at < query { *byte } else { b'x' }).collect();
    HeaderValue::from_bytes(&hidden).unwrap_or_else(|_| value.clone())
}

fn hide_word(value: &HeaderValue) -> HeaderValue {
    let hidden: Vec<u8> =
        value.as_bytes().iter().map(|byte| if *byte == b' ' { b' ' } else { b'x' }).collect();
    HeaderValue::from_bytes(&hidden).unwrap_or_else(|_| HeaderValue::from_static("x"))
}

fn hide_change_set(change_set: &ChangeSet) -> Option<ChangeSet> {
    let mut builder = match change_set.is_changes() {
        true => ChangeSetBuilder::changes(),
        false => ChangeSetBuilder::full(),
    };
    let (transfer_bytes, transfer_objects) = (usize::MAX, usize::MAX);
    builder = builder.limits(Limits { transfer_bytes, transfer_objects, ..Limits::default() });
    for call in change_set.calls() {
        match call {
            Call::Put { kind, key, version, object } => {
                let mut mask = JsonMask::item();
                let hidden: Vec<u8> = object.bytes().map(|byte| mask.mask(byte)).collect();
                builder.put(kind, key, version, std::str::from_utf8(&hidden).ok()?).ok()?;
            }
            Call::Delete { kind, key, version } => {
                builder.delete(kind, key, version).ok()?;
            }
        }
    }
    Some(builder.finish(change_set.selector().cloned()))
}

/// Lets through what is the beginning of a known word, byte by byte.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    length: usize,
    /// The word that fits so far: its place among the words.
    place: usize,
    is_lost: bool,
}

impl Known {
    fn mask(&mut self, byte: u8, words: &[&str]) -> u8 {
        let so_far = words.get(self.place).and_then(|word| word.as_bytes().get(..self.length));
        let fits = |word: &&str| {
            word.as_bytes().get(..self.length) == so_far
                && word.as_bytes().get(self.length) == Some(&byte)
        };
        match words.iter().position(fits) {
            Some(place) if !self.is_lost => {
                self.place = place;
                self.length += 1;
                byte
            }
            _ => {
                self.is_lost = true;
                hidden(byte)
            }
        }
    }

    /// The word, if that is what it was.
    fn word<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        words
            .get(self.place)
            .copied()
            .filter(|word| !self.is_lost && word.len() == self.length)
            .or_else(|| self.other(words))
    }

    /// A shorter word that another one begins with.
    fn other<'a>(&self, words: &[&'a str]) -> Option<&'a str> {
        let so_far = words.get(self.place)?.get(..self.length)?;
        words.iter().copied().find(|word| !self.is_lost && *word == so_far)
    }
}

/// What takes the place of a byte of text. What is UTF-8 stays UTF-8, and what is not is not.
fn hidden(byte: u8) -> u8 {
    match byte {
        0..0x20 => byte,
        0x20..0x80 => b'x',
        0x80..0xc0 => 0x80,
        0xc2..0xe0 => 0xc3,
        0xe0..0xf0 => 0xe3,
        0xf0..0xf5 => 0xf1,
        _ => byte,
    }
}

#[cfg(test)]
mod tests;

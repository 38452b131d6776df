//! The body of a poll, event by event as it arrives (B 4.5).

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::InvalidData;
use super::scan::{Collection, Scanner, Shape};

const SHAPE: Shape = Shape {
    what: "the poll body",
    collections: &[Collection { name: "events", is_object: false }],
};

/// Reads one poll body: push bytes, pull events, and [`finish`](Self::finish) when the body has
/// ended (B 4.5).
///
/// Where the bytes are cut changes nothing, and the time is linear in them. One event is held at
/// most, within the limit (B 1.13); what the body holds beside its events is checked and dropped.
/// Nothing that was pulled counts before `finish` has said that the body was whole.
#[derive(Clone, Debug, PartialEq)]
pub struct PollBody {
    scanner: Scanner,
    failed: Option<InvalidData>,
}

/// One element of `events`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PollEvent<'a> {
    /// The event's name. Empty, and so unknown, if the element has none (B 4.5, 1.7).
    pub name: Cow<'a, str>,
    /// Its data as JSON text, `null` if the element has none.
    pub data: &'a str,
}

#[derive(Deserialize)]
struct Element<'a> {
    #[serde(borrow, default)]
    event: Option<Name<'a>>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

impl PollBody {
    /// A reader at the start of a body. `event_limit` bounds each event (B 1.13).
    pub fn new(event_limit: usize) -> Self {
        Self { scanner: Scanner::new(&SHAPE, event_limit), failed: None }
    }

    /// Takes in the next bytes of the body. Pull with [`next`](Self::next) until it has none
    /// before pushing more: what waits here is not bounded.
    pub fn push(&mut self, bytes: Bytes) {
        if self.failed.is_none() {
            self.scanner.push(bytes);
        }
    }

    /// The next event, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`InvalidData`] when the body is not JSON, not UTF-8, not of the form `{"events":[…]}`, or
    /// an event goes over the limit. The events before the fault are handed out first; after an
    /// error there is nothing but the same error.
    #[expect(clippy::should_implement_trait, reason = "an event borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<PollEvent<'_>>, InvalidData> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let event = match self.scanner.next() {
            Ok(None) => return Ok(None),
            Ok(Some(_)) => event(self.scanner.member()),
            Err(error) => Err(error),
        };
        if let Err(error) = &event {
            self.failed = Some(error.clone());
        }
        event.map(Some)
    }

    /// The body has ended, and all its events were pulled.
    ///
    /// # Errors
    /// [`InvalidData`] when it ended early, or had failed before.
    pub fn finish(&self) -> Result<(), InvalidData> {
        self.failed.clone().map_or_else(|| self.scanner.finish(), Err)
    }
}

fn event(element: &[u8]) -> Result<PollEvent<'_>, InvalidData> {
    let text = simdutf8::basic::from_utf8(element)
        .map_err(|_| InvalidData::utf8("an event of the poll body"))?;
    let invalid = |error| InvalidData::json("an event of the poll body", error);
    // A list would do for the struct, and any value but an object has no `event`.
    if !text.starts_with('{') {
        serde_json::from_str::<&RawValue>(text).map_err(invalid)?;
        return Ok(PollEvent { name: Cow::Borrowed(""), data: "null" });
    }
    let element: Element<'_> = serde_json::from_str(text).map_err(invalid)?;
    Ok(PollEvent {
        name: element.event.map_or(Cow::Borrowed(""), |name| name.0),
        data: element.data.map_or("null", RawValue::get),
    })
}

#[cfg(test)]
mod tests;

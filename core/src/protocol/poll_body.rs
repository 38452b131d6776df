//! The body of a poll, event by event as it arrives (B 4.5).

use std::borrow::Cow;

use bytes::Bytes;

use super::InvalidData;
use super::scan::{Collection, Cut, Scanner, Shape, unescape};

const SHAPE: Shape = Shape {
    what: "the poll body",
    collections: &[Collection { name: "events", is_object: false }],
    fields: &["event", "data"],
};

/// The places of [`SHAPE`]'s fields.
const EVENT: usize = 0;
const DATA: usize = 1;

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
        let cut = self.scanner.next();
        let event = cut.and_then(|cut| cut.map(event).transpose());
        if let Err(error) = &event {
            self.failed = Some(error.clone());
        }
        event
    }

    /// The body has ended, and all its events were pulled.
    ///
    /// # Errors
    /// [`InvalidData`] when it ended early, or had failed before.
    pub fn finish(&self) -> Result<(), InvalidData> {
        self.failed.clone().map_or_else(|| self.scanner.finish(), Err)
    }
}

fn event(cut: Cut<'_>) -> Result<PollEvent<'_>, InvalidData> {
    Ok(PollEvent {
        name: cut.field(EVENT).map_or(Ok(Cow::Borrowed("")), name)?,
        data: cut.field(DATA).unwrap_or("null"),
    })
}

/// The name in the value of `event`; null is no name.
fn name(value: &str) -> Result<Cow<'_, str>, InvalidData> {
    if value == "null" {
        return Ok(Cow::Borrowed(""));
    }
    let invalid = |why: String| InvalidData::json("`event` in the poll body", why);
    let quoted = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let quoted = quoted.ok_or_else(|| invalid("not a string".to_owned()))?;
    unescape(quoted).map_err(|error| invalid(error.to_string()))
}

#[cfg(test)]
mod tests;

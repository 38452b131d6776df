//! The body of an FDv1 poll, item by item as it arrives (B 5.7).

use std::borrow::Cow;

use bytes::Bytes;

use super::InvalidData;
use super::scan::{Collection, Scanner, Shape};
use crate::model::Kind;

const SHAPE: Shape = Shape {
    what: "the FDv1 body",
    collections: &[
        Collection { name: "flags", is_object: true },
        Collection { name: "segments", is_object: true },
    ],
};

/// The kinds of [`SHAPE`]'s collections, in their order.
const KINDS: [Kind; 2] = [Kind::Flag, Kind::Segment];

/// Reads one FDv1 body: push bytes, pull items, and [`finish`](Self::finish) when the body has
/// ended (B 5.7).
///
/// Where the bytes are cut changes nothing, and the time is linear in them. One item is held at
/// most, within the limit (B 1.13); what the body holds beside its items is checked and dropped.
/// Nothing that was pulled counts before `finish` has said that the body was whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Fdv1Body {
    scanner: Scanner,
    failed: Option<InvalidData>,
}

/// One member of `flags` or `segments`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fdv1Item<'a> {
    /// Which of the two it is in.
    pub kind: Kind,
    /// The member's name.
    pub key: Cow<'a, str>,
    /// The member's text. It ends where one JSON value would; whether it is one is for the decoder
    /// to say.
    pub object: &'a str,
}

impl Fdv1Body {
    /// A reader at the start of a body. `event_limit` bounds each item with its key (B 1.13).
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

    /// The next item, or `None` when more bytes are needed.
    ///
    /// # Errors
    /// [`InvalidData`] when the body is not JSON around its items, not UTF-8, has neither `flags`
    /// nor `segments` or one of them is not an object, or an item goes over the limit. The items
    /// before the fault are handed out first; after an error there is nothing but the same error.
    #[expect(clippy::should_implement_trait, reason = "an item borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Fdv1Item<'_>>, InvalidData> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let item = match self.scanner.next() {
            Ok(None) => return Ok(None),
            Ok(Some(collection)) => item(collection, self.scanner.key(), self.scanner.member()),
            Err(error) => Err(error),
        };
        if let Err(error) = &item {
            self.failed = Some(error.clone());
        }
        item
    }

    /// The body has ended, and all its items were pulled.
    ///
    /// # Errors
    /// [`InvalidData`] when it ended early, or had failed before.
    pub fn finish(&self) -> Result<(), InvalidData> {
        self.failed.clone().map_or_else(|| self.scanner.finish(), Err)
    }
}

fn item<'a>(
    collection: usize,
    key: &'a [u8],
    member: &'a [u8],
) -> Result<Option<Fdv1Item<'a>>, InvalidData> {
    let Some(&kind) = KINDS.get(collection) else { return Ok(None) };
    let object = simdutf8::basic::from_utf8(member)
        .map_err(|_| InvalidData::utf8("an item of the FDv1 body"))?;
    Ok(Some(Fdv1Item { kind, key: unescape(key)?, object }))
}

/// The text of a JSON string whose grammar has been checked.
fn unescape(quoted: &[u8]) -> Result<Cow<'_, str>, InvalidData> {
    if !quoted.contains(&b'\\') {
        let text = simdutf8::basic::from_utf8(quoted)
            .map_err(|_| InvalidData::utf8("a key of the FDv1 body"))?;
        return Ok(Cow::Borrowed(text.trim_matches('"')));
    }
    serde_json::from_slice(quoted)
        .map(Cow::Owned)
        .map_err(|error| InvalidData::json("a key of the FDv1 body", error))
}

#[cfg(test)]
mod tests;

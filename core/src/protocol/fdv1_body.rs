//! The body of an FDv1 poll, item by item as it arrives (B 5.7).

use std::borrow::Cow;

use bytes::Bytes;

use super::InvalidData;
use super::scan::{Collection, Cut, Scanner, Shape, unescape};
use crate::model::Kind;

const SHAPE: Shape = Shape {
    what: "the FDv1 body",
    collections: &[
        Collection { name: "flags", is_object: true },
        Collection { name: "segments", is_object: true },
    ],
    fields: &[],
};

/// The place of [`SHAPE`]'s collection of flags.
const FLAGS: usize = 0;

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
    /// The member's text: one JSON value.
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
    /// [`InvalidData`] when the body is not JSON, not UTF-8, has neither `flags`
    /// nor `segments` or one of them is not an object, or an item goes over the limit. The items
    /// before the fault are handed out first; after an error there is nothing but the same error.
    #[expect(clippy::should_implement_trait, reason = "an item borrows from the reader")]
    pub fn next(&mut self) -> Result<Option<Fdv1Item<'_>>, InvalidData> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let cut = self.scanner.next();
        let item = cut.and_then(|cut| cut.map(item).transpose());
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

fn item(cut: Cut<'_>) -> Result<Fdv1Item<'_>, InvalidData> {
    let kind = if cut.collection == FLAGS { Kind::Flag } else { Kind::Segment };
    let key =
        unescape(cut.key).map_err(|error| InvalidData::json("a key of the FDv1 body", error))?;
    Ok(Fdv1Item { kind, key, object: cut.text })
}

#[cfg(test)]
mod tests;

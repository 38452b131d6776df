//! Flags and segments: decoded once, when they arrive, into the form that evaluation borrows.
//!
//! Decoding is lenient (B 1.9): a missing or null field is its default, a number may be spelled in
//! any way, unknown fields and operators are skipped, and what only makes no sense costs its own
//! clause or flag when that is evaluated. The text is kept beside the model, so nothing is lost.

mod clause;
mod date;
mod decode;
mod error;
mod flag;
mod head;
mod item;
mod keys;
mod pattern;
mod rollout;
mod same;
mod segment;
mod target;
mod version;

use std::borrow::Cow;
use std::fmt;

pub(crate) use clause::{Clause, Comparison, Literals, Test};
pub(crate) use date::Moment;
pub(crate) use decode::VariationIndex;
pub use error::DecodeError;
pub use flag::Flag;
pub(crate) use flag::{Prerequisite, Rule};
pub(crate) use head::Head;
pub use item::{Decoded, Item};
pub(crate) use keys::{KeySet, hash};
pub(crate) use rollout::{Outcome, Rollout};
pub use same::is_same_value;
pub use segment::Segment;
pub(crate) use segment::{SegmentShare, SegmentTarget};
pub(crate) use target::KindName;
pub(crate) use version::Version;

/// The two kinds of objects that a source brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A feature flag.
    Flag,
    /// A segment: a group of contexts that flags refer to.
    Segment,
}

impl Kind {
    /// The name on the wire: `flag` or `segment`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Flag => "flag",
            Self::Segment => "segment",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an [`Item`] can hold: [`Flag`] and [`Segment`].
pub trait Model: Clone + fmt::Debug + PartialEq + Send + Sync + 'static {
    /// The kind of object that this is.
    const KIND: Kind;

    /// Calls `visit` for each flag and segment that this one refers to: prerequisites, and segments
    /// in clauses. The same one may come more than once.
    fn references(&self, visit: &mut dyn FnMut(Kind, &str));

    /// Reads the model and what the text says of itself (B 1.9). To decode an item, see
    /// [`Item::decode`].
    fn read(text: &str) -> serde_json::Result<Reading<'_, Self>>;
}

/// A model, and what its text says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading<'a, T> {
    /// The object's own key.
    pub key: Option<Cow<'a, str>>,
    /// The object's own version.
    pub version: Option<u64>,
    /// Whether the object says that it is a deletion.
    pub is_deleted: bool,
    /// The rest.
    pub model: T,
}

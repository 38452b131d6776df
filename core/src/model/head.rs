//! What an object says of itself, without the rest of it.

use super::decode::{Whole, object};

object!(Spelled {
    "version" => version: Whole,
    "deleted" => is_deleted: bool,
});

/// Version and deletion of an object, read in any of the spellings that a model allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// Zero if the object has none.
    pub(crate) version: u64,
    pub(crate) is_deleted: bool,
}

impl Head {
    /// `None` if the text is no object, or what is asked for has the wrong type.
    pub(crate) fn read(text: &str) -> Option<Self> {
        let fields: Spelled = serde_json::from_str(text).ok()?;
        Some(Self {
            version: fields.version.unwrap_or_default().to_u64(),
            is_deleted: fields.is_deleted.unwrap_or_default(),
        })
    }
}

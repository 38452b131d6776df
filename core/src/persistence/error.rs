//! How the calls of a store end.

/// A call of a store failed.
///
/// The message is for people, and is shown in statuses and logs: it must hold no secret (B 11.1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct StoreError {
    message: Box<str>,
}

impl StoreError {
    /// An error with this message, which must hold no secret.
    pub fn new(message: impl Into<Box<str>>) -> Self {
        Self { message: message.into() }
    }

    /// What happened, for people.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// What became of a record that was to be written over an older one (B 9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upserted {
    /// The store holds it now.
    Written,
    /// The store holds the same version or a higher one, and keeps it.
    NotNewer,
    /// The store has no `$inited` marker. Nothing was written: one record alone would pass for all.
    NotInitialized,
}

//! Immutable data that readers see.

/// Placeholder.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Snapshot {}
/// Placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSet {}
/// Placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct FlagsChanged {}
/// Placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct Garbage {}

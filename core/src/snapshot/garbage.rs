//! What is no longer needed, and may take long to free.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::dependencies::ItemId;
use super::snapshot::Snapshot;
use super::staging::Staging;

/// Data to be freed where time does not matter: freeing 100,000 flags takes a good part of a
/// second.
///
/// Whoever frees it keeps it while [`Garbage::is_shared`], so that no reader is left to free it.
#[derive(Clone, Default)]
pub struct Garbage(Vec<Part>);

#[derive(Clone)]
enum Part {
    Snapshot(Arc<Snapshot>),
    Staging(Arc<Staging>),
    Touched(Arc<BTreeSet<ItemId>>),
}

impl Part {
    fn is_shared(&self) -> bool {
        match self {
            Self::Snapshot(part) => Arc::strong_count(part) > 1,
            Self::Staging(part) => Arc::strong_count(part) > 1,
            Self::Touched(part) => Arc::strong_count(part) > 1,
        }
    }

    /// What it is and how many items are in it.
    fn summary(&self) -> (&'static str, usize) {
        match self {
            Self::Snapshot(snapshot) => ("snapshot", snapshot.objects()),
            Self::Staging(staging) => ("staging", staging.objects()),
            Self::Touched(touched) => ("touched", touched.len()),
        }
    }
}

impl Garbage {
    pub(super) fn snapshot(snapshot: Arc<Snapshot>) -> Self {
        Self(vec![Part::Snapshot(snapshot)])
    }

    pub(super) fn staging(staging: Staging) -> Self {
        Self(vec![Part::Staging(Arc::new(staging))])
    }

    pub(super) fn touched(touched: Arc<BTreeSet<ItemId>>) -> Self {
        if touched.is_empty() { Self::default() } else { Self(vec![Part::Touched(touched)]) }
    }

    /// These and those.
    pub fn and(mut self, mut other: Self) -> Self {
        self.0.append(&mut other.0);
        self
    }

    /// The same but for snapshots, which stay held elsewhere.
    pub(super) fn without_snapshots(mut self) -> Self {
        self.0.retain(|part| !matches!(part, Part::Snapshot(_)));
        self
    }

    /// Whether there is nothing to free.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether someone else still uses a part of it.
    pub fn is_shared(&self) -> bool {
        self.0.iter().any(Part::is_shared)
    }
}

/// By kind and number of what is in it, which is cheap.
impl PartialEq for Garbage {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().map(Part::summary).eq(other.0.iter().map(Part::summary))
    }
}

impl fmt::Debug for Garbage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.0.iter().map(Part::summary)).finish()
    }
}

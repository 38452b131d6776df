//! Change sets from elsewhere than the wire: files, test data, custom sources (B 3.12, 4.6).

use std::sync::Arc;

use super::garbage::Garbage;
use super::snapshot::{Held, Snapshot};
use super::staging::{Commit, Staging};
use crate::limits::Limits;
use crate::model::Kind;
use crate::protocol::event::IntentCode;
use crate::protocol::{InvalidData, Selector};

/// A completed transfer of a custom source, decoded and ready to be swapped in.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSet {
    staging: Staging,
    selector: Option<Selector>,
}

/// Puts a [`ChangeSet`] together. Decoding happens here, on the source's own thread.
///
/// ```
/// use fdv2_core::model::Kind;
/// use fdv2_core::snapshot::ChangeSetBuilder;
///
/// let mut builder = ChangeSetBuilder::full();
/// builder.put(Kind::Flag, "new-home", 1, r#"{"on": true, "variations": [false, true]}"#)?;
/// let change_set = builder.finish(None);
/// # Ok::<(), fdv2_core::protocol::InvalidData>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeSetBuilder {
    staging: Staging,
    limits: Limits,
}

impl ChangeSetBuilder {
    /// Begins a change set that replaces everything.
    pub fn full() -> Self {
        Self { staging: Staging::full(&Arc::default(), false), limits: Limits::default() }
    }

    /// Begins a change set that is merged into what is held.
    pub fn changes() -> Self {
        Self { staging: Staging::changes(&Arc::default()), limits: Limits::default() }
    }

    /// Bounds it otherwise than by default (B 1.13).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Adds or changes an item. `object` is its JSON; `version` counts if it names none itself
    /// (B 1.8). One that says `deleted: true` is a deletion.
    ///
    /// # Errors
    /// [`InvalidData`] if the object cannot be decoded (B 1.9) or a limit is gone over (B 1.13).
    /// The builder stays as it was, and usable.
    pub fn put(
        &mut self,
        kind: Kind,
        key: &str,
        version: u64,
        object: &str,
    ) -> Result<&mut Self, InvalidData> {
        self.staging.put(kind, key, version, object, &self.limits)?;
        Ok(self)
    }

    /// Deletes an item.
    ///
    /// # Errors
    /// [`InvalidData`] if a limit is gone over (B 1.13).
    pub fn delete(
        &mut self,
        kind: Kind,
        key: &str,
        version: u64,
    ) -> Result<&mut Self, InvalidData> {
        self.staging.delete(kind, key, version, &self.limits)?;
        Ok(self)
    }

    /// The change set. Without a selector what is then held has none (B 2.1).
    pub fn finish(self, selector: Option<Selector>) -> ChangeSet {
        ChangeSet { staging: self.staging, selector }
    }
}

impl ChangeSet {
    /// Whether it is merged into what is held, and so needs that (B 1.14).
    pub fn is_changes(&self) -> bool {
        self.staging.is_changes()
    }

    /// Rejected: there is no data that it could be merged into (B 1.14).
    pub(crate) fn without_base(self) -> Rejected {
        let error = InvalidData::missing_base(IntentCode::Changes.name());
        Rejected { error, garbage: self.staging.abandon() }
    }
}

/// A change set that cannot be applied.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    /// Why.
    pub error: InvalidData,
    /// What is left of it, to be freed elsewhere.
    pub garbage: Garbage,
}

impl Snapshot {
    /// Applies a change set to `held`. A full one is swapped in whatever its size, changes are
    /// merged one by one.
    ///
    /// # Errors
    /// [`Rejected`] if it holds changes and no full change set is held (B 1.14), its selector is
    /// empty or too long, or the data would go over its limits (B 1.13).
    pub fn apply(
        held: &Arc<Self>,
        change_set: ChangeSet,
        limits: &Limits,
    ) -> Result<Commit, Rejected> {
        if change_set.is_changes() && held.held() != Held::Whole {
            return Err(change_set.without_base());
        }
        let ChangeSet { staging, selector } = change_set;
        if let Some(Err(error)) = selector.as_ref().map(|selector| selector.check(limits)) {
            return Err(Rejected { error, garbage: staging.abandon() });
        }
        if !staging.is_changes() {
            return staging.in_place_of(held).complete(selector, limits);
        }
        let mut merged = Staging::changes(held);
        merged.merge(&staging);
        merged.complete(selector, limits)
    }
}

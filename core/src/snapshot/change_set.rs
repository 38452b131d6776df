//! Change sets from elsewhere than the wire: files, test data, custom sources (B 3.12, 4.6).

use std::borrow::Cow;
use std::sync::Arc;

use super::garbage::Garbage;
use super::items::Kept;
use super::snapshot::{Held, Snapshot};
use super::staging::{Commit, Staging};
use crate::limits::Limits;
use crate::model::{Flag, Kind, Segment};
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

    /// How many bytes of keys and texts its calls had, repetitions included (B 1.13).
    pub fn bytes(&self) -> usize {
        self.staging.received_bytes()
    }

    /// What it leads to, if its source says so.
    pub fn selector(&self) -> Option<&Selector> {
        self.selector.as_ref()
    }

    /// The calls of a [`ChangeSetBuilder`] that give a change set which does the same: for writing
    /// one down.
    pub fn calls(&self) -> Vec<Call<'_>> {
        let mut calls: Vec<_> =
            self.calls_for::<Segment>().chain(self.calls_for::<Flag>()).collect();
        if calls.is_empty() && self.staging.has_new() {
            // Whatever was put and deleted again is no item, but not nothing.
            calls.push(Call::Put { kind: Kind::Flag, key: "", version: 0, object: "{}".into() });
        }
        if self.staging.objects() == 0 && !self.staging.is_empty() {
            calls.push(Call::Delete { kind: Kind::Flag, key: "", version: 0 });
        }
        calls
    }

    fn calls_for<T: Kept>(&self) -> impl Iterator<Item = Call<'_>> {
        self.staging.slots::<T>().iter().map(|(key, slot)| match slot.live() {
            Some(item) => {
                Call::Put { kind: T::KIND, key, version: item.version(), object: item.as_it_came() }
            }
            None => Call::Delete { kind: T::KIND, key, version: slot.version() },
        })
    }

    /// Rejected: there is no data that it could be merged into (B 1.14).
    pub(crate) fn without_base(self) -> Rejected {
        let error = InvalidData::missing_base(IntentCode::Changes.name());
        Rejected { error, garbage: self.staging.abandon() }
    }
}

/// One call of a [`ChangeSetBuilder`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call<'a> {
    /// [`ChangeSetBuilder::put`].
    Put {
        /// Flag or segment.
        kind: Kind,
        /// Its key.
        key: &'a str,
        /// The envelope's version.
        version: u64,
        /// Its JSON text.
        object: Cow<'a, str>,
    },
    /// [`ChangeSetBuilder::delete`].
    Delete {
        /// Flag or segment.
        kind: Kind,
        /// Its key.
        key: &'a str,
        /// The version of the deletion.
        version: u64,
    },
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

#[cfg(test)]
mod tests {
    use super::*;

    fn again(change_set: &ChangeSet) -> ChangeSet {
        let mut builder = match change_set.is_changes() {
            true => ChangeSetBuilder::changes(),
            false => ChangeSetBuilder::full(),
        };
        for call in change_set.calls() {
            match call {
                Call::Put { kind, key, version, object } => {
                    builder.put(kind, key, version, &object).unwrap();
                }
                Call::Delete { kind, key, version } => {
                    builder.delete(kind, key, version).unwrap();
                }
            }
        }
        builder.finish(change_set.selector().cloned())
    }

    /// A recording writes change sets down, and must replay to the last bit.
    #[test]
    fn a_change_set_written_down_as_calls_does_the_same() {
        let limits = Limits::default();
        let whole =
            Snapshot::apply(&Arc::default(), ChangeSetBuilder::full().finish(None), &limits);
        for held in [Arc::default(), whole.unwrap().snapshot] {
            for (puts, deletions) in [(0, 0), (0, 1), (1, 1), (2, 1), (2, 0)] {
                for begin in [ChangeSetBuilder::full, ChangeSetBuilder::changes] {
                    let mut builder = begin();
                    for key in ["a", "b"].into_iter().take(puts) {
                        builder.put(Kind::Flag, key, 3, r#"{"key":"z"}"#).unwrap();
                        builder.put(Kind::Segment, key, 3, "{}").unwrap();
                    }
                    for key in ["a", "b"].into_iter().take(deletions) {
                        builder.delete(Kind::Flag, key, 4).unwrap();
                        builder.delete(Kind::Segment, key, 5).unwrap();
                    }
                    let change_set = builder.finish(Some(Selector::new("s", 1)));
                    let copy = again(&change_set);
                    let applied = Snapshot::apply(&held, change_set, &limits);
                    assert_eq!(applied, Snapshot::apply(&held, copy, &limits));
                }
            }
        }
    }
}

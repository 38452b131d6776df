//! What a store holds, as it is shown.

use fdv2_client::core::model::{Decoded, Flag, Kind, Model, Segment};
use fdv2_client::core::persistence::read_record;
use fdv2_client::store::StoreError;

use super::Clearable;

/// Everything that is shown of a store. No text of a flag, and no secret, is in it.
pub(super) struct Contents {
    pub(super) is_initialized: bool,
    pub(super) records: Vec<Record>,
}

/// One record.
pub(super) struct Record {
    pub(super) kind: Kind,
    pub(super) key: String,
    /// `None` for a record that cannot be read.
    pub(super) version: Option<u64>,
    pub(super) state: State,
}

/// What a record is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    Live,
    Deleted,
    Unreadable(String),
}

impl Contents {
    /// Reads the whole store.
    pub(super) fn read(store: &dyn Clearable) -> Result<Self, StoreError> {
        let mut records = Vec::new();
        store.all(Kind::Flag, &mut |key, value| records.push(record::<Flag>(key, value)))?;
        store.all(Kind::Segment, &mut |key, value| records.push(record::<Segment>(key, value)))?;
        records.sort_by(|one, other| (one.kind, &one.key).cmp(&(other.kind, &other.key)));
        Ok(Self { is_initialized: store.is_initialized()?, records })
    }

    /// How many records of `kind` are live.
    pub(super) fn live(&self, kind: Kind) -> usize {
        let is_it = |record: &&Record| record.kind == kind && record.state == State::Live;
        self.records.iter().filter(is_it).count()
    }

    /// How many records are in this state.
    pub(super) fn count(&self, is_it: impl Fn(&State) -> bool) -> usize {
        self.records.iter().filter(|record| is_it(&record.state)).count()
    }
}

fn record<T: Model>(key: &[u8], value: &[u8]) -> Record {
    let (version, state) = match read_record::<T>(key, value) {
        Ok(Decoded::Live(item)) => (Some(item.version()), State::Live),
        Ok(Decoded::Deleted { version }) => (Some(version), State::Deleted),
        Err(corrupt) => (None, State::Unreadable(corrupt.to_string())),
    };
    Record { kind: T::KIND, key: String::from_utf8_lossy(key).into_owned(), version, state }
}

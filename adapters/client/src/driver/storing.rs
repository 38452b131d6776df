//! The live effect of the store's lane.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use fdv2_core::persistence::{Scope, StoreError, StoreWrite, Upserted};
use fdv2_core::{EffectId, Outcome};

use crate::store::{Call, PersistentStore, Store};

/// Work that the store was given and that was not cancelled. Dropping it gives up waiting.
pub(super) struct Storing {
    id: EffectId,
    call: Option<Work>,
}

enum Work {
    Write(Call<Upserted>),
    Probe(Call<()>),
}

impl Storing {
    pub(super) fn write(id: EffectId, store: &Store, write: StoreWrite) -> Self {
        let call = store.write(move |store| write_to(store, &write));
        Self { id, call: Some(Work::Write(call)) }
    }

    pub(super) fn probe(id: EffectId, store: &Store) -> Self {
        Self { id, call: Some(Work::Probe(store.probe())) }
    }

    pub(super) fn id(&self) -> EffectId {
        self.id
    }

    /// The outcome. Pending for ever after it.
    pub(super) fn poll_outcome(&mut self, cx: &mut Context<'_>) -> Poll<Outcome> {
        let outcome = match &mut self.call {
            Some(Work::Write(call)) => Pin::new(call).poll(cx).map(Outcome::StoreWritten),
            Some(Work::Probe(call)) => Pin::new(call).poll(cx).map(Outcome::StoreProbed),
            None => Poll::Pending,
        };
        if outcome.is_ready() {
            self.call = None;
        }
        outcome
    }
}

/// Runs on the store's thread for writes.
fn write_to(store: &dyn PersistentStore, write: &StoreWrite) -> Result<Upserted, StoreError> {
    let records = write.records();
    if *write.scope() == Scope::Everything {
        return store.replace_all(&records).map(|()| Upserted::Written);
    }
    for record in &records {
        if store.upsert(record)? == Upserted::NotInitialized {
            return Ok(Upserted::NotInitialized);
        }
    }
    Ok(Upserted::Written)
}

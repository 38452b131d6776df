//! The live effect of the store's lane.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};

use fdv2_core::persistence::{Scope, StoreError, StoreWrite, Upserted};
use fdv2_core::{EffectId, Outcome};

use crate::shared::Shared;
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
    pub(super) fn write(
        id: EffectId,
        store: &Store,
        write: StoreWrite,
        shared: &Arc<Shared>,
    ) -> Self {
        let client = Arc::downgrade(shared);
        let call = store.write(move |store| write_to(store, &write, &client));
        Self { id, call: Some(Work::Write(call)) }
    }

    pub(super) fn probe(id: EffectId, store: &Store, shared: &Arc<Shared>) -> Self {
        let client = Arc::downgrade(shared);
        let call = store.write(move |store| {
            check_open(&client)?;
            store.probe()
        });
        Self { id, call: Some(Work::Probe(call)) }
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
fn write_to(
    store: &dyn PersistentStore,
    write: &StoreWrite,
    client: &Weak<Shared>,
) -> Result<Upserted, StoreError> {
    check_open(client)?;
    let records = write.records();
    if *write.scope() == Scope::Everything {
        return store.replace_all(&records).map(|()| Upserted::Written);
    }
    for record in &records {
        check_open(client)?;
        if store.upsert(record)? == Upserted::NotInitialized {
            return Ok(Upserted::NotInitialized);
        }
    }
    Ok(Upserted::Written)
}

/// Before each call, as the driver may not have had the time to withdraw it: once a `close` has
/// returned none begins (B 10.2).
fn check_open(client: &Weak<Shared>) -> Result<(), StoreError> {
    match client.upgrade() {
        Some(shared) if !shared.facts().is_ended() => Ok(()),
        _ => Err(StoreError::new("the client is closed")),
    }
}

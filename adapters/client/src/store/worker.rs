//! The two threads of a store.

use std::fmt;
use std::sync::Arc;
use std::thread;

use fdv2_core::persistence::{Record, StoreError, Upserted};
use futures::channel::oneshot;

use super::lane::{Lane, Question, Turn};
use super::{Answer, Call, PersistentStore, Query, Ticket};
use crate::contain::contain;

/// How many writes and probes may wait: each client has one at most.
const WRITES: usize = 1024;

/// How many different questions may wait.
pub(crate) const QUERIES: usize = 16_384;

/// A store with the threads that its calls run on: one for writes, one for reads (B 9.8).
///
/// Clones are the same store. Clients that share a database within a process have to share this:
/// then a write begins only when the one before it has returned, whichever client it is of, and
/// even if that has given up on it (B 9.5).
///
/// No runtime waits for the threads. They end when the last clone is gone and the calls that wait
/// are done; then the store is closed and dropped, on the thread that ends last.
#[derive(Clone)]
pub struct Store(Arc<Lanes>);

struct Lanes {
    writes: Arc<Lane<Query>>,
    reads: Arc<Lane<Query>>,
    /// Why there are no threads.
    fault: Option<StoreError>,
}

impl Store {
    /// Gives `store` its threads.
    pub fn new(store: impl PersistentStore) -> Self {
        Self::shared(Arc::new(store))
    }

    /// Gives `store` its threads. Do that once for each store, and clone what it gives.
    pub fn shared(store: Arc<dyn PersistentStore>) -> Self {
        let owned = Owned::new(store);
        let (writes, reads) = (Lane::new(WRITES), Lane::new(QUERIES));
        let fault = start("fdv2-writes", &writes, &owned)
            .and_then(|()| start("fdv2-reads", &reads, &owned))
            .err();
        Self(Arc::new(Lanes { writes, reads, fault }))
    }

    /// Runs `work` on the thread for writes, when all that came before it is done.
    pub fn write<R: Send + 'static>(
        &self,
        work: impl FnOnce(&dyn PersistentStore) -> Result<R, StoreError> + Send + 'static,
    ) -> Call<R> {
        let (answer, result) = oneshot::channel();
        let ticket = self.usable().and_then(|lanes| {
            lanes.writes.work(Box::new(move |store| {
                // Nobody may be left to hear of it.
                let _ = answer.send(contain(|| work(store)).unwrap_or_else(panicked));
            }))
        });
        Call::new(ticket, result)
    }

    /// Makes `records` the only ones, then sets the marker.
    pub fn replace_all(&self, records: Vec<Record>) -> Call<()> {
        self.write(move |store| store.replace_all(&records))
    }

    /// Writes one record over an older one.
    pub fn upsert(&self, record: Record) -> Call<Upserted> {
        self.write(move |store| store.upsert(&record))
    }

    /// Asks whether the database answers, after the writes that came before.
    pub fn probe(&self) -> Call<()> {
        self.write(|store| store.probe())
    }

    /// Asks the store. One call answers all who ask the same before it begins.
    pub fn read(&self, query: Query) -> Call<Answer> {
        let (answer, result) = oneshot::channel();
        let ticket = self.read_with(query, move |found| {
            // Nobody may be left to hear of it.
            let _ = answer.send(found.clone());
        });
        Call::new(ticket, result)
    }

    /// Asks the store, and calls `reader` with the answer, on the thread for reads.
    ///
    /// # Errors
    /// Too many questions wait, or there is no thread.
    pub fn read_with(
        &self,
        query: Query,
        reader: impl FnOnce(&Result<Answer, StoreError>) + Send + 'static,
    ) -> Result<Ticket, StoreError> {
        self.usable()?.reads.read(query, Box::new(reader))
    }

    fn usable(&self) -> Result<&Lanes, StoreError> {
        match &self.0.fault {
            None => Ok(&self.0),
            Some(fault) => Err(fault.clone()),
        }
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}

impl Drop for Lanes {
    fn drop(&mut self) {
        self.writes.close();
        self.reads.close();
    }
}

/// The store, closed when the last of its threads lets go of it.
pub(crate) struct Owned<Q: Question>(Option<Arc<Q::Store>>);

impl<Q: Question> Owned<Q> {
    pub(crate) fn new(store: Arc<Q::Store>) -> Arc<Self> {
        Arc::new(Self(Some(store)))
    }
}

impl<Q: Question> Drop for Owned<Q> {
    fn drop(&mut self) {
        let Some(store) = self.0.take() else { return };
        // Nobody is left to hear of a panic.
        contain(move || Q::close(&store));
    }
}

/// Starts the thread of a lane. It ends when the lane is closed and what waits there is done.
pub(crate) fn start<Q: Question>(
    name: &str,
    lane: &Arc<Lane<Q>>,
    owned: &Arc<Owned<Q>>,
) -> Result<(), StoreError> {
    let (lane, owned) = (Arc::clone(lane), Arc::clone(owned));
    thread::Builder::new()
        .name(name.into())
        .spawn(move || run(&lane, &owned))
        .map(drop)
        .map_err(|error| StoreError::new(format!("no thread for the store: {error}")))
}

fn run<Q: Question>(lane: &Lane<Q>, owned: &Owned<Q>) {
    let Some(store) = owned.0.as_deref() else { return };
    while let Some(turn) = lane.next() {
        match turn {
            Turn::Work(work) => {
                contain(|| work(store));
            }
            Turn::Read(query, readers) => {
                let answer = contain(|| query.ask(store)).unwrap_or_else(panicked);
                for reader in readers.into_values() {
                    contain(|| reader(&answer));
                }
            }
        }
    }
}

/// The error of a call that panicked. It does not repeat the panic's text: that may hold anything.
fn panicked<R>() -> Result<R, StoreError> {
    Err(StoreError::new("the store panicked; standard error has the message"))
}

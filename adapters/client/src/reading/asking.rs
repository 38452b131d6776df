//! The questions that wait for the store, for as long as it may be asked.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::channel::oneshot;
use futures::future::{Either, select};

use crate::contain::contain;
use crate::store::{Answer, Query, Store, StoreError, Ticket};

/// Asks the store until that is over: then what waits is withdrawn, and no call begins any more
/// (B 9.1, 10.2).
pub(super) struct Asking {
    store: Store,
    /// `None` once it is over.
    waiting: Mutex<Option<Waiting>>,
}

#[derive(Default)]
struct Waiting {
    last_id: u64,
    questions: BTreeMap<u64, Question>,
    /// What is being loaded behind the synchronous form.
    behind: BTreeMap<Query, Ticket>,
}

/// One that somebody waits for. Dropped, it ends his wait, also for a call that has begun.
struct Question {
    ticket: Ticket,
    _end: oneshot::Sender<()>,
}

impl Asking {
    pub(super) fn new(store: Store) -> Self {
        Self { store, waiting: Mutex::new(Some(Waiting::default())) }
    }

    /// Asks, and waits for the answer. `None`: the store may not be asked any more.
    pub(super) async fn ask(&self, query: &Query) -> Option<Result<Answer, StoreError>> {
        let (answer, answered) = oneshot::channel();
        let (end, ended) = oneshot::channel();
        let reader = move |found: &Result<Answer, StoreError>| {
            // Nobody may be left to hear of it.
            let _ = answer.send(found.clone());
        };
        let place = {
            let mut waiting = self.waiting();
            let waiting = waiting.as_mut()?;
            match self.store.read_with(query.clone(), reader) {
                Ok(ticket) => {
                    waiting.last_id += 1;
                    let question = Question { ticket, _end: end };
                    waiting.questions.insert(waiting.last_id, question);
                    Place { asking: self, id: waiting.last_id }
                }
                Err(error) => return Some(Err(error)),
            }
        };
        let answer = match select(answered, ended).await {
            Either::Left((answer, _)) => answer.ok(),
            Either::Right(_) => None,
        };
        drop(place);
        answer
    }

    /// Asks, and has `reader` called with the answer, unless the same is being loaded already. A
    /// queue that is full is tried again by the next evaluation.
    pub(super) fn ask_behind(
        &self,
        query: Query,
        reader: impl FnOnce(&Result<Answer, StoreError>) + Send + 'static,
    ) {
        let mut waiting = self.waiting();
        let waiting = waiting.as_mut().filter(|waiting| !waiting.behind.contains_key(&query));
        let Some(waiting) = waiting else { return };
        let ticket = self.store.read_with(query.clone(), reader);
        waiting.behind.extend(ticket.ok().map(|ticket| (query, ticket)));
    }

    /// What was asked behind has been answered.
    pub(super) fn answered_behind(&self, query: &Query) {
        let ticket = self.waiting().as_mut().and_then(|waiting| waiting.behind.remove(query));
        drop(ticket);
    }

    /// The store is not asked again. Ends every wait.
    pub(super) fn close(&self) {
        let mut waiting = self.waiting();
        let Some(over) = waiting.take() else { return };
        let tickets = over.questions.values().map(|question| &question.ticket);
        // Before anybody is woken, and before another `close` finds that it is over.
        let withdrawn: Vec<_> = tickets.chain(over.behind.values()).map(Ticket::withdraw).collect();
        drop(waiting);
        for withdrawn in withdrawn {
            contain(|| drop(withdrawn));
        }
        for question in over.questions.into_values() {
            contain(|| drop(question));
        }
    }

    fn waiting(&self) -> MutexGuard<'_, Option<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a question. Dropped, it withdraws the question.
struct Place<'a> {
    asking: &'a Asking,
    id: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let question =
            self.asking.waiting().as_mut().and_then(|waiting| waiting.questions.remove(&self.id));
        // It may run code of others, so nothing must be locked.
        drop(question);
    }
}

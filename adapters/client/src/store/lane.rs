//! What waits for one of a store's threads.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use fdv2_core::persistence::StoreError;

/// What is asked of a store, on a thread of the store's own.
pub(crate) trait Question: Clone + Ord + Send + 'static {
    /// The store.
    type Store: ?Sized + Send + Sync + 'static;
    /// What it answers.
    type Answer: Send + 'static;

    /// Whether it is asked before all that waits, but for one turn between two such. There is one
    /// question at most of which this is so.
    fn is_urgent(&self) -> bool {
        false
    }

    /// Asks `store`.
    fn ask(&self, store: &Self::Store) -> Result<Self::Answer, StoreError>;

    /// The last call.
    fn close(store: &Self::Store);
}

/// Something to be done with the store.
pub(super) type Work<Q> = Box<dyn FnOnce(&<Q as Question>::Store) + Send>;

/// Somebody who waits for an answer.
pub(crate) type Reader<Q> = Box<dyn FnOnce(&Result<<Q as Question>::Answer, StoreError>) + Send>;

/// What comes to the thread as one call.
pub(super) enum Turn<Q: Question> {
    /// A write, or a probe.
    Work(Work<Q>),
    /// A question, for all who asked it before it was put.
    Read(Q, BTreeMap<u64, Reader<Q>>),
}

/// A bounded queue in front of one thread. What waits can be withdrawn; what has begun cannot.
pub(crate) struct Lane<Q: Question> {
    capacity: usize,
    state: Mutex<State<Q>>,
    changed: Condvar,
}

struct State<Q: Question> {
    turns: BTreeMap<u64, Turn<Q>>,
    /// The turns of the questions that wait.
    queries: BTreeMap<Q, u64>,
    /// The turn of the urgent question, if that waits.
    urgent: Option<u64>,
    was_urgent: bool,
    /// Counts up with each turn and with each reader.
    next_id: u64,
    is_open: bool,
}

impl<Q: Question> Lane<Q> {
    pub(crate) fn new(capacity: usize) -> Arc<Self> {
        let state = State {
            turns: BTreeMap::new(),
            queries: BTreeMap::new(),
            urgent: None,
            was_urgent: false,
            next_id: 0,
            is_open: true,
        };
        Arc::new(Self { capacity, state: Mutex::new(state), changed: Condvar::new() })
    }

    /// Lets `work` wait for its turn.
    pub(super) fn work(self: &Arc<Self>, work: Work<Q>) -> Result<Ticket, StoreError> {
        let mut state = self.lock();
        let turn = state.add(Turn::Work(work), self.capacity)?;
        self.changed.notify_one();
        let lane: Arc<dyn Withdraw> = Arc::clone(self) as _;
        Ok(Ticket { lane, turn, reader: None })
    }

    /// Lets `reader` wait for the answer to `query`, along with others who do. Never for one that
    /// was asked before: that could be older than what `reader` knows of.
    pub(crate) fn read(
        self: &Arc<Self>,
        query: Q,
        reader: Reader<Q>,
    ) -> Result<Ticket, StoreError> {
        let mut state = self.lock();
        let turn = match state.queries.get(&query) {
            Some(turn) => *turn,
            None => {
                let asked = Turn::Read(query.clone(), BTreeMap::new());
                let turn = state.add(asked, self.capacity)?;
                if query.is_urgent() {
                    state.urgent = Some(turn);
                }
                state.queries.insert(query, turn);
                self.changed.notify_one();
                turn
            }
        };
        let id = state.next_id();
        if let Some(Turn::Read(_, readers)) = state.turns.get_mut(&turn) {
            readers.insert(id, reader);
        }
        let lane: Arc<dyn Withdraw> = Arc::clone(self) as _;
        Ok(Ticket { lane, turn, reader: Some(id) })
    }

    /// The next turn, which has begun with that. Waits for one; `None` when none will come.
    pub(super) fn next(&self) -> Option<Turn<Q>> {
        let mut state = self.lock();
        loop {
            if let Some(turn) = state.begin() {
                return Some(turn);
            }
            if !state.is_open {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Nothing more comes in. What waits is still done.
    pub(crate) fn close(&self) {
        self.lock().is_open = false;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<Q>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Q: Question> State<Q> {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn add(&mut self, turn: Turn<Q>, capacity: usize) -> Result<u64, StoreError> {
        if self.turns.len() >= capacity {
            return Err(StoreError::new("too many calls wait for the store"));
        }
        let id = self.next_id();
        self.turns.insert(id, turn);
        Ok(id)
    }

    fn begin(&mut self) -> Option<Turn<Q>> {
        let (oldest, _) = self.turns.first_key_value()?;
        let id = self.urgent.filter(|_| !self.was_urgent).unwrap_or(*oldest);
        self.was_urgent = self.urgent.take_if(|urgent| *urgent == id).is_some();
        let turn = self.turns.remove(&id)?;
        if let Turn::Read(query, _) = &turn {
            self.queries.remove(query);
        }
        Some(turn)
    }

    /// Takes a reader out of its turn, and the turn away if nobody is left in it. Gives both back.
    fn withdraw(&mut self, id: u64, reader: Option<u64>) -> (Option<Turn<Q>>, Option<Reader<Q>>) {
        let Some(reader) = reader else {
            return (self.turns.remove(&id), None);
        };
        let Some(Turn::Read(query, readers)) = self.turns.get_mut(&id) else {
            return (None, None);
        };
        let reader = readers.remove(&reader);
        if !readers.is_empty() {
            return (None, reader);
        }
        self.queries.remove(query);
        self.urgent.take_if(|urgent| *urgent == id);
        (self.turns.remove(&id), reader)
    }
}

/// The place of one call in its queue. Dropped, it withdraws the call, unless that has begun: once
/// the drop has returned, no call of the store begins for its sake. One that has begun goes on, and
/// who waits for its answer is still told.
#[must_use = "dropping it withdraws the call"]
pub struct Ticket {
    lane: Arc<dyn Withdraw>,
    turn: u64,
    reader: Option<u64>,
}

impl Ticket {
    /// Withdraws the call, and runs no code of others.
    pub(crate) fn withdraw(&self) -> Withdrawn {
        self.lane.withdraw(self.turn, self.reader)
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        drop(self.withdraw());
    }
}

/// What a call that was withdrawn leaves. To drop it may run code of others, as who waits for the
/// answer is woken: nothing may be locked then.
pub(super) type Withdrawn = Box<dyn Send>;

/// A lane, whatever is asked in it.
trait Withdraw: Send + Sync {
    fn withdraw(&self, turn: u64, reader: Option<u64>) -> Withdrawn;
}

impl<Q: Question> Withdraw for Lane<Q> {
    fn withdraw(&self, turn: u64, reader: Option<u64>) -> Withdrawn {
        Box::new(self.lock().withdraw(turn, reader))
    }
}

impl std::fmt::Debug for Ticket {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ticket").field("turn", &self.turn).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Question for u8 {
        type Store = ();
        type Answer = ();

        fn is_urgent(&self) -> bool {
            *self == 0
        }

        fn ask(&self, (): &()) -> Result<(), StoreError> {
            Ok(())
        }

        fn close((): &()) {}
    }

    fn ask(lane: &Arc<Lane<u8>>, query: u8) -> Ticket {
        lane.read(query, Box::new(|_| ())).unwrap()
    }

    fn next(lane: &Lane<u8>) -> Option<u8> {
        match lane.next()? {
            Turn::Read(query, _) => Some(query),
            Turn::Work(_) => None,
        }
    }

    #[test]
    fn what_is_urgent_goes_first_and_others_have_their_turns_all_the_same() {
        let lane = Lane::new(10);
        let _others = [3, 2, 1].map(|query| ask(&lane, query));
        let mut begun = Vec::new();
        for _ in 0..5 {
            let _urgent = ask(&lane, 0);
            begun.extend(next(&lane));
        }
        assert_eq!(begun, [0, 3, 0, 2, 0]);
        drop(ask(&lane, 0));
        assert_eq!(next(&lane), Some(1), "what was withdrawn is not waited for");
        lane.close();
        assert_eq!(next(&lane), None);
    }
}

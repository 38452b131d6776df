//! The store of memberships behind one client, and what waits for it.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use fdv2_core::Instant;
use fdv2_core::eval::{BigSegment, Membership};
use futures::channel::oneshot;

use super::cache::{Cache, Found};
use super::store::{BigSegmentStore, Metadata};
use super::{BigSegments, ContextHash};
use crate::contain::contain;
use crate::shared::{Clock, Shared};
use crate::store::{self, StoreError, Ticket};

/// What a store of memberships is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Query {
    Metadata,
    Memberships(ContextHash),
}

/// What it answers.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Metadata(Metadata),
    Memberships(Found),
}

impl store::Question for Query {
    type Store = dyn BigSegmentStore;
    type Answer = Answer;

    /// However many memberships a slow store is asked for (C 3.7).
    fn is_urgent(&self) -> bool {
        matches!(self, Self::Metadata)
    }

    fn ask(&self, store: &dyn BigSegmentStore) -> Result<Answer, StoreError> {
        match self {
            Self::Metadata => store.metadata().map(Answer::Metadata),
            Self::Memberships(context) => {
                store.memberships(context).map(|found| Answer::Memberships(Some(Arc::new(found))))
            }
        }
    }

    fn close(store: &dyn BigSegmentStore) {
        store.close();
    }
}

/// How long is waited for an answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The store of memberships as the evaluations of one client read it.
pub(crate) struct MembershipReading {
    segments: BigSegments,
    clock: Clock,
    cache: Cache,
    is_stale: AtomicBool,
    /// It does not answer, and nobody waits for it. Changed only while what is asked is locked.
    is_stuck: AtomicBool,
    /// A listener went by a failure, and is to be told when the store answers.
    is_owed: AtomicBool,
    /// `None` once the store may not be asked any more.
    asked: Mutex<Option<Asked>>,
    /// Whose listeners are told of other memberships.
    client: OnceLock<Weak<Shared>>,
}

/// The questions that wait for their answers, each of them once.
#[derive(Default)]
struct Asked {
    last_id: u64,
    last_answer: Instant,
    questions: BTreeMap<Query, Question>,
}

/// A question, and who waits for its answer.
struct Question {
    ticket: Ticket,
    /// When it was put, or waited for in vain last.
    since: Instant,
    /// Listeners wait for it as well.
    is_watched: bool,
    waiting: BTreeMap<u64, oneshot::Sender<Result<Answer, StoreError>>>,
}

impl MembershipReading {
    pub(crate) fn new(segments: BigSegments, clock: Clock) -> Arc<Self> {
        Arc::new(Self {
            cache: Cache::new(segments.cache_size, segments.cache_time),
            segments,
            clock,
            is_stale: AtomicBool::new(false),
            is_stuck: AtomicBool::new(false),
            is_owed: AtomicBool::new(false),
            asked: Mutex::new(Some(Asked::default())),
            client: OnceLock::new(),
        })
    }

    /// Begins to tell the listeners of this client.
    pub(crate) fn serve(&self, client: &Arc<Shared>) {
        // It is done once.
        let _ = self.client.set(Arc::downgrade(client));
    }

    pub(super) fn cache(&self) -> &Cache {
        &self.cache
    }

    pub(super) fn now(&self) -> Instant {
        (self.clock)()
    }

    pub(super) fn poll_interval(&self) -> Duration {
        self.segments.poll_interval
    }

    /// Whether what was brought up to date then is out of date now.
    pub(super) fn judge(&self, metadata: Metadata) -> bool {
        let now = (self.segments.wall_clock)();
        let is_stale = metadata.last_up_to_date.is_none_or(|then| {
            Duration::from_millis(now.saturating_sub(then)) >= self.segments.stale_after
        });
        self.is_stale.store(is_stale, Ordering::Release);
        is_stale
    }

    /// What memberships mean for one segment; `None` if they could not be read.
    pub(super) fn membership(&self, found: &Found, segment: BigSegment<'_>) -> Membership {
        match found {
            None => Membership::StoreError,
            Some(memberships) => Membership::Known {
                included: memberships.look_up(segment),
                is_stale: self.is_stale.load(Ordering::Acquire),
            },
        }
    }

    /// Reads the memberships of a context, and waits for them.
    pub(super) async fn fetch(self: &Arc<Self>, context: ContextHash) -> Found {
        if self.is_stuck.load(Ordering::Acquire) {
            return None;
        }
        match self.ask(Query::Memberships(context)).await {
            Some(Ok(Answer::Memberships(found))) => found,
            _ => None,
        }
    }

    /// Has the memberships of a context read, for evaluations to come. When too many wait, the next
    /// evaluation tries again.
    pub(super) fn load_behind(self: &Arc<Self>, context: ContextHash, is_watched: bool) {
        let has_come = match &mut *self.asked() {
            None => false,
            Some(asked) => match self.place(asked, Query::Memberships(context)) {
                Ok(question) => {
                    question.is_watched |= is_watched;
                    false
                }
                Err(Ok(_)) => true,
                Err(Err(_)) => {
                    self.is_owed.fetch_or(is_watched, Ordering::AcqRel);
                    false
                }
            },
        };
        if has_come && is_watched {
            self.tell_listeners();
        }
    }

    /// A listener went by a failure: that must not stand for longer than it lasts.
    pub(super) fn owe(&self) {
        self.is_owed.store(true, Ordering::Release);
    }

    /// Asks at once, or joins who has; the future ends with the answer, and with `None` when there
    /// will be none.
    fn ask(self: &Arc<Self>, query: Query) -> Waiting {
        let (answer, answered) = oneshot::channel();
        let mut id = 0;
        if let Some(asked) = &mut *self.asked() {
            asked.last_id += 1;
            id = asked.last_id;
            match self.place(asked, query) {
                Ok(question) => drop(question.waiting.insert(id, answer)),
                // Nobody can have gone yet.
                Err(known) => drop(answer.send(known)),
            }
        }
        Waiting { reading: Arc::clone(self), query, id, answered }
    }

    /// Asks how up to date the store is.
    pub(crate) fn ask_metadata(self: &Arc<Self>) -> Waiting {
        self.ask(Query::Metadata)
    }

    /// Puts a question, unless it was put already. An error is what can be said at once.
    fn place<'a>(
        self: &Arc<Self>,
        asked: &'a mut Asked,
        query: Query,
    ) -> Result<&'a mut Question, Result<Answer, StoreError>> {
        let place = match asked.questions.entry(query) {
            Entry::Occupied(placed) => return Ok(placed.into_mut()),
            Entry::Vacant(place) => place,
        };
        // It may have been answered since the evaluation looked.
        if let Query::Memberships(context) = &query
            && let Some(found) = self.cache.find(context, self.now())
        {
            return Err(Ok(Answer::Memberships(found)));
        }
        let reading = Arc::downgrade(self);
        let reader = move |answer: &Result<Answer, StoreError>| {
            if let Some(reading) = reading.upgrade() {
                reading.answered(query, answer);
            }
        };
        let ticket = self.segments.ask(query, Box::new(reader)).map_err(Err)?;
        let (since, waiting) = (self.now(), BTreeMap::new());
        Ok(place.insert(Question { ticket, since, is_watched: false, waiting }))
    }

    /// On the thread of the store.
    fn answered(&self, query: Query, answer: &Result<Answer, StoreError>) {
        let found = match answer {
            Ok(Answer::Memberships(found)) => found.clone(),
            _ => None,
        };
        if let Ok(Answer::Metadata(metadata)) = answer {
            self.judge(*metadata);
        }
        let is_failure = found.is_none();
        let mut is_new = false;
        if let Query::Memberships(context) = &query {
            // First: who does not find the question any more finds its answer.
            is_new = self.cache.remember(context, found, self.now());
        }
        let Some(question) = self.take(&query) else { return };
        for waiting in question.waiting.into_values() {
            contain(|| drop(waiting.send(answer.clone())));
        }
        if question.is_watched && is_failure {
            self.owe();
        }
        let is_back = matches!(answer, Ok(Answer::Metadata(_)));
        if question.is_watched && is_new || is_back && self.is_owed.swap(false, Ordering::AcqRel) {
            self.tell_listeners();
        }
    }

    fn tell_listeners(&self) {
        if let Some(client) = self.client.get().and_then(Weak::upgrade) {
            client.tell_newer_data();
        }
    }

    /// The question that was answered, if it still counts.
    fn take(&self, query: &Query) -> Option<Question> {
        let mut asked = self.asked();
        self.is_stuck.store(false, Ordering::Release);
        let asked = asked.as_mut()?;
        asked.last_answer = self.now();
        asked.questions.remove(query)
    }

    /// When [`give_up_waiting`](Self::give_up_waiting) is due, as far as is known.
    pub(super) fn patience_ends(&self) -> Instant {
        let asked = self.asked();
        let questions = asked.iter().flat_map(|asked| asked.questions.values());
        questions.map(|question| question.since).min().unwrap_or_else(|| self.now()) + PATIENCE
    }

    /// Ends the waits that have taken too long. If the store has answered nobody for as long, all
    /// end, nobody waits for memberships until it answers, and the result is true.
    pub(super) fn give_up_waiting(&self) -> bool {
        let now = self.now();
        let is_long_ago = |then| now.saturating_since(then) >= PATIENCE;
        let mut left = Vec::new();
        let mut asked = self.asked();
        let Some(open) = &mut *asked else { return false };
        let is_due = open.questions.values().any(|question| is_long_ago(question.since));
        let is_silent = is_due && is_long_ago(open.last_answer);
        for (query, question) in &mut open.questions {
            if is_silent || is_long_ago(question.since) {
                question.since = now;
                if *query != Query::Metadata {
                    left.extend(mem::take(&mut question.waiting).into_values());
                }
            }
        }
        if is_silent {
            self.is_stuck.store(true, Ordering::Release);
        }
        drop(asked);
        release(left);
        is_silent
    }

    /// The client is closed: the store is not asked again, and every wait ends (B 10.2).
    pub(crate) fn close(&self) {
        let mut asked = self.asked();
        let Some(over) = asked.take() else { return };
        // Before anybody is woken, and before another `close` finds that it is over.
        let tickets = over.questions.values().map(|question| question.ticket.withdraw());
        let withdrawn: Vec<_> = tickets.collect();
        drop(asked);
        drop(withdrawn);
        for question in over.questions.into_values() {
            release(question.waiting.into_values());
        }
    }

    fn asked(&self) -> MutexGuard<'_, Option<Asked>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends waits without an answer.
fn release(waiting: impl IntoIterator<Item = oneshot::Sender<Result<Answer, StoreError>>>) {
    for sender in waiting {
        contain(|| drop(sender));
    }
}

/// Somebody who waits for an answer. Dropped, he is forgotten.
pub(crate) struct Waiting {
    reading: Arc<MembershipReading>,
    query: Query,
    id: u64,
    answered: oneshot::Receiver<Result<Answer, StoreError>>,
}

impl Future for Waiting {
    type Output = Option<Result<Answer, StoreError>>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Pin::new(&mut self.answered).poll(cx).map(Result::ok)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let waiting = self
            .reading
            .asked()
            .as_mut()
            .and_then(|asked| asked.questions.get_mut(&self.query)?.waiting.remove(&self.id));
        // It may run code of others, so nothing must be locked.
        drop(waiting);
    }
}

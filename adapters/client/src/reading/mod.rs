//! Reading the persistent store while it is what counts (B 9.1 to 9.3, 9.9).

mod asking;
mod cache;
mod kept;
mod through;
mod view;

pub use cache::CacheMode;
pub(crate) use cache::{Age, Cache, CacheView};
pub use through::ThroughStore;
pub(crate) use view::View;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arc_swap::ArcSwap;
use fdv2_core::eval::Needs;
use fdv2_core::model::Kind;
use fdv2_core::{Instant, StoreRead};

use self::asking::Asking;
use crate::shared::Shared;
use crate::store::{Answer, Query, Store, StoreError};

/// The store behind one client, and what has been read from it.
pub(crate) struct Reading {
    asking: Asking,
    /// There are no sources: the store counts whether it has its marker or not (B 9.2).
    is_daemon: bool,
    mode: CacheMode,
    cache: ArcSwap<Cache>,
    /// The marker was found.
    is_initialized: AtomicBool,
    /// Memory has taken over, for good (B 9.1).
    is_over: AtomicBool,
}

/// Why there is no answer from the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NoAnswer {
    /// Memory is what counts.
    Memory,
    /// The store's content does not count, or is not known yet.
    NotReady,
    /// The store cannot be read (B 9.10).
    Unreadable,
    /// The memberships of the context with this key are needed first, which are in another store.
    Memberships(Box<str>),
}

/// What an answer still lacks.
pub(crate) enum Lack {
    /// One flag or segment.
    Item(Kind, Arc<str>),
    /// All flags and segments.
    Everything,
    /// The memberships of the context with this key.
    Memberships(Box<str>),
}

impl Lack {
    fn flag(key: &str) -> Self {
        Self::Item(Kind::Flag, key.into())
    }
}

impl From<Needs> for Lack {
    fn from(needs: Needs) -> Self {
        match needs {
            Needs::Flag(key) => Self::Item(Kind::Flag, key.into()),
            Needs::Segment(key) => Self::Item(Kind::Segment, key.into()),
            Needs::Memberships(context_key) => Self::Memberships(context_key),
        }
    }
}

impl Reading {
    pub(crate) fn new(store: Store, mode: CacheMode, is_daemon: bool) -> Self {
        Self {
            asking: Asking::new(store),
            is_daemon,
            mode,
            cache: ArcSwap::from_pointee(Cache::new(mode)),
            is_initialized: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Whether there is data from the store that may be old (B 6.5).
    pub(crate) fn is_available(&self) -> bool {
        self.is_daemon || self.is_initialized.load(Ordering::Acquire)
    }

    /// Memory takes over: the cache is emptied and stays off, and the store is not asked again
    /// (B 9.1, 9.3). Returns what the cache held, if that is anything.
    pub(crate) fn end(&self) -> Option<Arc<Cache>> {
        if self.is_over.swap(true, Ordering::AcqRel) {
            return None;
        }
        let held = self.cache.swap(Arc::new(Cache::new(self.mode)));
        self.asking.close();
        (!held.is_empty()).then_some(held)
    }

    /// The client is closed: the store is not asked again (B 10.2).
    pub(crate) fn close(&self) {
        self.asking.close();
    }

    /// The synchronous form: what is at hand answers, expired or not; what is lacking, or has
    /// expired, is loaded behind it (B 9.9).
    pub(crate) fn at_hand<R>(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        ask: impl Fn(&CacheView<'_>) -> Result<R, Lack>,
    ) -> Result<R, NoAnswer> {
        let cache = self.cache.load();
        let fetched = Cache::scratch();
        let query = match self.ask(&fetched, &cache, Age::At(shared.now()), &ask) {
            Ok(answer) => return answer,
            Err(query) => query,
        };
        // Asked only now: a cache that was emptied must not pass for a store without an answer.
        if self.is_over() {
            return Err(NoAnswer::Memory);
        }
        self.load_behind(shared, query);
        self.ask(&fetched, &cache, Age::Any, &ask).unwrap_or(Err(NoAnswer::NotReady))
    }

    /// The asynchronous form: reads what is lacking, again and again, until there is an answer.
    /// What it reads stays in `fetched`.
    pub(crate) async fn answer<R>(
        &self,
        shared: &Shared,
        fetched: &mut Cache,
        ask: impl Fn(&CacheView<'_>) -> Result<R, Lack>,
    ) -> Result<R, NoAnswer> {
        loop {
            if self.is_over() {
                return Err(NoAnswer::Memory);
            }
            let now = shared.now();
            let query = match self.ask(fetched, &self.cache.load(), Age::At(now), &ask) {
                Ok(answer) => return answer,
                Err(query) => query,
            };
            match self.fetch(shared, &query).await {
                Ok(answer) => {
                    fetched.remember(&query, &answer, now);
                    self.remember(shared, &query, &answer, now);
                }
                Err(NoRead) if self.is_over() => return Err(NoAnswer::Memory),
                Err(NoRead) => {
                    let expired = self.ask(fetched, &self.cache.load(), Age::Any, &ask);
                    return expired.unwrap_or(Err(NoAnswer::Unreadable));
                }
            }
        }
    }

    /// Reads the whole store into the cache (B 9.9).
    pub(crate) async fn warm_up(&self, shared: &Shared) -> Result<(), StoreError> {
        for query in [Query::IsInitialized, Query::All(Kind::Flag), Query::All(Kind::Segment)] {
            let now = shared.now();
            match self.asking.ask(&query).await {
                Some(Ok(answer)) => {
                    self.remember(shared, &query, &answer, now);
                    shared.graveyard().bury(answer);
                }
                Some(Err(error)) => {
                    shared.control().tell(StoreRead::Failed(error.clone()));
                    return Err(error);
                }
                None if self.is_over() => return Ok(()),
                None => return Err(StoreError::new("the client is closed")),
            }
        }
        Ok(())
    }

    /// Asks what is at hand. An error names what is to be read first.
    fn ask<R>(
        &self,
        fetched: &Cache,
        remembered: &Cache,
        age: Age,
        ask: impl FnOnce(&CacheView<'_>) -> Result<R, Lack>,
    ) -> Result<Result<R, NoAnswer>, Query> {
        if !self.is_daemon {
            let marker = fetched.is_initialized(Age::Any).or(remembered.is_initialized(age));
            match marker {
                None => return Err(Query::IsInitialized),
                Some(false) => return Ok(Err(NoAnswer::NotReady)),
                Some(true) => {}
            }
        }
        let view = CacheView { fetched, remembered, age };
        match ask(&view) {
            Ok(answer) => Ok(Ok(answer)),
            Err(Lack::Memberships(context_key)) => Ok(Err(NoAnswer::Memberships(context_key))),
            Err(Lack::Item(kind, key)) => Err(Query::One(kind, key)),
            Err(Lack::Everything) => Err(view.rest()),
        }
    }

    async fn fetch(&self, shared: &Shared, query: &Query) -> Result<Answer, NoRead> {
        if !is_answering(shared) {
            return Err(NoRead);
        }
        match self.asking.ask(query).await {
            Some(Ok(answer)) => Ok(answer),
            Some(Err(error)) => {
                shared.control().tell(StoreRead::Failed(error));
                Err(NoRead)
            }
            None => Err(NoRead),
        }
    }

    fn load_behind(self: &Arc<Self>, shared: &Arc<Shared>, query: Query) {
        if self.mode == CacheMode::Off || !is_answering(shared) {
            return;
        }
        let (reading, shared) = (Arc::downgrade(self), Arc::downgrade(shared));
        let asked = query.clone();
        self.asking.ask_behind(query, move |answer| {
            if let (Some(reading), Some(shared)) = (reading.upgrade(), shared.upgrade()) {
                reading.loaded_behind(&shared, &asked, answer);
            }
        });
    }

    fn loaded_behind(
        self: &Arc<Self>,
        shared: &Arc<Shared>,
        query: &Query,
        answer: &Result<Answer, StoreError>,
    ) {
        self.asking.answered_behind(query);
        match answer {
            Ok(answer) => {
                self.remember(shared, query, answer, shared.now());
                // Everything is both collections.
                if *query == Query::All(Kind::Flag) {
                    self.load_behind(shared, Query::All(Kind::Segment));
                }
            }
            Err(error) => shared.control().tell(StoreRead::Failed(error.clone())),
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    fn remember(&self, shared: &Shared, query: &Query, answer: &Answer, now: Instant) {
        if let Answer::IsInitialized(true) = answer
            && !self.is_initialized.swap(true, Ordering::AcqRel)
        {
            shared.control().tell(StoreRead::Initialized);
        }
        for record in answer.corrupt() {
            shared.control().tell(StoreRead::Unreadable(record.clone()));
        }
        if self.mode == CacheMode::Off {
            return;
        }
        let old = self.cache.rcu(|cache| {
            let mut cache = Cache::clone(cache);
            if !self.is_over() {
                cache.remember(query, answer, now);
            }
            cache
        });
        if matches!(query, Query::All(_)) {
            shared.graveyard().bury(old);
        }
    }
}

/// The store could not be read, and the core knows of it; or it may not be read any more.
struct NoRead;

/// Whether the store is not known not to answer (B 9.10).
fn is_answering(shared: &Shared) -> bool {
    shared.facts().store_status().is_available
}

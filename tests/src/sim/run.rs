//! Driving the core.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fdv2_core::config::StoreMode;
use fdv2_core::{
    Config, ConfigBuilder, DataSystem, EffectId, Event, Instant, Lane, Outcome, Snapshot, Update,
};

use super::record;
use super::tap::Tap;
use super::wire::{self, Wire};
use super::{Asked, Core, Reply, Store, StoreHealth, World};
use crate::ran;

type Peer = Box<dyn FnMut(&Asked) -> Reply>;

/// The core, its clock and its peers.
pub struct Sim<C: Core = DataSystem> {
    pub(super) core: C,
    /// Is told the same, and what comes too late.
    pub(super) twin: Option<C>,
    /// Is told the same bytes in other pieces.
    pub(super) recut: Option<C>,
    pub(super) now: Instant,
    pub(super) world: World,
    pub(super) tap: Tap,
    pub(super) peers: BTreeMap<String, Peer>,
    /// What the live source effect has still to tell.
    pub(super) pending: VecDeque<(Instant, Outcome)>,
    pub(super) heard: Vec<(Instant, Event)>,
    pub(super) asked: Vec<Asked>,
    pub(super) seen_asked: usize,
    pub(super) updates: Vec<(Instant, Update)>,
    pub(super) seen_updates: usize,
    pub(super) store: Store,
    pub(super) keeps_store: bool,
    /// The data and the store's content that invariant 11 was last found to hold for.
    pub(super) mirrored: Option<(Arc<Snapshot>, u64)>,
    pub(super) dead: Option<EffectId>,
    pub(super) cuts: Vec<usize>,
    pub(super) requests_per_minute: usize,
    pub(super) may_idle: bool,
    pub(super) steps: u64,
    /// The steps and the time of the one that this is a fork of.
    inherited: (u64, Instant),
}

impl Sim {
    /// A system that has not started.
    pub fn new(config: ConfigBuilder) -> Self {
        Self::seeded(config, 1)
    }

    /// A system of this seed that has not started.
    pub fn seeded(config: ConfigBuilder, seed: u64) -> Self {
        Self::driving(config, |config| DataSystem::new(config, seed))
    }
}

impl<C: Core> Sim<C> {
    /// What `core` makes of a configuration, before it has started.
    pub fn driving(config: ConfigBuilder, core: impl FnOnce(Config) -> C) -> Self {
        let config = config.build().expect("a configuration");
        let keeps_store = config.store() == Some(StoreMode::ReadWrite);
        let core = core(config);
        record::begin();
        Self {
            twin: Some(core.clone()),
            recut: Some(core.clone()),
            core,
            now: Instant::EPOCH,
            world: World::default(),
            tap: Tap::default(),
            peers: BTreeMap::new(),
            pending: VecDeque::new(),
            heard: Vec::new(),
            asked: Vec::new(),
            seen_asked: 0,
            updates: Vec::new(),
            seen_updates: 0,
            store: Store::default(),
            keeps_store,
            mirrored: None,
            dead: None,
            cuts: Vec::new(),
            requests_per_minute: 30,
            may_idle: false,
            steps: 0,
            inherited: (0, Instant::EPOCH),
        }
    }

    /// Another one in the same state.
    ///
    /// # Panics
    /// If it is served by peers: they have a state of their own.
    pub fn fork(&self) -> Self {
        assert!(self.peers.is_empty(), "peers cannot be forked");
        Self {
            core: self.core.clone(),
            twin: self.twin.clone(),
            recut: self.recut.clone(),
            world: self.world.clone(),
            tap: self.tap.clone(),
            peers: BTreeMap::new(),
            pending: self.pending.clone(),
            heard: self.heard.clone(),
            asked: self.asked.clone(),
            updates: self.updates.clone(),
            store: self.store.clone(),
            mirrored: self.mirrored.clone(),
            cuts: self.cuts.clone(),
            inherited: (self.steps, self.now),
            ..*self
        }
    }

    /// It is right that nothing runs: there is no synchronizer.
    pub fn idle_is_fine(mut self) -> Self {
        self.may_idle = true;
        self
    }

    /// Allows so many requests to one host within a minute.
    pub fn requests_per_minute(mut self, bound: usize) -> Self {
        self.requests_per_minute = bound;
        self
    }

    /// Leaves out the systems that run beside the first (invariants 2, 9 and 10), for scenarios of
    /// very many bytes.
    pub fn lightly(mut self) -> Self {
        self.go_lightly();
        self
    }

    pub(crate) fn go_lightly(&mut self) {
        self.twin = None;
        self.recut = None;
    }

    /// What others write to the store, or what sources bring that are not persisted, sets it apart
    /// from memory (invariant 11).
    pub fn store_is_apart(mut self) -> Self {
        self.keeps_store = false;
        self
    }

    /// Cuts all bodies into pieces of these sizes, in turn.
    pub fn cut_into(mut self, sizes: impl Into<Vec<usize>>) -> Self {
        self.cuts = sizes.into();
        self
    }

    /// From now on this peer answers what is asked of `host`, a custom source's name included.
    pub fn serve(&mut self, host: &str, peer: impl FnMut(&Asked) -> Reply + 'static) -> &mut Self {
        self.peers.insert(host.to_owned(), Box::new(peer));
        self
    }

    /// From now on this host gives always the same answer.
    pub fn serve_always(&mut self, host: &str, reply: Reply) -> &mut Self {
        self.serve(host, move |_| reply.clone())
    }

    /// From now on this host gives these answers one after another, and repeats the last.
    pub fn serve_in_turn(
        &mut self,
        host: &str,
        replies: impl IntoIterator<Item = Reply>,
    ) -> &mut Self {
        let mut replies: VecDeque<Reply> = replies.into_iter().collect();
        self.serve(host, move |_| match replies.len() {
            0 | 1 => replies.front().cloned().unwrap_or_default(),
            _ => replies.pop_front().unwrap_or_default(),
        })
    }

    /// Starts the system.
    pub fn start(&mut self) -> &mut Self {
        self.step(Event::Start);
        self.settle();
        self
    }

    /// Tells the core something that is no matter of an attempt.
    pub fn tell(&mut self, event: Event) -> &mut Self {
        self.step(event);
        self.settle();
        self
    }

    /// Closes the system.
    pub fn close(&mut self) -> &mut Self {
        self.step(Event::Shutdown { grace: Duration::from_secs(2) });
        self.settle();
        self
    }

    /// Lets time pass, with every deadline and every byte on its way.
    pub fn advance(&mut self, duration: Duration) -> &mut Self {
        let target = self.now + duration;
        self.advance_to(target)
    }

    /// Lets time pass until `target`.
    pub fn advance_to(&mut self, target: Instant) -> &mut Self {
        self.settle();
        while let Some(at) = self.next_moment().filter(|at| *at <= target) {
            self.now = at.max(self.now);
            self.settle();
        }
        self.now = target;
        self
    }

    /// Lets time pass until something happens, if anything is to.
    pub fn advance_to_next(&mut self) -> &mut Self {
        if let Some(at) = self.next_moment() {
            self.now = at.max(self.now);
        }
        self.settle();
        self
    }

    /// Lets time pass until somebody is asked something that no test has looked at, at most five
    /// minutes. It must be this host.
    #[track_caller]
    pub fn until_asked(&mut self, host: &str) -> Asked {
        let limit = self.now + Duration::from_secs(300);
        while self.asked.len() == self.seen_asked {
            let Some(at) = self.next_moment().filter(|at| *at <= limit) else { break };
            self.now = at.max(self.now);
            self.settle();
        }
        self.expect(host)
    }

    /// When something happens next.
    fn next_moment(&self) -> Option<Instant> {
        let arrival = self.pending.front().map(|(at, _)| *at);
        let deadline = self.core.next_deadline().map(|deadline| deadline.at);
        [arrival, deadline, self.store.next()].into_iter().flatten().min()
    }

    /// Time passes unnoticed, as while a process is suspended.
    pub fn sleep_through(&mut self, duration: Duration) -> &mut Self {
        self.now = self.now + duration;
        self.settle();
        self
    }

    /// The peer of the live attempt does this, after what it was to do already.
    pub fn reply(&mut self, reply: Reply) -> &mut Self {
        assert!(self.world.live.of(Lane::Source).is_some(), "no attempt is live");
        self.schedule(reply);
        self.settle();
        self
    }

    /// The live attempt receives these events of a stream.
    pub fn send(&mut self, events: impl IntoIterator<Item = Wire>) -> &mut Self {
        let events: Vec<Wire> = events.into_iter().collect();
        self.send_bytes(wire::sse(&events))
    }

    /// The live attempt receives these bytes.
    pub fn send_bytes(&mut self, bytes: impl Into<Bytes>) -> &mut Self {
        self.reply(Reply::default().bytes(bytes))
    }

    /// The body of the live attempt ends whole.
    pub fn end(&mut self) -> &mut Self {
        self.reply(Reply::default().end())
    }

    /// The connection of the live attempt breaks.
    pub fn break_off(&mut self) -> &mut Self {
        self.reply(Reply::default().break_off())
    }

    /// The store fares so from now on.
    pub fn store_fares(&mut self, health: StoreHealth) -> &mut Self {
        self.store.fare(self.now, health);
        self.settle();
        self
    }

    /// The store, to be changed behind the core's back.
    pub fn store_mut(&mut self) -> &mut Store {
        self.store.revision += 1;
        &mut self.store
    }
}

impl<C: Core> fmt::Debug for Sim<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "at {:?}, asked:", self.now)?;
        self.asked.iter().try_for_each(|asked| writeln!(f, "  {asked:?}"))?;
        writeln!(f, "told:")?;
        let mut told = self.updates.iter().filter(|(_, told)| !matches!(told, Update::Snapshot(_)));
        told.try_for_each(|(at, update)| writeln!(f, "  {at:?} {update:?}"))?;
        write!(f, "next: {:?}", self.core.next_deadline())
    }
}

impl<C: Core> Drop for Sim<C> {
    fn drop(&mut self) {
        self.save_if_failing();
        let (steps, since) = self.inherited;
        ran::steps(self.steps - steps, self.now.saturating_since(since));
    }
}

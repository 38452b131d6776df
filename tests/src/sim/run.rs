//! Driving the core.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use fdv2_core::{
    Command, ConfigBuilder, DataSystem, Effect, EffectId, Event, Instant, Lane, Outcome, Update,
};

use super::wire::{self, Wire};
use super::{Asked, Reply, Store, StoreHealth, World};
use crate::invariants::{self, Call};

/// A driver cuts what it reads into slices of at most this size.
const SLICE: usize = 16 << 10;
/// So many ticks on one instant are a hot loop.
const TICKS_AT_ONCE: usize = 64;

type Peer = Box<dyn FnMut(&Asked) -> Reply>;

/// The core, its clock and its peers.
pub struct Sim {
    pub(super) system: DataSystem,
    /// The same seed and events: must give the same commands.
    twin: Option<DataSystem>,
    pub(super) now: Instant,
    pub(super) world: World,
    peers: BTreeMap<String, Peer>,
    /// What the live source effect has still to tell.
    pending: VecDeque<(Instant, Outcome)>,
    pub(super) asked: Vec<Asked>,
    pub(super) seen_asked: usize,
    pub(super) updates: Vec<(Instant, Update)>,
    pub(super) seen_updates: usize,
    pub(super) store: Store,
    dead: Option<EffectId>,
    cuts: Vec<usize>,
    requests_per_minute: usize,
    may_idle: bool,
    steps: u64,
}

impl Sim {
    /// A system that has not started.
    pub fn new(config: ConfigBuilder) -> Self {
        Self::seeded(config, 1)
    }

    /// A system of this seed that has not started.
    pub fn seeded(config: ConfigBuilder, seed: u64) -> Self {
        let config = config.build().expect("a configuration");
        Self {
            system: DataSystem::new(config.clone(), seed),
            twin: Some(DataSystem::new(config, seed)),
            now: Instant::EPOCH,
            world: World::default(),
            peers: BTreeMap::new(),
            pending: VecDeque::new(),
            asked: Vec::new(),
            seen_asked: 0,
            updates: Vec::new(),
            seen_updates: 0,
            store: Store::default(),
            dead: None,
            cuts: Vec::new(),
            requests_per_minute: 30,
            may_idle: false,
            steps: 0,
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

    /// Leaves out the checks that compare whole systems, for scenarios of very many bytes.
    pub fn lightly(mut self) -> Self {
        self.twin = None;
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
        let deadline = self.system.next_deadline().map(|deadline| deadline.at);
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
        assert!(self.world.live.contains_key(&Lane::Source), "no attempt is live");
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
        &mut self.store
    }

    fn schedule(&mut self, reply: Reply) {
        let mut at = self.pending.back().map_or(self.now, |(last, _)| self.now.max(*last));
        for (delay, outcome) in reply.steps {
            at = at + delay;
            self.pending.push_back((at, outcome));
        }
    }

    /// Everything that is due: what has arrived first, then the deadlines (B 3.11).
    fn settle(&mut self) {
        let mut ticks = 0;
        loop {
            if let Some((id, outcome)) = self.store.take_due(self.now) {
                self.step(Event::Effect { id, outcome });
            } else if self.pending.front().is_some_and(|(at, _)| *at <= self.now) {
                self.deliver_next();
            } else if self.system.next_deadline().is_some_and(|deadline| deadline.at <= self.now) {
                ticks += 1;
                let what = self.system.next_deadline();
                assert!(ticks <= TICKS_AT_ONCE, "a hot loop at {:?}: {what:?}", self.now);
                self.step(Event::Tick);
            } else {
                return;
            }
        }
    }

    fn deliver_next(&mut self) {
        let Some((_, outcome)) = self.pending.pop_front() else { return };
        let Some(&id) = self.world.live.get(&Lane::Source) else { return };
        match outcome {
            Outcome::ResponseChunk(bytes) => self.deliver_slices(id, bytes),
            outcome => self.step(Event::Effect { id, outcome }),
        }
    }

    fn deliver_slices(&mut self, id: EffectId, mut bytes: Bytes) {
        let cuts = if self.cuts.is_empty() { vec![SLICE] } else { self.cuts.clone() };
        let mut cuts = cuts.into_iter().cycle();
        while !bytes.is_empty() && self.world.live.get(&Lane::Source) == Some(&id) {
            let cut = cuts.next().unwrap_or(SLICE).clamp(1, SLICE);
            let slice = bytes.split_to(cut.min(bytes.len()));
            self.step(Event::Effect { id, outcome: Outcome::ResponseChunk(slice) });
        }
    }

    fn step(&mut self, event: Event) {
        let deadline_before = self.system.next_deadline();
        self.world.observe(&event);
        let before = self.world.clone();
        let commands: Vec<Command> = self.system.handle(self.now, event.clone()).collect();
        commands.iter().for_each(|command| self.world.apply(command));
        invariants::check(&Call {
            now: self.now,
            event: &event,
            commands: &commands,
            before: &before,
            after: &self.world,
            deadline_before,
            deadline_after: self.system.next_deadline(),
            may_idle: self.may_idle,
        });
        self.check_whole_systems(&event, &commands);
        commands.into_iter().for_each(|command| self.enact(command));
        if let Event::Effect { id, .. } = event
            && self.world.live.get(&id.lane) != Some(&id)
        {
            self.dead = Some(id);
        }
    }

    /// Invariants 2 and 10. Comparing whole systems is dear, so not after each step of a long run.
    fn check_whole_systems(&mut self, event: &Event, commands: &[Command]) {
        let Some(twin) = &mut self.twin else { return };
        let again: Vec<Command> = twin.handle(self.now, event.clone()).collect();
        assert!(again == commands, "the same seed and events gave {again:?} after {commands:?}");
        self.steps += 1;
        if self.steps < 256 || self.steps.is_multiple_of(64) {
            assert_eq!(twin.next_deadline(), self.system.next_deadline());
            if let Some(dead) = self.dead {
                let (now, system) = (self.now, &self.system);
                invariants::an_outcome_for_a_dead_effect_changes_nothing(now, system, dead);
            }
        }
    }

    fn enact(&mut self, command: Command) {
        match command {
            Command::Start { id, effect } if id.lane == Lane::Store => {
                self.store.begin(self.now, id, &effect);
            }
            Command::Start { id, effect } => self.begin(id, &effect),
            Command::Cancel { id } => {
                if id.lane == Lane::Source {
                    self.pending.clear();
                }
                self.dead = Some(id);
            }
            Command::Emit(update) => self.updates.push((self.now, update)),
            Command::Discard(garbage) => drop(garbage),
        }
    }

    fn begin(&mut self, id: EffectId, effect: &Effect) {
        self.pending.clear();
        let asked = Asked::new(self.now, id, effect);
        if let Some(peer) = self.peers.get_mut(&asked.host) {
            let reply = peer(&asked);
            self.schedule(reply);
        }
        self.asked.push(asked);
        invariants::requests_per_minute_stay_under(self.requests_per_minute, &self.asked);
    }
}

impl fmt::Debug for Sim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "at {:?}, asked:", self.now)?;
        self.asked.iter().try_for_each(|asked| writeln!(f, "  {asked:?}"))?;
        writeln!(f, "told:")?;
        let mut told = self.updates.iter().filter(|(_, told)| !matches!(told, Update::Snapshot(_)));
        told.try_for_each(|(at, update)| writeln!(f, "  {at:?} {update:?}"))?;
        write!(f, "next: {:?}", self.system.next_deadline())
    }
}

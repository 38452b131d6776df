//! One event after another, and what is checked of each.

use std::sync::Arc;

use bytes::Bytes;
use fdv2_core::snapshot::Held;
use fdv2_core::{Command, Effect, EffectId, Event, Lane, Outcome};

use super::{Asked, Core, Reply, Sim};
use crate::invariants::{self, Call};

/// A driver cuts what it reads into slices of at most this size.
const SLICE: usize = 16 << 10;
/// So many ticks on one instant are a hot loop.
const TICKS_AT_ONCE: usize = 64;
/// Comparing whole systems is dear: it is done after each of so many steps.
const COMPARED: u64 = 8;

impl<C: Core> Sim<C> {
    pub(super) fn schedule(&mut self, reply: Reply) {
        let mut at = self.pending.back().map_or(self.now, |(last, _)| self.now.max(*last));
        for (delay, outcome) in reply.steps {
            at = at + delay;
            self.pending.push_back((at, outcome));
        }
    }

    /// Everything that is due: what has arrived first, then the deadlines (B 3.11).
    pub(super) fn settle(&mut self) {
        let mut ticks = 0;
        loop {
            if let Some((id, outcome)) = self.store.take_due(self.now) {
                self.step(Event::Effect { id, outcome });
            } else if self.pending.front().is_some_and(|(at, _)| *at <= self.now) {
                self.deliver_next();
            } else if self.core.next_deadline().is_some_and(|deadline| deadline.at <= self.now) {
                ticks += 1;
                let what = self.core.next_deadline();
                assert!(ticks <= TICKS_AT_ONCE, "a hot loop at {:?}: {what:?}", self.now);
                self.step(Event::Tick);
            } else {
                return self.check_store();
            }
        }
    }

    fn deliver_next(&mut self) {
        let Some((_, outcome)) = self.pending.pop_front() else { return };
        let Some(id) = self.world.live.of(Lane::Source) else { return };
        match outcome {
            Outcome::ResponseChunk(bytes) => self.deliver_slices(id, bytes),
            outcome => self.step(Event::Effect { id, outcome }),
        }
    }

    fn deliver_slices(&mut self, id: EffectId, mut bytes: Bytes) {
        let mut turn = 0;
        while !bytes.is_empty() && self.world.live.of(Lane::Source) == Some(id) {
            let cut = self.cuts.get(turn % self.cuts.len().max(1)).copied().unwrap_or(SLICE);
            turn += 1;
            let slice = bytes.split_to(cut.clamp(1, SLICE).min(bytes.len()));
            self.step(Event::Effect { id, outcome: Outcome::ResponseChunk(slice) });
        }
    }

    /// The one place where something goes in.
    pub(super) fn step(&mut self, event: Event) {
        self.heard.push((self.now, event.clone()));
        self.steps += 1;
        let deadline_before = self.core.next_deadline();
        self.world.observe(&event);
        let before = self.world.clone();
        let completed = self.tap.completed_by(&event);
        let commands = self.core.handle(self.now, event.clone());
        commands.iter().for_each(|command| self.world.apply(command));
        invariants::check(&Call {
            now: self.now,
            event: &event,
            commands: &commands,
            system: self.core.system(),
            before: &before,
            after: &self.world,
            deadline_before,
            deadline_after: self.core.next_deadline(),
            completed,
            may_idle: self.may_idle,
        });
        self.check_twin(&event, &commands);
        self.check_recut(&event, &commands);
        commands.into_iter().for_each(|command| self.enact(command));
        if let Event::Effect { id, .. } = event
            && self.world.live.of(id.lane) != Some(id)
        {
            self.dead = Some(id);
        }
    }

    /// Invariants 2 and 10: the twin is told the same, and what effects tell that are over.
    fn check_twin(&mut self, event: &Event, commands: &[Command]) {
        let Some(twin) = &mut self.twin else { return };
        let again = twin.handle(self.now, event.clone());
        invariants::the_same_events_give_the_same_commands(
            (&self.core, commands),
            (&*twin, &again),
        );
        if let Some(dead) = self.dead {
            invariants::an_outcome_for_a_dead_effect_causes_nothing(self.now, twin, dead);
        }
        if self.steps.is_multiple_of(COMPARED) {
            invariants::an_outcome_for_a_dead_effect_changed_nothing(&self.core, twin);
        }
    }

    /// Invariant 9: another system is told the same bytes in three pieces.
    fn check_recut(&mut self, event: &Event, commands: &[Command]) {
        let Some(recut) = &mut self.recut else { return };
        let again: Vec<Command> = match event {
            Event::Effect { id, outcome: Outcome::ResponseChunk(bytes) } => pieces(bytes)
                .into_iter()
                .flat_map(|piece| {
                    let outcome = Outcome::ResponseChunk(piece);
                    recut.handle(self.now, Event::Effect { id: *id, outcome })
                })
                .collect(),
            event => recut.handle(self.now, event.clone()),
        };
        invariants::chunk_boundaries_do_not_matter(event, commands, &again);
        assert_eq!(recut.next_deadline(), self.core.next_deadline(), "invariant 9: {event:?}");
    }

    /// Invariant 11, where it can hold now.
    fn check_store(&mut self) {
        let memory = self.core.system().snapshot();
        let is_kept = self.keeps_store && memory.held() == Held::Whole && !self.is_closing();
        if !is_kept || !self.is_store_quiet() || self.store.is_incomplete {
            return;
        }
        let is_known = self.mirrored.as_ref().is_some_and(|(known, revision)| {
            Arc::ptr_eq(known, memory) && *revision == self.store.revision
        });
        if !is_known {
            invariants::the_store_holds_what_memory_holds(&self.store, memory);
            self.mirrored = Some((Arc::clone(memory), self.store.revision));
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
        self.tap.open(id, effect);
        let asked = Asked::new(self.now, id, effect);
        if let Some(peer) = self.peers.get_mut(&asked.host) {
            let reply = peer(&asked);
            self.schedule(reply);
        }
        self.asked.push(asked);
        invariants::requests_per_minute_stay_under(self.requests_per_minute, &self.asked);
    }
}

/// The bytes in three pieces, the first of one byte.
fn pieces(bytes: &Bytes) -> [Bytes; 3] {
    let first = bytes.len().min(1);
    let second = bytes.len().div_ceil(2).max(first);
    [bytes.slice(..first), bytes.slice(first..second), bytes.slice(second..)]
}

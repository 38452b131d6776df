//! What a simulator drives: the core, or something that stands between it and the simulator.

use std::fmt;

use fdv2_core::{Command, DataSystem, Deadline, Event, Instant};

/// The core, or a saboteur that owns one. Invariants are proven by saboteurs that they catch.
pub trait Core: Clone + fmt::Debug {
    /// As [`DataSystem::handle`].
    fn handle(&mut self, now: Instant, event: Event) -> Vec<Command>;

    /// As [`DataSystem::next_deadline`].
    fn next_deadline(&self) -> Option<Deadline>;

    /// The system inside.
    fn system(&self) -> &DataSystem;
}

impl Core for DataSystem {
    fn handle(&mut self, now: Instant, event: Event) -> Vec<Command> {
        self.handle(now, event).collect()
    }

    fn next_deadline(&self) -> Option<Deadline> {
        self.next_deadline()
    }

    fn system(&self) -> &DataSystem {
        self
    }
}

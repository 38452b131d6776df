//! The one entry point.

use std::collections::VecDeque;

use crate::config::Config;
use crate::effect::{Command, Commands, Deadline, Event};
use crate::time::Instant;

/// One FDv2 data system.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSystem {
    config: Config,
    commands: VecDeque<Command>,
}

impl DataSystem {
    /// A system that waits for [`Event::Start`].
    pub fn new(config: Config, seed: u64) -> Self {
        let _ = seed;
        Self { config, commands: VecDeque::new() }
    }

    /// Applies `event` and returns what has to be done about it.
    pub fn handle(&mut self, now: Instant, event: Event) -> Commands<'_> {
        let _ = (now, event);
        Commands(&mut self.commands)
    }

    /// When to send the next [`Event::Tick`], and why.
    pub fn next_deadline(&self) -> Option<Deadline> {
        None
    }
}

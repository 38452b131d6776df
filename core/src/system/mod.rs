//! The one entry point. Small machines do the work; this connects them.

mod attempts;
mod deadlines;
mod headers;
mod memory;
mod phases;
mod reports;
mod store;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::Arc;

use http::HeaderMap;

use crate::config::{Config, INSTANCE_ID};
use crate::effect::{Commands, Deadline, EffectId, Event, Lane, SourceId};
use crate::outbox::Outbox;
use crate::persistence::Mirror;
use crate::policy::{Directed, Roster, Stint};
use crate::rng::Rng;
use crate::snapshot::Snapshot;
use crate::source::{Attempt, Oddity};
use crate::status::{Ready, Status};
use crate::time::Instant;
use memory::Memory;

/// One FDv2 data system: events go in, commands come out.
///
/// **Inputs**: [`handle`](Self::handle). **Outputs**: the [`Commands`] it returns, and
/// [`next_deadline`](Self::next_deadline), which is to be asked after each `handle`.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSystem {
    config: Config,
    seed: u64,
    /// What every request carries, for the life of the system.
    headers: HeaderMap,
    rng: Rng,
    phase: Phase,
    /// Counts effects, so that a late outcome is known by its id.
    generation: u64,
    live: Option<Live>,
    /// The source whose turn it is; there is one just while the phase is [`Phase::Running`].
    stint: Option<Stint>,
    roster: Roster,
    has_fdv1: bool,
    memory: Memory,
    directed: Directed,
    mirror: Mirror,
    /// The effect that is live in the store's lane.
    live_store: Option<EffectId>,
    /// A read has found the store's marker.
    is_store_initialized: bool,
    held: Arc<Snapshot>,
    environment_id: Option<Arc<str>>,
    status: Status,
    ready: Ready,
    oddities: BTreeMap<Oddity, u64>,
    outbox: Outbox,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not started.
    New,
    /// A source has its turn.
    Running,
    /// A directive is in force and there is no FDv1 source to follow it (B 5.5).
    Halted,
    /// There is nothing left to do: offline, no source left, or initializers only.
    Settled,
    /// Closed, but for a write to the store that may still end.
    Closing,
    /// Closed.
    Stopped,
}

/// The attempt that is live, and the effect that carries it.
#[derive(Clone, Debug, PartialEq)]
struct Live {
    id: EffectId,
    /// The effect has told its last outcome: there is nothing to cancel.
    is_finished: bool,
    attempt: Attempt,
}

impl DataSystem {
    /// A system that waits for [`Event::Start`]. The same seed and events give the same commands.
    pub fn new(config: Config, seed: u64) -> Self {
        let inner = config.inner();
        Self {
            headers: headers::common(&config, seed),
            rng: Rng::new(seed),
            phase: Phase::New,
            generation: 0,
            live: None,
            stint: None,
            roster: Roster::new(inner.synchronizers.len(), &inner.timing),
            has_fdv1: inner.fdv1.is_some(),
            memory: Memory::default(),
            directed: Directed::default(),
            mirror: Mirror::new(config.store()),
            live_store: None,
            is_store_initialized: false,
            held: Arc::new(Snapshot::seeded(seed)),
            environment_id: None,
            status: Status::new(),
            ready: Ready::new(),
            oddities: BTreeMap::new(),
            outbox: Outbox::default(),
            config,
            seed,
        }
    }

    /// Applies `event` and returns what has to be done about it.
    ///
    /// What peers do wrong becomes status. An outcome of an effect that is not live any more is
    /// ignored, and so is everything after [`Update::Stopped`](crate::Update::Stopped).
    pub fn handle(&mut self, now: Instant, event: Event) -> Commands<'_> {
        match event {
            Event::Start if self.phase == Phase::New => self.start(now),
            Event::Tick => self.fire_due(now),
            Event::Effect { id, outcome } => match id.lane {
                Lane::Source => self.on_outcome(now, id, outcome),
                Lane::Store => self.on_store_outcome(now, id, outcome),
            },
            Event::StoreRead(read) => self.on_store_read(now, read),
            Event::Shutdown { grace } => self.close(now, grace),
            Event::Start => {}
        }
        self.begin_store_work(now);
        self.outbox.flush();
        Commands(self.outbox.queue())
    }

    /// When to send the next [`Event::Tick`], and why. `None`: there is nothing to wait for but
    /// outcomes.
    pub fn next_deadline(&self) -> Option<Deadline> {
        self.earliest().map(|(at, timer)| Deadline { at, what: timer.what() })
    }

    /// The data that readers see.
    pub fn snapshot(&self) -> &Arc<Snapshot> {
        &self.held
    }

    /// The seed that the system was made with. Peers must not learn it: it guards the collections
    /// against keys made to collide.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The configuration that the system was made with.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// What tells this system from all others, as every request of it says (C 1.4).
    pub fn instance_id(&self) -> &str {
        let sent = self.headers.get(INSTANCE_ID);
        sent.and_then(|id| id.to_str().ok()).unwrap_or_default()
    }

    /// How often peers did something that makes no sense but harms nothing (B 1.1, 1.4). The
    /// first of each kind is also told as an update.
    pub fn oddities(&self) -> impl Iterator<Item = (Oddity, u64)> + '_ {
        self.oddities.iter().map(|(oddity, count)| (*oddity, *count))
    }

    fn current(&self) -> Option<SourceId> {
        self.stint.as_ref().map(Stint::source)
    }

    fn is_initializing(&self) -> bool {
        matches!(self.current(), Some(SourceId::Initializer(_)))
    }
}

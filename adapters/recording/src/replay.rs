//! Running the core over a recording.

use std::io::BufRead;
use std::sync::Arc;

use fdv2_core::{Command, Config, DataSystem, Instant, Snapshot};

use crate::error::Damage;
use crate::line::Ending;
use crate::read::{Entry, Recording};
use crate::words::{self, Digest};

/// Runs the core over the events of a recording, one by one.
#[derive(Debug)]
pub struct Replay {
    system: DataSystem,
    digest: Digest,
}

/// One event and what the core said to it, for people.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The line of the recording, counted from 1.
    pub line: u64,
    /// When.
    pub at: Instant,
    /// What happened.
    pub event: String,
    /// The commands, one line each.
    pub commands: Vec<String>,
    /// The digest of all commands so far, as it was recorded.
    pub recorded: String,
    /// The digest of all commands so far, as it is now.
    pub digest: String,
}

impl Step {
    /// Whether the core has said the same as when it was recorded, up to here.
    pub fn is_same(&self) -> bool {
        self.recorded == self.digest
    }
}

impl Replay {
    /// A system as the recorded one was made.
    pub fn new(config: Config, seed: u64) -> Self {
        Self { system: DataSystem::new(config, seed), digest: Digest::default() }
    }

    /// Lets the next event in.
    pub fn step(&mut self, entry: Entry) -> Step {
        let event = words::event(&entry.event);
        let commands: Vec<Command> = self.system.handle(entry.at, entry.event).collect();
        let commands: Vec<String> = commands.iter().map(words::command).collect();
        commands.iter().for_each(|words| self.digest.add(words));
        Step {
            line: entry.line,
            at: entry.at,
            event,
            commands,
            recorded: entry.digest,
            digest: self.digest.value(),
        }
    }

    /// The system, as the events so far have left it.
    pub fn system(&self) -> &DataSystem {
        &self.system
    }
}

/// What a recording came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Replayed {
    /// How many events there were.
    pub events: u64,
    /// When the last one was.
    pub until: Instant,
    /// The data at the end.
    pub snapshot: Arc<Snapshot>,
    /// The digest of all commands.
    pub digest: String,
    /// Why the recording ended.
    pub ending: Ending,
}

/// Why a replay is not what was recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The recording cannot be read.
    #[error(transparent)]
    Damage(#[from] Damage),
    /// The core says something else than when it was recorded.
    #[error(
        "the event on line {} differs: at {:?}, {}; the digest of all commands was {} and is {}",
        .0.line, .0.at, .0.event, .0.recorded, .0.digest
    )]
    Differs(Box<Step>),
}

/// Runs the core over a whole recording. It has to say the same as when it was recorded, bit for
/// bit. Each step is told to `tell`, the one that differs included.
///
/// # Errors
/// [`ReplayError`], at the first damage or the first event that differs.
pub fn replay_with(
    mut recording: Recording<impl BufRead>,
    mut tell: impl FnMut(&Step),
) -> Result<Replayed, ReplayError> {
    let mut replay = Replay::new(recording.config().clone(), recording.seed());
    let mut replayed = Replayed {
        events: 0,
        until: Instant::EPOCH,
        snapshot: Arc::clone(replay.system.snapshot()),
        digest: String::new(),
        ending: Ending::Closed,
    };
    for entry in recording.by_ref() {
        let step = replay.step(entry?);
        tell(&step);
        if !step.is_same() {
            return Err(ReplayError::Differs(Box::new(step)));
        }
        replayed.events += 1;
        replayed.until = step.at;
        replayed.digest = step.digest;
    }
    replayed.snapshot = Arc::clone(replay.system.snapshot());
    replayed.ending = recording.ending().unwrap_or(replayed.ending);
    Ok(replayed)
}

/// Runs the core over a whole recording. One line makes a test of a bug report:
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let recording = std::fs::read("tests/recordings/issue-7.fdv2")?;
/// let replayed = fdv2_recording::replay(recording.as_slice())?;
/// assert!(replayed.snapshot.flag("dark-mode").is_some());
/// # Ok(())
/// # }
/// ```
///
/// A test of what the core should do instead lets the events in with [`Replay::step`], and asserts
/// on [`Replay::system`].
///
/// # Errors
/// [`ReplayError`].
pub fn replay(input: impl BufRead) -> Result<Replayed, ReplayError> {
    replay_with(Recording::open(input)?, |_| {})
}

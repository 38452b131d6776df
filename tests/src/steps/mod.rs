//! Random life: peers that do anything, checked against the invariants and the naive model.

mod decode;
mod explore;
mod fingerprint;
mod life;
mod random;
mod speak;

pub use explore::{Explored, explore};
pub use life::Life;
pub use random::{plan, say, step};

use fdv2_core::ConfigBuilder;
use fdv2_core::config::{Custom, StoreMode};

use crate::model::{Say, Thing};
use crate::sim::{StoreHealth, config, poll, stream};

/// A configuration, a seed, and what happens.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Which configuration.
    pub which: u8,
    /// The seed of the core.
    pub seed: u64,
    /// Into pieces of which sizes bodies are cut, in turn.
    pub cuts: Vec<usize>,
    /// What happens, in order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Lives it, and has all peers good in the end.
    ///
    /// # Panics
    /// If an invariant breaks.
    pub fn live(&self) {
        let mut life = Life::start(self.which, self.seed, self.cuts.clone());
        for step in &self.steps {
            if step.is_of_a_peer() {
                life.wait_for_an_attempt();
            }
            life.step(step);
        }
        life.recover();
    }
}

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Step {
    /// The live attempt is refused.
    Refuse,
    /// The live attempt gets a head.
    Head(Head),
    /// The live attempt gets these events, whatever it is.
    Say(Vec<Say>),
    /// The live attempt gets one whole good transfer.
    Deliver(Vec<Thing>, u8),
    /// The live attempt gets only the first bytes of these events, and an end.
    Cut {
        /// The events.
        says: Vec<Say>,
        /// So many bytes, modulo all of them.
        keep: u16,
        /// The body ends short and the transport does not notice; else the connection is reset.
        is_clean: bool,
    },
    /// The live attempt gets these events drop by drop.
    Drip {
        /// The events.
        says: Vec<Say>,
        /// So many milliseconds before each part.
        pause: u32,
        /// In the midst of it the system is closed.
        closes: bool,
    },
    /// The live attempt gets bytes that mean nothing.
    Bytes(Vec<u8>),
    /// The live attempt's body ends whole.
    End,
    /// The live attempt's connection breaks.
    Break,
    /// An effect that is over tells something, or a live one what it has told before.
    Late(u8),
    /// So many milliseconds pass: what is silent hangs.
    Advance(u32),
    /// Time passes until something happens.
    Deadline,
    /// So many milliseconds pass unnoticed.
    Sleep(u32),
    /// The store fares otherwise.
    StoreFares(StoreHealth),
    /// Each call of the store takes so many milliseconds.
    StoreTakes(u32),
    /// Somebody else empties the store.
    WipeStore,
    /// A read of the store failed.
    StoreReadFailed,
    /// A second start.
    Start,
    /// The system is closed, with so many milliseconds for the store.
    Close(u32),
}

impl Step {
    /// Whether it says nothing while no attempt is live.
    fn is_of_a_peer(&self) -> bool {
        match self {
            Self::Refuse
            | Self::Head(_)
            | Self::Say(_)
            | Self::Deliver(..)
            | Self::Cut { .. }
            | Self::Drip { .. }
            | Self::Bytes(_)
            | Self::End
            | Self::Break => true,
            Self::Late(_)
            | Self::Advance(_)
            | Self::Deadline
            | Self::Sleep(_)
            | Self::StoreFares(_)
            | Self::StoreTakes(_)
            | Self::WipeStore
            | Self::StoreReadFailed
            | Self::Start
            | Self::Close(_) => false,
        }
    }
}

/// A response head.
#[derive(Clone, Copy, Debug)]
pub struct Head {
    /// The status.
    pub status: u16,
    /// Whether it says that it is an event stream.
    pub is_typed: bool,
    /// Whether it has an ETag.
    pub is_tagged: bool,
    /// The directive with this time to live in seconds.
    pub directive: Option<u16>,
}

/// Of so many.
pub const CONFIGURATIONS: u8 = 12;

/// One of some configurations. The second half has a store.
pub fn configuration(which: u8) -> ConfigBuilder {
    let sources = sources(which);
    if which % CONFIGURATIONS < 6 { sources } else { sources.store(StoreMode::ReadWrite) }
}

fn sources(which: u8) -> ConfigBuilder {
    let fdv1 = |config: ConfigBuilder| config.fdv1(poll("v1"));
    match which % 6 {
        0 => config().synchronizer(stream("a")),
        1 => fdv1(config().synchronizer(stream("a")).synchronizer(stream("b"))),
        2 => {
            fdv1(config().initializer(poll("i")).synchronizer(stream("a")).synchronizer(poll("b")))
        }
        3 => config().synchronizer(poll("a")).synchronizer(stream("b")),
        4 => fdv1(config().synchronizer(Custom::new("c")).synchronizer(stream("b"))),
        _ => {
            let initialized = config().initializer(Custom::new("c")).initializer(poll("i"));
            fdv1(initialized.synchronizer(stream("a")))
        }
    }
}

/// How many synchronizers a configuration has.
fn synchronizers(which: u8) -> usize {
    match which % 6 {
        0 | 5 => 1,
        _ => 2,
    }
}

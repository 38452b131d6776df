//! Random life: peers that do anything, checked against the invariants and the naive model.

mod life;

pub use life::Life;

use fdv2_core::ConfigBuilder;
use fdv2_core::config::{Custom, StoreMode};
use proptest::prelude::*;

use crate::model::{Say, Thing};
use crate::sim::{StoreHealth, config, poll, stream};

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Step {
    /// The live attempt gets a head.
    Head(Head),
    /// The live attempt gets these events, whatever it is.
    Say(Vec<Say>),
    /// The live attempt gets one whole good transfer.
    Deliver(Vec<Thing>, u8),
    /// The live attempt gets bytes that mean nothing.
    Bytes(Vec<u8>),
    /// The live attempt's body ends whole.
    End,
    /// The live attempt's connection breaks.
    Break,
    /// So many milliseconds pass.
    Advance(u32),
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
    /// The system is closed.
    Close,
}

/// A response head.
#[derive(Clone, Debug)]
pub struct Head {
    status: u16,
    is_typed: bool,
    is_tagged: bool,
    directive: Option<u16>,
}

fn things() -> impl Strategy<Value = Vec<Thing>> {
    prop::collection::vec(thing(), 0..5)
}

fn thing() -> impl Strategy<Value = Thing> {
    let key = 0..4_u8;
    (
        any::<bool>(),
        key,
        0..3_u8,
        any::<bool>(),
        prop::option::of(0..4_u8),
        prop::option::of(0..4_u8),
    )
        .prop_map(|(is_flag, key, version, is_on, needs, uses)| match is_flag {
            true => Thing { is_flag, key, version, is_on, needs, uses },
            false => Thing { is_flag, key, version, is_on: false, needs: None, uses: None },
        })
}

/// One event.
pub fn say() -> impl Strategy<Value = Say> {
    prop_oneof![
        2 => Just(Say::Full),
        3 => Just(Say::Changes),
        1 => Just(Say::None),
        8 => thing().prop_map(Say::Put),
        1 => thing().prop_map(Say::PutDeleted),
        1 => (0..4_u8).prop_map(Say::PutBad),
        2 => (any::<bool>(), 0..4_u8).prop_map(|(is_flag, key)| Say::Delete(is_flag, key)),
        6 => (0..9_u8).prop_map(Say::Transferred),
        1 => Just(Say::Error),
        1 => Just(Say::Goodbye),
        1 => (0..9_u16).prop_map(Say::GoodbyeToFdv1),
        2 => any::<u8>().prop_map(Say::Noise),
        1 => any::<u8>().prop_map(Say::Nonsense),
    ]
}

fn head() -> impl Strategy<Value = Head> {
    let status = prop_oneof![
        10 => Just(200_u16),
        2 => Just(304),
        1 => Just(302),
        1 => prop::sample::select(vec![204, 400, 401, 404, 429, 500, 503]),
    ];
    let directive = prop_oneof![8 => Just(None), 1 => (0..99_u16).prop_map(Some)];
    (status, prop::bool::weighted(0.9), any::<bool>(), directive).prop_map(
        |(status, is_typed, is_tagged, directive)| Head { status, is_typed, is_tagged, directive },
    )
}

fn health() -> impl Strategy<Value = StoreHealth> {
    prop_oneof![
        3 => Just(StoreHealth::Up),
        1 => Just(StoreHealth::Down),
        1 => Just(StoreHealth::Torn),
        1 => Just(StoreHealth::Hanging),
    ]
}

/// One step.
pub fn step() -> impl Strategy<Value = Step> {
    let quick = prop::sample::select(vec![0, 1, 400, 1000, 4000, 10_000, 30_000]);
    let slow = prop::sample::select(vec![60_000, 120_000, 300_000, 4_000_000]);
    prop_oneof![
        6 => head().prop_map(Step::Head),
        10 => prop::collection::vec(say(), 1..8).prop_map(Step::Say),
        6 => (things(), 0..9_u8).prop_map(|(things, state)| Step::Deliver(things, state)),
        1 => prop::collection::vec(any::<u8>(), 1..20).prop_map(Step::Bytes),
        3 => Just(Step::End),
        2 => Just(Step::Break),
        10 => (quick, 0..50_u32).prop_map(|(about, more)| Step::Advance(about + more)),
        2 => slow.prop_map(Step::Advance),
        1 => (0..900_000_u32).prop_map(Step::Sleep),
        4 => health().prop_map(Step::StoreFares),
        1 => (0..40_000_u32).prop_map(Step::StoreTakes),
        1 => Just(Step::WipeStore),
        1 => Just(Step::StoreReadFailed),
        1 => Just(Step::Start),
        1 => prop::bool::weighted(0.1)
            .prop_map(|closes| if closes { Step::Close } else { Step::End }),
    ]
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

//! Steps as proptest makes them up.

use proptest::prelude::*;

use super::{CONFIGURATIONS, Head, Plan, Step};
use crate::model::{Say, Thing};
use crate::sim::StoreHealth;

/// A life of at most so many steps.
pub fn plan(steps: usize) -> impl Strategy<Value = Plan> {
    let cuts = prop::collection::vec(1..200_usize, 0..4);
    let steps = prop::collection::vec(step(), 1..steps);
    (0..CONFIGURATIONS, any::<u64>(), cuts, steps).prop_map(|(which, seed, cuts, steps)| Plan {
        which,
        seed,
        cuts,
        steps,
    })
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
        1 => Just(Say::BadJson),
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
    let says = || prop::collection::vec(say(), 1..8);
    let quick = prop::sample::select(vec![0, 1, 400, 1000, 4000, 10_000, 30_000]);
    let slow = prop::sample::select(vec![60_000, 120_000, 300_000, 4_000_000]);
    let pause = prop::sample::select(vec![0, 1, 900, 4_900, 9_000, 30_000]);
    prop_oneof![
        2 => Just(Step::Refuse),
        6 => head().prop_map(Step::Head),
        10 => says().prop_map(Step::Say),
        6 => (things(), 0..9_u8).prop_map(|(things, state)| Step::Deliver(things, state)),
        2 => (says(), any::<u16>(), any::<bool>())
            .prop_map(|(says, keep, is_clean)| Step::Cut { says, keep, is_clean }),
        2 => (says(), pause, prop::bool::weighted(0.03))
            .prop_map(|(says, pause, closes)| Step::Drip { says, pause, closes }),
        1 => prop::collection::vec(any::<u8>(), 1..20).prop_map(Step::Bytes),
        3 => Just(Step::End),
        2 => Just(Step::Break),
        2 => any::<u8>().prop_map(Step::Late),
        10 => (quick, 0..50_u32).prop_map(|(about, more)| Step::Advance(about + more)),
        2 => slow.prop_map(Step::Advance),
        6 => Just(Step::Deadline),
        1 => (0..900_000_u32).prop_map(Step::Sleep),
        4 => health().prop_map(Step::StoreFares),
        1 => (0..40_000_u32).prop_map(Step::StoreTakes),
        1 => Just(Step::WipeStore),
        1 => Just(Step::StoreReadFailed),
        1 => Just(Step::Start),
        1 => (prop::bool::weighted(0.1), 0..4_000_u32)
            .prop_map(|(closes, grace)| if closes { Step::Close(grace) } else { Step::End }),
    ]
}

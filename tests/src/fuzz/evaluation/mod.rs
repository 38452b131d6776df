//! Any flags, segments and contexts, evaluated (B 1.9).

mod look;
mod parts;
mod world;

use std::collections::BTreeSet;
use std::sync::Arc;

use arbitrary::{Arbitrary, Unstructured};
use fdv2_core::context::Context;
use fdv2_core::eval::{ErrorKind, FlagDetail, FlagDetailConfig, Needs, Reason, evaluate};
use fdv2_core::model::{Flag, Item, Kind};
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Limits, Snapshot};
use serde_json::Value;

use look::Look;
pub use parts::OPERATORS;
use world::World;

/// How many flags and segments an evaluation visits at most, as it is documented.
const VISITS: usize = 10_000;
/// Of more items than this, not each is loaded one by one.
const LOADED_ONE_BY_ONE: usize = 40;

/// Whatever flags, segments and contexts there are, an evaluation ends within 10,000 visits, gives a
/// variation that the flag has or an error, gives the same again, gives the same among all flags and
/// when everything is loaded only as it is needed, needs nothing when all is loaded, and does not
/// change when a flag that it did not look at becomes a bad one.
///
/// An input that begins with `{` is the JSON of two flags and two segments; of any other, flags,
/// segments and contexts that refer to each other are decoded with `arbitrary`.
///
/// # Panics
/// If it does not.
pub fn evaluation(input: &[u8]) {
    let world = match input.first() {
        Some(b'{') => std::str::from_utf8(input).ok().map(World::of_text),
        _ => World::arbitrary(&mut Unstructured::new(input)).ok(),
    };
    if let Some(world) = world {
        holds(&world);
    }
}

fn holds(world: &World) {
    let snapshot = world.snapshot();
    let spoiled = spoiled(world, &snapshot);
    for context in world.contexts() {
        let flags: Vec<_> = world.roots().filter_map(|key| snapshot.flag(key)).collect();
        let answers: Vec<_> =
            flags.iter().map(|flag| answer(world, &snapshot, flag, &context)).collect();
        for (flag, answer) in flags.iter().zip(&answers) {
            answer.fits(flag, &context);
            assert_eq!(self::answer(world, &snapshot, flag, &context), *answer, "the same again");
            if snapshot.objects() <= LOADED_ONE_BY_ONE {
                assert_eq!(loaded_one_by_one(world, &snapshot, flag, &context), answer.given);
            }
            let is_concerned =
                **flag.key() == *world.bad.key || answer.looked_at.contains(&*world.bad.key);
            if !is_concerned {
                let flag = spoiled.flag(flag.key()).expect("still there");
                let with_bad = self::answer(world, &spoiled, flag, &context);
                assert_eq!(with_bad, *answer, "{} was spoiled", world.bad.key);
            }
        }
        agrees_with_all_flags(world, &snapshot, &flags, &answers, &context);
    }
}

/// What an evaluation gave.
#[derive(Debug, PartialEq)]
struct Given {
    variation: Option<usize>,
    value: Option<Value>,
    reason: Reason<'static>,
}

#[derive(Debug, PartialEq)]
struct Answer {
    given: Given,
    /// The keys of the flags that were looked for.
    looked_at: BTreeSet<String>,
}

impl Answer {
    /// The value is the variation's, and there is one unless the reason says why not.
    fn fits(&self, flag: &Item<Flag>, context: &Context) {
        let Given { variation, value, reason } = &self.given;
        let expected = variation.map(|index| flag.model().variations().get(index));
        assert_eq!(expected, value.as_ref().map(Some), "a variation that the flag has");
        let is_error = reason.error().is_some();
        assert!(!is_error || value.is_none(), "an error has no value: {reason:?}");
        let is_refused = reason.error() == Some(ErrorKind::UserNotSpecified);
        assert_eq!(is_refused, !context.is_valid(), "{reason:?}");
    }
}

fn answer(world: &World, snapshot: &Snapshot, flag: &Item<Flag>, context: &Context) -> Answer {
    let look = Look::at_all(snapshot, &world.memberships);
    let given = given(&look, flag, context).expect("everything is loaded");
    let visits = look.visits.get();
    assert!(visits <= VISITS, "{visits} visits");
    Answer { given, looked_at: look.flags.into_inner() }
}

fn given(look: &Look<'_>, flag: &Item<Flag>, context: &Context) -> Result<Given, Needs> {
    let detail = evaluate(look, flag, context)?;
    Ok(Given {
        variation: detail.variation_index,
        value: detail.value.cloned(),
        reason: detail.reason.into_owned(),
    })
}

/// Begins with nothing loaded, and loads what the evaluation says that it needs.
fn loaded_one_by_one(
    world: &World,
    snapshot: &Snapshot,
    flag: &Item<Flag>,
    context: &Context,
) -> Given {
    let mut look = Look::at_nothing(snapshot, &world.memberships);
    loop {
        match given(&look, flag, context) {
            Ok(given) => return given,
            Err(needs) => look.load(needs),
        }
    }
}

fn agrees_with_all_flags(
    world: &World,
    snapshot: &Snapshot,
    flags: &[&Arc<Item<Flag>>],
    answers: &[Answer],
    context: &Context,
) {
    let look = Look::at_all(snapshot, &world.memberships);
    let mut config = FlagDetailConfig::new();
    let config = *config.with_reasons();
    let all = FlagDetail::evaluate(&look, flags.iter().copied(), context, config, 0);
    let all = all.expect("everything is loaded");
    serde_json::to_string(&all).expect("JSON");
    assert_eq!(all.is_valid(), context.is_valid());
    if !context.is_valid() {
        return;
    }
    assert_eq!(all.flags().len(), flags.len());
    for (state, (flag, answer)) in all.flags().iter().zip(flags.iter().zip(answers)) {
        assert_eq!(state.key(), &**flag.key());
        assert_eq!(state.variation(), answer.given.variation);
        assert_eq!(state.value(), answer.given.value.as_ref());
        assert_eq!(state.reason(), Some(&answer.given.reason));
    }
}

/// The same, where one flag has become a bad one, if its text can be decoded at all.
fn spoiled(world: &World, snapshot: &Arc<Snapshot>) -> Arc<Snapshot> {
    let mut builder = ChangeSetBuilder::changes();
    let _ = builder.put(Kind::Flag, &world.bad.key, u64::MAX, world.bad.text);
    let commit = Snapshot::apply(snapshot, builder.finish(None), &Limits::default());
    commit.expect("within the limits").snapshot
}

//! Our engine against the official one, on generated flags, segments and contexts.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fdv2_core::context::Context;
use fdv2_tests::{made_up, ran};
use launchdarkly_server_sdk_evaluation as oracle;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::Value;

use super::engines::{Items, OracleItems};
use super::generate::{self, FLAGS, World};

/// How many triples of flag, segments and context are compared in one run, at least.
const TRIPLES: usize = 100_000;

/// How many contexts are tried on each set of flags and segments.
const CONTEXTS: usize = 40;

/// How often each kind of reason came, by its name in JSON.
type Reasons = BTreeMap<String, usize>;

#[test]
fn value_index_and_reason_are_those_of_the_official_engine() {
    let reasons = RefCell::new(Reasons::new());
    let cases = u32::try_from(TRIPLES.div_ceil(CONTEXTS * FLAGS.len())).unwrap();
    let worlds = (generate::world(), prop::collection::vec(generate::context(), CONTEXTS));
    let result = TestRunner::new(made_up::cases(cases))
        .run(&worlds, |(world, contexts)| compare(&world, &contexts, &mut reasons.borrow_mut()));
    if let Err(error) = result {
        panic!("{error}");
    }
    let reasons = reasons.into_inner();
    assert!(reasons.values().sum::<usize>() >= TRIPLES, "{reasons:?}");
    assert_eq!(reasons.len(), 6, "{reasons:?}");
    assert!(reasons.values().all(|count| *count > TRIPLES / 100), "{reasons:?}");
}

fn compare(world: &World, contexts: &[Value], reasons: &mut Reasons) -> Result<(), TestCaseError> {
    ran::case();
    let ours = Items::new(&world.flags, &world.segments);
    let theirs = OracleItems::new(&world.flags, &world.segments);
    for context in contexts {
        let our_context: Context = serde_json::from_str(&context.to_string()).unwrap();
        let their_context: oracle::Context = serde_json::from_str(&context.to_string()).unwrap();
        for key in FLAGS {
            let our_answer = ours.evaluate(key, &our_context);
            *reasons.entry(our_answer.reason["kind"].to_string()).or_default() += 1;
            prop_assert_eq!(
                our_answer,
                theirs.evaluate(key, &their_context),
                "{} for {}",
                key,
                context
            );
        }
    }
    Ok(())
}

/// The canonical key, and the JSON that comes out, are the official ones too.
#[test]
fn contexts_are_read_and_written_as_the_official_ones() {
    let result = TestRunner::new(made_up::cases(2000)).run(&generate::context(), |context| {
        ran::case();
        let ours: Context = serde_json::from_str(&context.to_string()).unwrap();
        let theirs: oracle::Context = serde_json::from_str(&context.to_string()).unwrap();
        prop_assert_eq!(ours.canonical_key(), theirs.canonical_key());
        let ours_again: Value = serde_json::to_value(&ours).unwrap();
        let theirs_again: oracle::Context = serde_json::from_value(ours_again.clone()).unwrap();
        prop_assert_eq!(&theirs_again, &theirs);
        prop_assert_eq!(serde_json::from_value::<Context>(ours_again).unwrap(), ours);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

//! Which bucket a context falls into. The numbers are those that all of LaunchDarkly's SDKs agree
//! on.

use fdv2_core::context::{Context, ContextBuilder};
use serde_json::{Value, json};

use super::engines::Items;

fn flag(key: &str, salt: &str, rollout: Value) -> Value {
    json!({"key": key, "on": true, "salt": salt, "fallthrough": {"rollout": rollout},
        "variations": [0, 1, 2]})
}

fn user(key: &str) -> Context {
    ContextBuilder::new(key).build().unwrap()
}

/// Checks that `context` is in the bucket, to a hundred-thousandth.
#[track_caller]
fn assert_bucket(bucket: f64, key: &str, salt: &str, rollout: Value, context: &Context) {
    let below = (bucket * 100_000.0).floor();
    let mut rollout = rollout;
    rollout["variations"] = json!([
        {"variation": 0, "weight": below},
        {"variation": 1, "weight": 1},
        {"variation": 2, "weight": 100_000.0 - below - 1.0},
    ]);
    let answer = Items::new(&[flag(key, salt, rollout)], &[]).evaluate(key, context);
    assert_eq!(answer.index, Some(1), "{answer:?}");
}

#[test]
fn the_bucket_comes_of_the_key_and_the_salt() {
    for (key, bucket) in
        [("userKeyA", 0.42157587), ("userKeyB", 0.6708485), ("userKeyC", 0.10343106)]
    {
        assert_bucket(bucket, "hashKey", "saltyA", json!({}), &user(key));
    }
}

#[test]
fn the_bucket_comes_of_the_seed_where_there_is_one() {
    for (key, bucket) in
        [("userKeyA", 0.09801207), ("userKeyB", 0.14483777), ("userKeyC", 0.9242641)]
    {
        assert_bucket(bucket, "hashKey", "saltyA", json!({"seed": 61}), &user(key));
        assert_bucket(bucket, "other", "salt", json!({"seed": 61.0}), &user(key));
    }
}

#[test]
fn whole_numbers_are_bucketed_as_their_text() {
    let numbered = |value: Value| {
        let mut builder = ContextBuilder::new("userKeyD");
        builder.set_value("attr", &value).build().unwrap()
    };
    let by_attribute = json!({"bucketBy": "attr"});
    for value in [json!(33_333), json!("33333"), json!(33_333.0), json!(3.3333e4)] {
        let context = numbered(value);
        assert_bucket(0.54771423, "hashKey", "saltyA", by_attribute.clone(), &context);
    }
}

/// The first bucket, since there is nothing to hash.
#[test]
fn what_cannot_be_bucketed_is_in_the_first_bucket() {
    for value in [json!(1.5), json!(true), json!([1]), json!({"a": 1}), json!(null), json!(1e300)] {
        let context = ContextBuilder::new("userKeyD").set_value("attr", &value).build().unwrap();
        assert_bucket(0.0, "hashKey", "saltyA", json!({"bucketBy": "attr"}), &context);
    }
    assert_bucket(0.0, "hashKey", "saltyA", json!({"contextKind": "org"}), &user("userKeyA"));
}

#[test]
fn experiments_bucket_by_key_whatever_they_say() {
    let rollout = json!({"kind": "experiment", "bucketBy": "attr"});
    assert_bucket(0.42157587, "hashKey", "saltyA", rollout, &user("userKeyA"));
}

/// M01: the sum of the weights is 99,990, and the bucket of this user is 0.99996505.
#[test]
fn m01_who_is_past_the_end_of_the_last_bucket_gets_the_last_variation() {
    let rollout = json!({"variations": [
        {"variation": 0, "weight": 50_000}, {"variation": 1, "weight": 49_990}]});
    let items = Items::new(&[flag("roll", "salt1", rollout)], &[]);
    let answer = items.evaluate("roll", &user("user-5219"));
    assert_eq!((answer.index, answer.reason), (Some(1), json!({"kind": "FALLTHROUGH"})));
}

#[test]
fn only_tracked_variations_of_a_context_that_is_there_are_in_an_experiment() {
    let answer = |rollout: Value| {
        let items = Items::new(&[flag("hashKey", "saltyA", rollout)], &[]);
        items.evaluate("hashKey", &user("userKeyA")).reason["inExperiment"] == true
    };
    let share =
        |untracked: bool| json!([{"variation": 0, "weight": 100_000, "untracked": untracked}]);
    assert!(answer(json!({"kind": "experiment", "variations": share(false)})));
    assert!(!answer(json!({"kind": "experiment", "variations": share(true)})));
    assert!(!answer(json!({"kind": "rollout", "variations": share(false)})));
    assert!(!answer(
        json!({"kind": "experiment", "contextKind": "org", "variations": share(false)})
    ));
}

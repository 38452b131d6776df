//! Data made to hurt, on a stack of 2 MiB and in a debug build.

use std::sync::Arc;

use fdv2_core::context::{Context, ContextBuilder};
use fdv2_core::model::{Decoded, Flag, Item, Segment};
use serde_json::{Value, json};

use super::engines::{Items, item_of_text};

/// Runs `test` with the stack that threads usually have, and drops there what it made.
fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 << 20).spawn(test).unwrap().join().unwrap();
}

fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

fn flag(key: usize, needed: &[usize], rules: Value) -> Value {
    let needed: Vec<_> =
        needed.iter().map(|key| json!({"key": key.to_string(), "variation": 0})).collect();
    json!({"key": key.to_string(), "on": true, "prerequisites": needed, "rules": rules,
        "variations": [0], "fallthrough": {"variation": 0}, "offVariation": 0})
}

fn rules(segments: &[usize]) -> Value {
    let keys: Vec<_> = segments.iter().map(usize::to_string).collect();
    let clause = json!({"attribute": "", "op": "segmentMatch", "values": keys});
    json!([{"clauses": [clause], "variation": 0}])
}

fn segment(key: usize, others: &[usize]) -> Value {
    json!({"key": key.to_string(), "rules": rules(others)})
}

fn assert_malformed(flags: &[Value], segments: &[Value]) {
    let answer = Items::new(flags, segments).evaluate("0", &user());
    assert_eq!(answer.reason["errorKind"], "MALFORMED_FLAG", "{answer:?}");
}

#[test]
fn a_ladder_of_flags_ends_as_malformed() {
    on_a_small_stack(|| {
        let flags: Vec<_> = (0..40).map(|key| flag(key, &[key + 1, key + 1], json!([]))).collect();
        let flags = [flags, vec![flag(40, &[], json!([]))]].concat();
        assert_malformed(&flags, &[]);
    });
}

#[test]
fn a_ladder_of_segments_ends_as_malformed() {
    on_a_small_stack(|| {
        let segments: Vec<_> = (0..40).map(|key| segment(key, &[key + 1, key + 1])).collect();
        let segments = [segments, vec![segment(40, &[])]].concat();
        assert_malformed(&[flag(0, &[], rules(&[0]))], &segments);
    });
}

#[test]
fn a_chain_of_100_000_ends_as_malformed() {
    let assert_malformed = |items: Items| {
        on_a_small_stack(move || {
            let answer = items.evaluate("0", &user());
            assert_eq!(answer.reason["errorKind"], "MALFORMED_FLAG");
        });
    };
    let mut flags = Items::default();
    let mut segments = Items::new(&[flag(0, &[], rules(&[0]))], &[]);
    for (key, next) in (0..100_000).zip(1..) {
        let key = key.to_string();
        let text = format!(r#"{{"on":true,"prerequisites":[{{"key":"{next}","variation":0}}]}}"#);
        flags.flags.insert(key.clone(), item_of_text(&key, &text));
        let clause = format!(r#"{{"attribute":"","op":"segmentMatch","values":["{next}"]}}"#);
        let text = format!(r#"{{"rules":[{{"clauses":[{clause}]}}]}}"#);
        segments.segments.insert(key.clone(), item_of_text(&key, &text));
    }
    assert_malformed(flags);
    assert_malformed(segments);
}

/// 250 flags, each of which needs the next, and 249 segments in a row below the last: 499 levels
/// are visited, one more is too many.
#[test]
fn flags_and_segments_count_together_as_levels() {
    let answer = |segments: usize| {
        let mut flags: Vec<_> = (0..249).map(|key| flag(key, &[key + 1], json!([]))).collect();
        flags.push(flag(249, &[], rules(&[0])));
        let mut chain: Vec<_> = (0..segments).map(|key| segment(key, &[key + 1])).collect();
        chain[segments - 1] =
            json!({"key": (segments - 1).to_string(), "rules": [{"clauses": []}]});
        Items::new(&flags, &chain).evaluate("0", &user())
    };
    on_a_small_stack(move || {
        assert_eq!(answer(250).reason["kind"], "FALLTHROUGH");
        assert_eq!(answer(251).reason["errorKind"], "MALFORMED_FLAG");
    });
}

#[test]
fn cycles_end_as_malformed() {
    on_a_small_stack(|| {
        for length in [1, 2, 3, 400] {
            let flags: Vec<_> =
                (0..length).map(|key| flag(key, &[(key + 1) % length], json!([]))).collect();
            assert_malformed(&flags, &[]);
            let segments: Vec<_> =
                (0..length).map(|key| segment(key, &[(key + 1) % length])).collect();
            assert_malformed(&[flag(0, &[], rules(&[0]))], &segments);
        }
    });
}

#[test]
fn one_flag_can_look_at_many_others_but_not_at_any_number() {
    on_a_small_stack(|| {
        let answer = |count: usize| {
            let needed: Vec<_> = (1..=count).collect();
            let mut flags: Vec<_> = needed.iter().map(|key| flag(*key, &[], json!([]))).collect();
            flags.push(flag(0, &needed, json!([])));
            Items::new(&flags, &[]).evaluate("0", &user())
        };
        assert_eq!(answer(9_999).reason["kind"], "FALLTHROUGH");
        assert_eq!(answer(10_000).reason["errorKind"], "MALFORMED_FLAG");
    });
}

#[test]
fn huge_lists_are_read_and_searched() {
    on_a_small_stack(|| {
        let keys: Vec<_> = (0..100_000).map(|key| format!("key-{key}")).collect();
        let segment = json!({"key": "s", "included": keys, "excluded": keys, "rules": []});
        let clause = json!({"attribute": "", "op": "segmentMatch", "values": ["s"]});
        let numbers: Vec<_> = (0..100_000).collect();
        let in_list = json!({"attribute": "key", "op": "in", "values": numbers});
        let rules = vec![json!({"clauses": [in_list.clone()], "variation": 1}); 3];
        let rules = [rules, vec![json!({"clauses": [clause], "variation": 0})]].concat();
        let flag = json!({"key": "f", "on": true, "targets": [{"values": keys, "variation": 2}],
            "rules": rules, "variations": [0, 1, 2], "fallthrough": {"variation": 1}});
        let items = Items::new(&[flag], &[segment]);
        let mut builder = ContextBuilder::new("key-99999");
        assert_eq!(items.evaluate("f", &builder.build().unwrap()).index, Some(2));
        let org = builder.kind("org").build().unwrap();
        assert_eq!(items.evaluate("f", &org).index, Some(1));
    });
}

/// Keys that are all the same, or all share their beginning, are found as fast as others.
#[test]
fn lists_of_equal_keys_are_sets() {
    let segment =
        json!({"key": "s", "included": vec!["same"; 100_000], "excluded": [], "rules": []});
    let clause = json!({"attribute": "", "op": "segmentMatch", "values": ["s"]});
    let flag = json!({"key": "f", "on": true, "variations": [0, 1], "fallthrough": {"variation": 0},
        "rules": [{"clauses": [clause], "variation": 1}]});
    let items = Items::new(&[flag], &[segment]);
    for (key, index) in [("same", 1), ("sam", 0), ("same2", 0), ("other", 0)] {
        let context = ContextBuilder::new(key).build().unwrap();
        assert_eq!(items.evaluate("f", &context).index, Some(index));
    }
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

/// What is not read is skipped without recursion; what is kept has a limit.
#[test]
fn deep_json_is_skipped_or_refused() {
    on_a_small_stack(|| {
        let decode = |text: &str| Item::<Flag>::decode(Arc::from("f"), 1, text);
        let deep = nested(1_000_000);
        assert!(matches!(decode(&format!(r#"{{"new":{deep}}}"#)), Ok(Decoded::Live(_))));
        assert!(decode(&format!(r#"{{"variations":[{}]}}"#, nested(100))).is_ok());
        let error = decode(&format!(r#"{{"variations":[{deep}]}}"#)).unwrap_err();
        assert_eq!(error.field(), "variations");
        let values = format!(r#"{{"rules":[{{"clauses":[{{"op":"in","values":{deep}}}]}}]}}"#);
        assert_eq!(decode(&values).unwrap_err().field(), "rules.clauses.values");
        let rules = format!(r#"{{"rules":{deep}}}"#);
        assert!(Item::<Segment>::decode(Arc::from("s"), 1, &rules).is_err());
        assert!(serde_json::from_str::<Context>(&format!(r#"{{"key":"a","x":{deep}}}"#)).is_err());
    });
}

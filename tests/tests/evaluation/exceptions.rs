//! Where our engine is not to be measured by the official one, each with its reason. Each test says
//! what both do, so that an official one that has been repaired is noticed.
//!
//! Besides, the generators leave out what the official engine refuses to read at all (B 1.9): null
//! or missing lists, `version: 1.0`, a missing `salt`, a `contextKind` that is none.

use fdv2_core::context::Context;
use launchdarkly_server_sdk_evaluation as oracle;
use serde_json::{Value, json};

use super::engines::{Answer, Items, OracleItems};

/// Our answer and theirs on the flag `f0`.
fn both(flags: &[Value], segments: &[Value]) -> (Answer, Answer) {
    both_for(flags, segments, &json!({"kind": "user", "key": "a"}))
}

fn both_for(flags: &[Value], segments: &[Value], context: &Value) -> (Answer, Answer) {
    let ours: Context = serde_json::from_value(context.clone()).unwrap();
    let theirs: oracle::Context = serde_json::from_value(context.clone()).unwrap();
    (
        Items::new(flags, segments).evaluate("f0", &ours),
        OracleItems::new(flags, segments).evaluate("f0", &theirs),
    )
}

fn flag(key: &str, prerequisites: Value, rules: Value) -> Value {
    json!({
        "key": key, "version": 1, "on": true, "targets": [], "salt": "s",
        "prerequisites": prerequisites, "rules": rules, "fallthrough": {"variation": 0},
        "offVariation": 1, "variations": ["no", "off", "yes"],
    })
}

fn rule(clause: Value) -> Value {
    json!([{"id": "r", "clauses": [clause], "variation": 2, "trackEvents": false}])
}

fn clause(operator: &str, value: impl Into<Value>) -> Value {
    json!({"attribute": "x", "op": operator, "values": [value.into()]})
}

/// f0 needs f1 and f2, and f2 needs f1 too. The official engine forgets to take a flag whose
/// prerequisite failed off its chain, and takes the second visit for a cycle.
#[test]
fn a_flag_is_needed_twice() {
    let need = |key: &str, variation: i64| json!({"key": key, "variation": variation});
    let flags = [
        flag("f0", json!([need("f1", 1), need("f2", 0)]), json!([])),
        flag("f1", json!([need("nowhere", 0)]), json!([])),
        flag("f2", json!([need("f1", 1)]), json!([])),
    ];
    let (ours, theirs) = both(&flags, &[]);
    assert_eq!(ours.reason, json!({"kind": "FALLTHROUGH"}));
    assert_eq!(theirs.reason["errorKind"], "MALFORMED_FLAG");
}

/// The official engine knows nothing of big segments, and uses their lists.
#[test]
fn a_segment_is_a_big_one() {
    let clause = json!({"attribute": "", "op": "segmentMatch", "values": ["s0"]});
    let segment = json!({"key": "s0", "version": 1, "included": ["a"], "excluded": [], "rules": [],
        "salt": "", "unbounded": true, "generation": 1});
    let (ours, theirs) = both(&[flag("f0", json!([]), rule(clause))], &[segment]);
    assert_eq!(ours.value, Some(json!("no")));
    assert_eq!(ours.reason, json!({"kind": "FALLTHROUGH", "bigSegmentsStatus": "NOT_CONFIGURED"}));
    assert_eq!(theirs.value, Some(json!("yes")));
}

/// The time zone of RFC 3339 has an ASCII sign; the official engine takes a typographic minus too.
#[test]
fn a_date_has_a_typographic_minus() {
    let flags = [flag("f0", json!([]), rule(clause("before", "2020-01-01T00:00:00Z")))];
    let context = json!({"kind": "user", "key": "a", "x": "2019-01-01T00:00:00\u{2212}01:00"});
    let (ours, theirs) = both_for(&flags, &[], &context);
    assert_eq!((ours.value, theirs.value), (Some(json!("no")), Some(json!("yes"))));
}

/// Beyond the year 262,000 the official engine knows no dates, although milliseconds are exact
/// there still.
#[test]
fn a_date_is_very_far_away() {
    let flags = [flag("f0", json!([]), rule(clause("after", "2020-01-01T00:00:00Z")))];
    let context = json!({"kind": "user", "key": "a", "x": 9_000_000_000_000_000_u64});
    let (ours, theirs) = both_for(&flags, &[], &context);
    assert_eq!((ours.value, theirs.value), (Some(json!("yes")), Some(json!("no"))));
}

/// Ours compiles no regular expression of more than 1 MiB; the official limit is ten times that.
#[test]
fn a_regular_expression_is_large() {
    let flags = [flag("f0", json!([]), rule(clause("matches", r"^\pL{1,100}$")))];
    let context = json!({"kind": "user", "key": "a", "x": "abc"});
    let (ours, theirs) = both_for(&flags, &[], &context);
    assert_eq!((ours.value, theirs.value), (Some(json!("no")), Some(json!("yes"))));
}

/// The official engine has no bound on prerequisites but the thread's stack.
#[test]
fn prerequisites_are_deeper_than_500_levels() {
    let count = 600;
    let flags: Vec<_> = (0..count)
        .map(|index| {
            let next = (index + 1 < count)
                .then(|| json!({"key": format!("f{}", index + 1), "variation": 0}));
            flag(&format!("f{index}"), next.into_iter().collect(), json!([]))
        })
        .collect();
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    let (ours, theirs) = thread.spawn(move || both(&flags, &[])).unwrap().join().unwrap();
    assert_eq!(ours.reason["errorKind"], "MALFORMED_FLAG");
    assert_eq!(theirs.reason["kind"], "FALLTHROUGH");
}

/// An official context keeps the `secondary` of an old user. Nothing evaluates it any more.
#[test]
fn an_old_user_has_a_secondary_key() {
    let user = json!({"key": "a", "secondary": "b"});
    let ours: Context = serde_json::from_value(user.clone()).unwrap();
    let theirs: oracle::Context = serde_json::from_value(user).unwrap();
    assert_eq!(serde_json::to_value(&ours).unwrap(), json!({"kind": "user", "key": "a"}));
    assert_eq!(serde_json::to_value(&theirs).unwrap()["_meta"]["secondary"], "b");
}

/// A whole number that a float cannot hold stays what it is in ours.
#[test]
fn a_value_is_a_whole_number_beyond_the_floats() {
    let mut flag = flag("f0", json!([]), json!([]));
    flag["variations"] = json!([9_007_199_254_740_993_u64]);
    let items = Items::new(&[flag], &[]);
    let value = items.flags["f0"].model().variations()[0].clone();
    assert_eq!(value, json!(9_007_199_254_740_993_u64));
}

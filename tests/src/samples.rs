//! Flags and segments of common shapes and sizes, for benches and tests of cost.

use std::sync::Arc;

use fdv2_core::model::Kind;
use fdv2_core::protocol::InvalidData;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Limits, Snapshot};
use serde_json::{Value, json};

/// A flag that has all fields, is on, and has also these members.
pub fn flag(key: &str, members: Value) -> Value {
    let mut flag = json!({
        "key": key, "version": 1, "on": true, "prerequisites": [], "targets": [],
        "contextTargets": [], "rules": [], "fallthrough": {"variation": 1}, "offVariation": 0,
        "variations": [false, true], "clientSide": false, "salt": "0123456789abcdef",
        "trackEvents": false, "trackEventsFallthrough": false, "debugEventsUntilDate": null,
        "deleted": false,
    });
    if let (Some(flag), Value::Object(members)) = (flag.as_object_mut(), members) {
        flag.extend(members);
    }
    flag
}

/// A flag that is off.
pub fn off() -> Value {
    flag("off", json!({"on": false}))
}

/// A flag of 2 KB with two rules, four clauses and a rollout. A user whose plan is `gold` and whose
/// age is over 30 gets the rollout of the second rule.
pub fn typical() -> Value {
    let clause = |attribute: &str, operator: &str, values: Value| {
        json!({"contextKind": "user", "attribute": attribute, "op": operator, "values": values,
            "negate": false})
    };
    let countries = json!(["de", "fr", "it", "es", "pt", "nl", "be", "at", "ch", "dk", "se", "no"]);
    let rollout = json!({"contextKind": "user", "bucketBy": "key", "variations": [
        {"variation": 0, "weight": 30_000}, {"variation": 1, "weight": 30_000},
        {"variation": 2, "weight": 40_000}]});
    let id = |last: u8| format!("6f9619ff-8b86-d011-b42d-00c04fc964f{last}");
    flag(
        "checkout-page-layout",
        json!({
            "variations": ["control", "one-page-checkout", {"layout": "wide", "columns": 3}],
            "targets": [
                {"values": (0..8).map(id).collect::<Vec<_>>(), "variation": 0},
                {"values": (0..4).map(id).collect::<Vec<_>>(), "variation": 2},
            ],
            "contextTargets": [
                {"contextKind": "user", "values": [], "variation": 0},
                {"contextKind": "organization", "values": ["acme", "initech"], "variation": 1},
            ],
            "rules": [
                {"id": id(1), "variation": 1, "trackEvents": false, "clauses": [
                    clause("country", "in", countries),
                    clause("email", "endsWith", json!(["@example.com", "@example.org"])),
                ]},
                {"id": id(2), "rollout": rollout, "trackEvents": false, "clauses": [
                    clause("plan", "in", json!(["gold", "platinum"])),
                    clause("age", "greaterThan", json!([30])),
                ]},
            ],
            "clientSideAvailability": {"usingMobileKey": true, "usingEnvironmentId": true},
            "samplingRatio": 1,
        }),
    )
}

/// A flag that needs [`needed`] to give nothing special.
pub fn with_prerequisite() -> Value {
    flag("with-prerequisite", json!({"prerequisites": [{"key": "needed", "variation": 1}]}))
}

/// What [`with_prerequisite`] needs: [`typical`] under another key.
pub fn needed() -> Value {
    let mut needed = typical();
    if let Some(needed) = needed.as_object_mut() {
        needed.insert("key".to_owned(), "needed".into());
    }
    needed
}

/// A flag with one rule of this one clause, which gives true.
pub fn with_clause(key: &str, attribute: &str, operator: &str, value: &str) -> Value {
    let clause = json!({"attribute": attribute, "op": operator, "values": [value]});
    let rules = json!([{"id": "r", "clauses": [clause], "variation": 1, "trackEvents": false}]);
    flag(key, json!({"rules": rules, "fallthrough": {"variation": 0}}))
}

/// A segment that includes so many users, `user-0` and on.
pub fn segment(key: &str, count: usize) -> Value {
    json!({"key": key, "version": 1, "included": users(count), "excluded": [],
        "includedContexts": [], "excludedContexts": [], "salt": "s", "rules": [],
        "deleted": false})
}

/// A flag with so many users as targets, `user-0` and on.
pub fn with_targets(count: usize) -> Value {
    flag("with-targets", json!({"targets": [{"values": users(count), "variation": 0}]}))
}

fn users(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("user-{number}")).collect()
}

/// A snapshot that holds these.
///
/// # Errors
/// One of them cannot be decoded.
pub fn snapshot(flags: &[Value], segments: &[Value]) -> Result<Arc<Snapshot>, InvalidData> {
    let mut builder = ChangeSetBuilder::full();
    let all = [(Kind::Flag, flags), (Kind::Segment, segments)];
    for (kind, object) in all.into_iter().flat_map(|(kind, all)| all.iter().map(move |o| (kind, o)))
    {
        let key = object.get("key").and_then(Value::as_str).unwrap_or_default();
        builder.put(kind, key, 1, &object.to_string())?;
    }
    let applied = Snapshot::apply(&Arc::default(), builder.finish(None), &Limits::default());
    applied.map(|commit| commit.snapshot).map_err(|rejected| rejected.error)
}

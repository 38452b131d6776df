//! All flags at once, and their JSON form (C 3.5).

use std::sync::Arc;

use fdv2_core::context::{Context, ContextBuilder, ContextError};
use fdv2_core::eval::{FlagDetail, FlagDetailConfig};
use serde_json::{Value, json};

use super::engines::{Items, item};

const NOW: u64 = 1_700_000_000_000;

fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

fn detail(flags: &[Value], config: FlagDetailConfig) -> Value {
    let items = Items::new(flags, &[]);
    let flags: Vec<_> = flags.iter().map(|flag| Arc::new(item(flag))).collect();
    let detail = FlagDetail::evaluate(&items, &flags, &user(), config, NOW).unwrap();
    serde_json::to_value(detail).unwrap()
}

fn off(key: &str, members: Value) -> Value {
    let mut flag = json!({"key": key, "version": 100, "on": false, "variations": ["a", "b"],
        "offVariation": 1});
    flag.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    flag
}

/// M09: a flag that is broken spoils no other.
#[test]
fn each_flag_has_its_value_and_its_metadata() {
    let flags = [
        off("plain", json!({})),
        off("tracked", json!({"version": 200.0, "trackEvents": true})),
        off("debugged", json!({"debugEventsUntilDate": NOW + 1})),
        off("no longer debugged", json!({"debugEventsUntilDate": NOW})),
        off("silent", json!({"offVariation": null})),
        off("broken", json!({"offVariation": -1})),
    ];
    assert_eq!(
        detail(&flags, FlagDetailConfig::new()),
        json!({
            "plain": "b", "tracked": "b", "debugged": "b", "no longer debugged": "b",
            "silent": null, "broken": null, "$valid": true,
            "$flagsState": {
                "plain": {"variation": 1, "version": 100},
                "tracked": {"variation": 1, "version": 200, "trackEvents": true},
                "debugged": {"variation": 1, "version": 100, "debugEventsUntilDate": NOW + 1},
                "no longer debugged":
                    {"variation": 1, "version": 100, "debugEventsUntilDate": NOW},
                "silent": {"version": 100},
                "broken": {"version": 100},
            },
        })
    );
}

#[test]
fn reasons_are_told_when_asked_for() {
    let flags = [off("plain", json!({})), off("broken", json!({"offVariation": 9}))];
    let state = detail(&flags, *FlagDetailConfig::new().with_reasons());
    assert_eq!(state["$flagsState"]["plain"]["reason"], json!({"kind": "OFF"}));
    assert_eq!(
        state["$flagsState"]["broken"]["reason"],
        json!({"kind": "ERROR", "errorKind": "MALFORMED_FLAG"})
    );
}

#[test]
fn only_client_side_flags_are_told_when_asked_for() {
    let flags = [
        off("none", json!({})),
        off("old", json!({"clientSide": true})),
        off("new", json!({"clientSideAvailability": {"usingEnvironmentId": true}})),
        off(
            "new wins",
            json!({"clientSide": true,
            "clientSideAvailability": {"usingEnvironmentId": false, "usingMobileKey": true}}),
        ),
    ];
    let state = detail(&flags, *FlagDetailConfig::new().client_side_only());
    let keys: Vec<_> = state["$flagsState"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["new", "old"]);
}

#[test]
fn details_can_be_told_of_tracked_flags_only() {
    let flags = [
        off("plain", json!({})),
        off("tracked", json!({"trackEvents": true})),
        off("debugged", json!({"debugEventsUntilDate": NOW + 1})),
        off("no longer debugged", json!({"debugEventsUntilDate": NOW})),
    ];
    let mut config = FlagDetailConfig::new();
    let state = detail(&flags, *config.with_reasons().details_only_for_tracked_flags());
    let reason = json!({"kind": "OFF"});
    assert_eq!(
        state["$flagsState"],
        json!({
            "plain": {"variation": 1},
            "tracked": {"variation": 1, "version": 100, "reason": reason, "trackEvents": true},
            "debugged": {"variation": 1, "version": 100, "reason": reason,
                "debugEventsUntilDate": NOW + 1},
            "no longer debugged": {"variation": 1, "debugEventsUntilDate": NOW},
        })
    );
}

/// An experiment's reason is told even if nobody asked for reasons.
#[test]
fn experiments_are_tracked_with_their_reason() {
    let on = |key: &str, members: Value| {
        let mut flag = off(key, members);
        flag["on"] = true.into();
        flag
    };
    let rollout = json!({"rollout": {"kind": "experiment",
        "variations": [{"variation": 0, "weight": 100_000}]}});
    let rule = json!([{"id": "r", "clauses": [], "variation": 0, "trackEvents": true}]);
    let flags = [
        on("rollout", json!({"fallthrough": rollout})),
        on("fallthrough", json!({"fallthrough": {"variation": 0}, "trackEventsFallthrough": true})),
        on("rule", json!({"rules": rule})),
        on("none", json!({"fallthrough": {"variation": 0}})),
    ];
    let state = detail(&flags, FlagDetailConfig::new())["$flagsState"].clone();
    for (key, reason) in [
        ("rollout", json!({"kind": "FALLTHROUGH", "inExperiment": true})),
        ("fallthrough", json!({"kind": "FALLTHROUGH"})),
        ("rule", json!({"kind": "RULE_MATCH", "ruleIndex": 0, "ruleId": "r"})),
    ] {
        let expected = json!({"variation": 0, "version": 100, "trackEvents": true,
            "trackReason": true, "reason": reason});
        assert_eq!(state[key], expected, "{key}");
    }
    assert_eq!(state["none"], json!({"variation": 0, "version": 100}));
}

/// Only a flag's own ones, and only as far as they were looked at.
#[test]
fn evaluated_prerequisites_are_told() {
    let on = |key: &str, needed: &[(&str, i64)]| {
        let needed: Vec<_> =
            needed.iter().map(|(key, index)| json!({"key": key, "variation": index})).collect();
        json!({"key": key, "version": 1, "on": true, "variations": [0, 1],
            "prerequisites": needed, "fallthrough": {"variation": 0}, "offVariation": 1})
    };
    let flags = [
        on("a", &[("b", 0), ("c", 0)]),
        on("b", &[("d", 0)]),
        on("c", &[("nowhere", 0)]),
        on("d", &[]),
        on("e", &[("c", 0), ("d", 0)]),
        off("f", json!({"prerequisites": [{"key": "d", "variation": 0}]})),
    ];
    let state = detail(&flags, FlagDetailConfig::new())["$flagsState"].clone();
    assert_eq!(state["a"]["prerequisites"], json!(["b", "c"]));
    assert_eq!(state["b"]["prerequisites"], json!(["d"]));
    assert_eq!(state["e"]["prerequisites"], json!(["c"]));
    for key in ["c", "d", "f"] {
        assert_eq!(state[key].get("prerequisites"), None);
    }
}

#[test]
fn an_invalid_context_gives_nothing() {
    let flag = off("plain", json!({}));
    let flags = [Arc::new(item(&flag))];
    let context = Context::invalid(ContextError::EmptyKey);
    let config = FlagDetailConfig::new();
    let detail = FlagDetail::evaluate(&Items::default(), &flags, &context, config, NOW).unwrap();
    assert_eq!(serde_json::to_value(detail).unwrap(), json!({"$flagsState": {}, "$valid": false}));
}

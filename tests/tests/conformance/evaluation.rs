//! Evaluation by type, and of all flags at once (C 3.5, 2.13).

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{DefaultSystem, Payload, Sdk, Service, flag};

on_both_runtimes!(
    a_value_has_the_type_that_was_asked_for,
    a_value_of_another_type_is_an_error,
    an_unknown_flag_gives_its_default,
    details_are_given_on_demand_alone,
    all_flags_have_value_variation_and_version,
    all_flags_have_reasons_on_demand,
    all_flags_leave_details_out_unless_events_are_tracked,
    all_flags_can_be_those_for_clients_alone,
    all_flags_name_the_prerequisites_that_were_evaluated,
    all_flags_tell_of_experiments,
);

fn start<'a>(service: &'a Service, flags: &[Value]) -> (DefaultSystem, Sdk<'a>) {
    let system = DefaultSystem::new(Payload::full(flags));
    let sdk = service.create(&system.setup());
    (system, sdk)
}

fn evaluate(sdk: &Sdk, key: &str, value_type: &str, default: &Value) -> Value {
    sdk.command(
        "evaluate",
        &json!({
            "flagKey": key, "context": { "kind": "user", "key": "user-key" },
            "valueType": value_type, "defaultValue": default, "detail": true,
        }),
    )
}

/// One of each type, with a default of that type.
fn typed() -> [(&'static str, Value, Value); 4] {
    [
        ("bool", json!(true), json!(false)),
        ("int", json!(3), json!(-1)),
        ("double", json!(2.5), json!(-1.5)),
        ("string", json!("text"), json!("default")),
    ]
}

fn a_value_has_the_type_that_was_asked_for(service: &Service) {
    let flags: Vec<_> = typed().map(|(name, value, _)| flag(name, 1, value)).into();
    let object = json!({ "a": [1, null] });
    let (_system, sdk) = start(service, &[&flags[..], &[flag("any", 1, object.clone())]].concat());
    for (name, value, default) in typed().into_iter().chain([("any", object, json!("default"))]) {
        let answer = evaluate(&sdk, name, name, &default);
        let detail = json!({ "value": value, "variationIndex": 0, "reason": { "kind": "OFF" } });
        assert_eq!(answer, detail);
    }
    assert_eq!(evaluate(&sdk, "double", "int", &json!(0))["value"], 2);
    assert_eq!(evaluate(&sdk, "int", "double", &json!(0.5))["value"].as_f64(), Some(3.0));
}

fn a_value_of_another_type_is_an_error(service: &Service) {
    let flags: Vec<_> = typed().map(|(name, value, _)| flag(name, 1, value)).into();
    let (_system, sdk) = start(service, &flags);
    for (given, ..) in typed() {
        for (asked, _, default) in typed() {
            let are_numbers = |name| matches!(name, "int" | "double");
            if given == asked || (are_numbers(given) && are_numbers(asked)) {
                continue;
            }
            let answer = evaluate(&sdk, given, asked, &default);
            let reason = json!({ "kind": "ERROR", "errorKind": "WRONG_TYPE" });
            assert_eq!((&answer["value"], &answer["reason"]), (&default, &reason));
            assert_eq!(answer["variationIndex"], Value::Null);
        }
    }
}

fn an_unknown_flag_gives_its_default(service: &Service) {
    let (_system, sdk) = start(service, &[]);
    for (name, _, default) in typed() {
        let answer = evaluate(&sdk, "no-flag", name, &default);
        let reason = json!({ "kind": "ERROR", "errorKind": "FLAG_NOT_FOUND" });
        assert_eq!((&answer["value"], &answer["reason"]), (&default, &reason));
    }
}

fn details_are_given_on_demand_alone(service: &Service) {
    let (_system, sdk) = start(service, &[flag("flag-key", 1, "value")]);
    for detail in [json!(false), Value::Null] {
        let answer = sdk.command(
            "evaluate",
            &json!({
                "flagKey": "flag-key", "context": { "kind": "user", "key": "user-key" },
                "valueType": "any", "defaultValue": null, "detail": detail,
            }),
        );
        assert_eq!(answer, json!({ "value": "value" }));
    }
}

fn all(sdk: &Sdk, options: &[&str]) -> Value {
    let mut parameters = json!({
        "context": { "kind": "user", "key": "user-key" }, "withReasons": false,
        "clientSideOnly": false, "detailsOnlyForTrackedFlags": false,
    });
    for option in options {
        parameters[*option] = true.into();
    }
    let mut state = sdk.command("evaluateAll", &parameters)["state"].take();
    assert_eq!(state.as_object_mut().unwrap().remove("$valid"), Some(true.into()));
    state
}

/// The version is the flag's own, whatever the envelope says (C 1.6).
fn all_flags_have_value_variation_and_version(service: &Service) {
    let mut erring = flag("erring", 300, "value");
    erring["offVariation"] = 9.into();
    let flags = [flag("flag1", 100, "value1"), flag("flag2", 200, json!([2])), erring];
    let (_system, sdk) = start(service, &flags);
    let state = json!({
        "flag1": "value1", "flag2": [2], "erring": null,
        "$flagsState": {
            "flag1": { "variation": 0, "version": 100 },
            "flag2": { "variation": 0, "version": 200 },
            "erring": { "version": 300 },
        },
    });
    assert_eq!(all(&sdk, &[]), state);
}

fn all_flags_have_reasons_on_demand(service: &Service) {
    let (_system, sdk) = start(service, &[flag("flag1", 100, "value1")]);
    let metadata = json!({ "variation": 0, "version": 100, "reason": { "kind": "OFF" } });
    assert_eq!(all(&sdk, &["withReasons"])["$flagsState"]["flag1"], metadata);
}

fn all_flags_leave_details_out_unless_events_are_tracked(service: &Service) {
    let mut tracked = flag("tracked", 200, "value2");
    tracked["trackEvents"] = true.into();
    let mut debugged = flag("debugged", 300, "value3");
    debugged["debugEventsUntilDate"] = 4_000_000_000_000_u64.into();
    let mut no_more = flag("no-more", 400, "value4");
    no_more["debugEventsUntilDate"] = 1_000_000_000_000_u64.into();
    let flags = [flag("plain", 100, "value1"), tracked, debugged, no_more];
    let (_system, sdk) = start(service, &flags);
    let states = all(&sdk, &["withReasons", "detailsOnlyForTrackedFlags"])["$flagsState"].take();
    let off = json!({ "kind": "OFF" });
    let expected = json!({
        "plain": { "variation": 0 },
        "tracked": { "variation": 0, "version": 200, "reason": off, "trackEvents": true },
        "debugged": {
            "variation": 0, "version": 300, "reason": off,
            "debugEventsUntilDate": 4_000_000_000_000_u64,
        },
        "no-more": { "variation": 0, "debugEventsUntilDate": 1_000_000_000_000_u64 },
    });
    assert_eq!(states, expected);
}

fn all_flags_can_be_those_for_clients_alone(service: &Service) {
    let mut old = flag("old", 1, "value1");
    old["clientSide"] = true.into();
    let mut new = flag("new", 1, "value2");
    new["clientSideAvailability"] = json!({ "usingEnvironmentId": true, "usingMobileKey": false });
    let (_system, sdk) = start(service, &[old, new, flag("server-side", 1, "value3")]);
    let state = all(&sdk, &["clientSideOnly"]);
    assert_eq!((&state["old"], &state["new"]), (&json!("value1"), &json!("value2")));
    assert!(state.get("server-side").is_none(), "{state}");
    assert_eq!(all(&sdk, &[])["server-side"], "value3");
}

fn on(key: &str, prerequisites: &[&str]) -> Value {
    let mut flag = flag(key, 1, "off");
    flag["on"] = true.into();
    flag["fallthrough"] = json!({ "variation": 1 });
    let prerequisites = prerequisites.iter().map(|key| json!({ "key": key, "variation": 1 }));
    flag["prerequisites"] = prerequisites.collect();
    flag
}

/// Its own ones, and no further than the first that fails.
fn all_flags_name_the_prerequisites_that_were_evaluated(service: &Service) {
    let mut failing = on("failing", &[]);
    failing["on"] = false.into();
    let flags = [
        on("a", &["b", "d"]),
        on("b", &["c"]),
        on("c", &[]),
        on("d", &[]),
        on("e", &["failing", "d"]),
        failing,
    ];
    let (_system, sdk) = start(service, &flags);
    let states = all(&sdk, &[])["$flagsState"].take();
    let prerequisites = |key: &str| states[key]["prerequisites"].clone();
    assert_eq!(prerequisites("a"), json!(["b", "d"]));
    assert_eq!(prerequisites("b"), json!(["c"]));
    assert_eq!(prerequisites("c"), Value::Null);
    assert_eq!(prerequisites("e"), json!(["failing"]));
}

fn all_flags_tell_of_experiments(service: &Service) {
    let mut experiment = on("experiment", &[]);
    let variations = json!([{ "variation": 1, "weight": 100_000, "untracked": false }]);
    experiment["fallthrough"] =
        json!({ "rollout": { "kind": "experiment", "variations": variations } });
    let (_system, sdk) = start(service, &[experiment]);
    let state = all(&sdk, &["detailsOnlyForTrackedFlags"])["$flagsState"]["experiment"].take();
    let expected = json!({
        "variation": 1, "version": 1, "trackEvents": true, "trackReason": true,
        "reason": { "kind": "FALLTHROUGH", "inExperiment": true },
    });
    assert_eq!(state, expected);
}

//! Contexts: made, converted, compared, and proved (C 3.7).

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{DefaultSystem, Payload, Sdk, Service, flag};

on_both_runtimes!(
    contexts_are_made_of_their_parts,
    contexts_that_cannot_be_are_an_answer,
    contexts_and_old_users_are_converted,
    what_is_no_context_cannot_be_converted,
    contexts_are_equal_whatever_the_order_of_their_parts,
    different_contexts_are_not_equal,
    old_users_can_be_evaluated,
    a_hash_proves_a_context,
);

fn with_client(service: &Service, look: impl FnOnce(&Sdk)) {
    let system = DefaultSystem::new(Payload::full(&[flag("flag-key", 1, "value")]));
    look(&service.create(&system.setup()));
}

/// The context in an answer.
#[track_caller]
fn output(answer: &Value) -> Value {
    let text = answer["output"].as_str().unwrap_or_else(|| panic!("{answer}"));
    serde_json::from_str(text).unwrap()
}

fn contexts_are_made_of_their_parts(service: &Service) {
    let long = json!({
        "kind": "org", "key": "a", "name": "b", "anonymous": true, "private": ["/c/d", "e"],
        "custom": { "c": { "d": [1, true, "x"] }, "e": 2.5, "gone": null, "": "nameless" },
    });
    let made = json!({
        "kind": "org", "key": "a", "name": "b", "anonymous": true,
        "c": { "d": [1, true, "x"] }, "e": 2.5, "_meta": { "privateAttributes": ["/c/d", "e"] },
    });
    with_client(service, |sdk| {
        for (asked, context) in [
            (json!({ "single": { "key": "a" } }), json!({ "kind": "user", "key": "a" })),
            (
                json!({ "single": {
                    "kind": null, "key": "a", "name": null, "anonymous": false, "private": [],
                    "custom": {},
                }, "multi": null }),
                json!({ "kind": "user", "key": "a" }),
            ),
            (json!({ "single": long }), made),
            (
                json!({ "multi": [{ "kind": "org", "key": "a" }, { "key": "b", "name": "c" }] }),
                json!({ "kind": "multi", "org": { "key": "a" }, "user": { "key": "b", "name": "c" } }),
            ),
            (
                json!({ "multi": [{ "kind": "org", "key": "a" }] }),
                json!({ "kind": "org", "key": "a" }),
            ),
        ] {
            assert_eq!(output(&sdk.command("contextBuild", &asked)), context);
        }
    });
}

fn contexts_that_cannot_be_are_an_answer(service: &Service) {
    with_client(service, |sdk| {
        for asked in [
            json!({ "single": { "key": "" } }),
            json!({ "single": { "kind": "", "key": "a" } }),
            json!({ "single": { "kind": "kind", "key": "a" } }),
            json!({ "single": { "kind": "multi", "key": "a" } }),
            json!({ "single": { "kind": "ø", "key": "a" } }),
            json!({ "single": { "kind": "a b", "key": "a" } }),
            json!({ "multi": [] }),
            // An empty list that is left out.
            json!({}),
            json!({ "single": null, "multi": null }),
            json!({ "multi": [{ "kind": "org", "key": "a" }, { "kind": "org", "key": "b" }] }),
            json!({ "multi": [{ "kind": "org", "key": "" }, { "key": "b" }] }),
        ] {
            let answer = sdk.command("contextBuild", &asked);
            assert!(answer["error"].as_str().is_some_and(|error| !error.is_empty()), "{answer}");
        }
    });
}

fn contexts_and_old_users_are_converted(service: &Service) {
    with_client(service, |sdk| {
        for (input, context) in [
            (r#"{"kind":"org","key":"a","b":null,"c":[]}"#, json!({"kind":"org","key":"a","c":[]})),
            (r#"{"key":"a"}"#, json!({ "kind": "user", "key": "a" })),
            (r#"{"key":""}"#, json!({ "kind": "user", "key": "" })),
            (
                r#"{"key":"a","name":"b","email":"c","anonymous":true,"ip":null,
                    "custom":{"d":1,"e":null},"privateAttributeNames":["/d"]}"#,
                json!({
                    "kind": "user", "key": "a", "name": "b", "email": "c", "anonymous": true,
                    "d": 1, "_meta": { "privateAttributes": ["/~1d"] },
                }),
            ),
            (
                r#"{"kind":"multi","org":{"key":"a"},"user":{"key":"b","anonymous":false}}"#,
                json!({ "kind": "multi", "org": { "key": "a" }, "user": { "key": "b" } }),
            ),
        ] {
            let answer = sdk.command("contextConvert", &json!({ "input": input }));
            assert_eq!(output(&answer), context);
        }
    });
}

fn what_is_no_context_cannot_be_converted(service: &Service) {
    with_client(service, |sdk| {
        for input in [
            "",
            "{sorry",
            "[]",
            "null",
            r#""a""#,
            "{}",
            r#"{"key":1}"#,
            r#"{"kind":"org"}"#,
            r#"{"kind":"org","key":null}"#,
            r#"{"kind":null,"key":"a"}"#,
            r#"{"kind":"","key":"a"}"#,
            r#"{"kind":"org","key":"a","anonymous":"yes"}"#,
            r#"{"kind":"org","key":"a","name":1}"#,
            r#"{"kind":"multi"}"#,
            r#"{"kind":"multi","org":1}"#,
        ] {
            let answer = sdk.command("contextConvert", &json!({ "input": input }));
            let has_error = answer["error"].as_str().is_some_and(|error| !error.is_empty());
            assert!(has_error, "{input}: {answer}");
        }
    });
}

fn single(attributes: &Value, private: &Value) -> Value {
    json!({
        "single": { "kind": "org", "key": "a", "attributes": attributes,
            "privateAttributes": private },
        "multi": null,
    })
}

fn attribute(name: &str, value: impl Into<Value>) -> Value {
    json!({ "name": name, "value": value.into() })
}

fn private(value: &str, literal: bool) -> Value {
    json!({ "value": value, "literal": literal })
}

fn are_equal(sdk: &Sdk, one: &Value, other: &Value) -> bool {
    let answer = sdk.command("contextComparison", &json!({ "context1": one, "context2": other }));
    answer["equals"].as_bool().unwrap_or_else(|| panic!("{answer}"))
}

fn contexts_are_equal_whatever_the_order_of_their_parts(service: &Service) {
    let (org, user) = (json!({ "kind": "org", "key": "a" }), json!({ "kind": "user", "key": "b" }));
    with_client(service, |sdk| {
        for (one, other) in [
            (single(&Value::Null, &Value::Null), single(&json!([]), &json!([]))),
            (
                single(&json!([attribute("b", 1), attribute("c", "x")]), &Value::Null),
                single(&json!([attribute("c", "x"), attribute("b", 1)]), &Value::Null),
            ),
            (
                single(&Value::Null, &json!([private("b", false), private("c", false)])),
                single(&Value::Null, &json!([private("c", false), private("b", true)])),
            ),
            (
                single(&Value::Null, &json!([private("/b/c", true)])),
                single(&Value::Null, &json!([private("/~1b~1c", false)])),
            ),
            (json!({ "multi": [org, user] }), json!({ "multi": [user, org] })),
        ] {
            assert!(are_equal(sdk, &one, &other), "{one} {other}");
        }
    });
}

fn different_contexts_are_not_equal(service: &Service) {
    let plain = single(&Value::Null, &Value::Null);
    with_client(service, |sdk| {
        for other in [
            json!({ "single": { "kind": "org", "key": "b" } }),
            json!({ "single": { "kind": "user", "key": "a" } }),
            json!({ "multi": [{ "kind": "org", "key": "a" }, { "kind": "user", "key": "a" }] }),
            single(&json!([attribute("b", 1)]), &Value::Null),
            single(&json!([attribute("name", "b")]), &Value::Null),
            single(&json!([attribute("anonymous", true)]), &Value::Null),
            single(&Value::Null, &json!([private("b", false)])),
        ] {
            assert!(!are_equal(sdk, &plain, &other), "{other}");
        }
        assert!(are_equal(sdk, &plain, &json!({ "multi": [{ "kind": "org", "key": "a" }] })));
    });
}

fn old_users_can_be_evaluated(service: &Service) {
    let mut targeting = flag("flag-key", 1, "other");
    targeting["on"] = true.into();
    targeting["fallthrough"] = json!({ "variation": 0 });
    targeting["variations"] = json!(["other", "match"]);
    let clause = json!({"attribute": "plan", "op": "in", "values": ["gold"], "negate": false});
    targeting["rules"] =
        json!([{"variation": 1, "id": "rule", "clauses": [clause], "trackEvents": false}]);
    let system = DefaultSystem::new(Payload::full(&[targeting]));
    let sdk = service.create(&system.setup());
    for (plan, value) in [("gold", "match"), ("lead", "other")] {
        let answer = sdk.command(
            "evaluate",
            &json!({
                "flagKey": "flag-key", "context": null, "valueType": "string",
                "user": { "key": "a", "custom": { "plan": plan } }, "defaultValue": "default",
            }),
        );
        assert_eq!(answer, json!({ "value": value }));
    }
}

fn a_hash_proves_a_context(service: &Service) {
    let system = DefaultSystem::new(Payload::empty());
    let key = "sdk-01234567-89ab-cdef-0123-456789abcdef";
    let sdk = service.create(&system.setup().set("credential", key));
    for (kind, hash) in [
        ("user", "73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd"),
        ("other", "98a933ca26d2951547fc021981ebcdeda95fbca2ac3f767ae67f7042d5458f72"),
    ] {
        let context = json!({ "kind": kind, "key": "user-key-123" });
        let answer = sdk.command("secureModeHash", &json!({ "context": context }));
        assert_eq!(answer, json!({ "result": hash }));
    }
}

//! The service's own manners (C 3.1 to 3.5), of which the public suite wants to be sure.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{DefaultSystem, Payload, Service, Setup, flag};

on_both_runtimes!(
    the_status_names_the_capabilities,
    a_request_that_cannot_be_read_is_refused_with_the_reason,
    a_configuration_that_cannot_be_is_refused_with_the_reason,
    a_command_that_cannot_be_is_refused_with_the_reason,
    what_is_not_known_is_passed_over,
    extreme_numbers_do_no_harm,
    a_client_that_is_closed_is_not_there_any_more,
    commands_about_events_are_taken_and_do_nothing,
    a_client_with_neither_sources_nor_store_gives_defaults,
);

/// All that the service is to have, and nothing else.
const CAPABILITIES: [&str; 26] = [
    "server-side",
    "strongly-typed",
    "server-side-polling",
    "fdv1-fallback",
    "persistent-data-store-redis",
    "flag-change-listeners",
    "flag-value-change-listeners",
    "instance-id",
    "tags",
    "wrapper",
    "polling-gzip",
    "http-proxy",
    "tls:verify-peer",
    "tls:skip-verify-peer",
    "tls:custom-ca",
    "all-flags-with-reasons",
    "all-flags-client-side-only",
    "all-flags-details-only-for-tracked-flags",
    "client-prereq-events",
    "secure-mode-hash",
    "context-type",
    "context-comparison",
    "user-type",
    "evaluation-hooks",
    "hook-environment-id",
    "big-segments",
];

fn the_status_names_the_capabilities(service: &Service) {
    let answer = service.send("GET", "/", "");
    assert_eq!(answer.status, 200, "{answer:?}");
    let status = answer.json();
    let capabilities = status["capabilities"].as_array().unwrap();
    let names: BTreeSet<_> = capabilities.iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!((names.len(), names), (capabilities.len(), BTreeSet::from(CAPABILITIES)));
    for member in ["name", "clientVersion"] {
        assert!(status[member].as_str().is_some_and(|text| !text.is_empty()), "{status}");
    }
}

#[track_caller]
fn is_refused(service: &Service, to: &str, body: &str, why: &str) {
    let answer = service.send("POST", to, body);
    assert_eq!(answer.status, 400, "{body}: {answer:?}");
    assert!(answer.text.contains(why), "{body}: {answer:?}");
}

fn a_request_that_cannot_be_read_is_refused_with_the_reason(service: &Service) {
    for (body, why) in [
        ("", "EOF"),
        ("{sorry", "key must be a string"),
        ("[]", "invalid length 0"),
        ("null", "null"),
        ("{}", "configuration"),
        (r#"{"configuration":1}"#, "1"),
        (r#"{"configuration":{"credential":1}}"#, "string"),
        (r#"{"configuration":{"startWaitTimeMs":-1}}"#, "-1"),
        (r#"{"configuration":{"dataSystem":{"synchronizers":{}}}}"#, "sequence"),
        (r#"{"configuration":{"hooks":{"hooks":[{}]}}}"#, "callbackUri"),
    ] {
        is_refused(service, "/", body, why);
    }
}

fn a_configuration_that_cannot_be_is_refused_with_the_reason(service: &Service) {
    let source = json!({ "streaming": { "baseUri": "http://127.0.0.1:1" } });
    let both = json!({ "streaming": {}, "polling": {} });
    let database = |kind: &str, url: &str| json!({ "persistentDataStore": { "store": { "type": kind, "dsn": url } } });
    let new = || Setup::new().set("initCanFail", true).set("startWaitTimeMs", 1);
    for (setup, why) in [
        (new().set("credential", "a\nb"), "SDK key"),
        (new().set("credential", ""), "SDK key"),
        (new().stream_at("ftp://flags", None), "base URL"),
        (new().set_system("initializers", json!([source])), "initializer"),
        (new().set_system("synchronizers", json!([both])), "streaming or polling"),
        (new().set_system("synchronizers", json!([{}])), "streaming or polling"),
        (new().set_system("fdv1Fallback", json!({})), "FDv1"),
        (new().set_system("store", database("consul", "")), "consul"),
        (new().set_system("store", database("redis", "http://h")), "redis://"),
        (new().set("wrapper", json!({ "name": "a\r\nb" })), "wrapper"),
    ] {
        is_refused(service, "/", &setup.request("a bad configuration").to_string(), why);
    }
    let setup = new().set_system("store", database("redis", "redis://127.0.0.1:1"));
    let setup = setup.set_system("storeMode", 2);
    is_refused(service, "/", &setup.request("a bad mode").to_string(), "storeMode");
}

fn a_command_that_cannot_be_is_refused_with_the_reason(service: &Service) {
    let system = DefaultSystem::new(Payload::full(&[flag("flag-key", 1, "value")]));
    let sdk = service.create(&system.setup());
    let evaluation = |change: &str, value: Value| {
        let mut evaluation = json!({
            "flagKey": "flag-key", "context": { "kind": "user", "key": "a" },
            "valueType": "bool", "defaultValue": false,
        });
        evaluation[change] = value;
        ("evaluate", evaluation)
    };
    for ((name, parameters), why) in [
        (("sing", json!({})), "sing"),
        (("evaluate", Value::Null), "parameters"),
        (("evaluate", json!([])), "evaluate"),
        (evaluation("flagKey", Value::Null), "null"),
        (evaluation("context", Value::Null), "context"),
        (evaluation("context", json!({ "kind": "multi" })), "context"),
        (evaluation("context", json!({ "kind": "user", "key": "" })), "key of a context"),
        (evaluation("valueType", json!("date")), "date"),
        (evaluation("defaultValue", json!("text")), "text"),
        (("contextBuild", json!({ "single": { "key": "a" }, "multi": [] })), "single"),
        (("contextConvert", json!({})), "input"),
        (("registerFlagChangeListener", json!({ "listenerId": "a" })), "callbackUri"),
    ] {
        let answer = sdk.try_command(name, &parameters);
        assert_eq!(answer.status, 400, "{name} {parameters}: {answer:?}");
        assert!(answer.text.contains(why), "{name} {parameters}: {answer:?}");
    }
    assert_eq!(sdk.value("flag-key"), "value");
}

fn what_is_not_known_is_passed_over(service: &Service) {
    let system = DefaultSystem::new(Payload::full(&[flag("flag-key", 1, "value")]));
    let setup = system.setup().set("unknown", json!([1])).set_system("unknown", 1);
    let sdk = service.create(&setup.set("events", json!({ "baseUri": "http://127.0.0.1:1" })));
    assert_eq!(sdk.value("flag-key"), "value");
}

fn extreme_numbers_do_no_harm(service: &Service) {
    let huge = u64::MAX;
    let system = DefaultSystem::new(Payload::full(&[flag("flag-key", 1, "value")]));
    let big_segments = json!({
        "callbackUri": system.mocks.url(), "userCacheSize": huge, "userCacheTimeMs": huge,
        "statusPollIntervalMs": huge, "staleAfterMs": huge,
    });
    let store = json!({ "type": "redis", "dsn": "redis://127.0.0.1:1" });
    let cache = json!({ "mode": "ttl", "ttl": huge });
    let store = json!({ "persistentDataStore": { "store": store, "cache": cache } });
    let setup = system.setup().set("startWaitTimeMs", huge).set("bigSegments", big_segments);
    let sdk = service.create(&setup.set_system("store", store.clone()));
    assert_eq!(sdk.value("flag-key"), "value");
    // The store alone, which cannot be reached.
    let sdk = service.create(&Setup::new().set_system("store", store));
    assert_eq!(sdk.detail("flag-key")["reason"]["errorKind"], "EXCEPTION");
    for setup in [
        Setup::new().poll_at("http://127.0.0.1:1", Some(huge)),
        Setup::new().stream_at("http://127.0.0.1:1", Some(huge)),
        Setup::new().stream_at("http://127.0.0.1:1", Some(0)),
    ] {
        let answer = service.try_create(&setup.can_fail(1));
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.text.contains("must be between"), "{answer:?}");
    }
}

fn a_client_that_is_closed_is_not_there_any_more(service: &Service) {
    let system = DefaultSystem::new(Payload::empty());
    let answer = service.try_create(&system.setup());
    let location = answer.location.unwrap();
    let command = json!({ "command": "flushEvents" }).to_string();
    assert!(service.send("POST", &location, &command).is_success());
    assert!(service.send("DELETE", &location, "").is_success());
    assert_eq!(service.send("POST", &location, &command).status, 404);
    assert_eq!(service.send("DELETE", &location, "").status, 404);
}

fn commands_about_events_are_taken_and_do_nothing(service: &Service) {
    let system = DefaultSystem::new(Payload::empty());
    let sdk = service.create(&system.setup());
    let context = json!({ "kind": "user", "key": "a" });
    sdk.order("identifyEvent", &json!({ "context": context }));
    sdk.order("customEvent", &json!({ "eventKey": "e", "context": context, "data": null }));
    sdk.order("flushEvents", &Value::Null);
}

/// B 6.8.
fn a_client_with_neither_sources_nor_store_gives_defaults(service: &Service) {
    let sdk = service.create(&Setup::new());
    assert_eq!(sdk.value("flag-key"), "default");
}

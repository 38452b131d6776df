//! Hooks around evaluations (C 2.13, 3.7).

use std::sync::Arc;
use std::time::Duration;

use fdv2_tests::server::Script;
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{
    DefaultSystem, Endpoint, Mocks, Payload, Sdk, Service, Setup, Stream, flag, poll_with,
};

on_both_runtimes!(
    both_stages_are_told_of_each_evaluation,
    the_second_stage_is_told_why_there_is_no_value,
    the_second_stage_gets_what_the_first_gave,
    a_first_stage_that_fails_gives_nothing_to_the_second,
    a_hook_that_fails_harms_no_other,
    all_flags_run_no_hooks,
    the_environment_id_of_a_stream_reaches_hooks,
    the_environment_id_of_polls_reaches_hooks,
);

const SECOND: Duration = Duration::from_secs(1);
const ENVIRONMENT: &[(&str, &str)] = &[("X-LD-EnvID", "env-12345")];

/// A client with hooks, each of which tells an endpoint of its own.
struct Hooked<'a> {
    callbacks: Vec<Endpoint>,
    sdk: Sdk<'a>,
    _system: DefaultSystem,
}

impl<'a> Hooked<'a> {
    fn start(service: &'a Service, hooks: &[Value]) -> Self {
        let system = DefaultSystem::new(Payload::full(&[flag("flag-key", 1, "value")]));
        let (callbacks, setup) = with_hooks(&system.mocks, system.setup(), hooks);
        Self { callbacks, sdk: service.create(&setup), _system: system }
    }
}

fn with_hooks(mocks: &Mocks, setup: Setup, hooks: &[Value]) -> (Vec<Endpoint>, Setup) {
    let callbacks: Vec<_> =
        hooks.iter().map(|_| mocks.mount(Arc::new(|_| Script::status(200)))).collect();
    let hooks: Vec<_> = hooks
        .iter()
        .zip(&callbacks)
        .map(|(hook, callback)| {
            let mut hook = hook.clone();
            hook["callbackUri"] = callback.url().into();
            hook
        })
        .collect();
    (callbacks, setup.set("hooks", json!({ "hooks": hooks })))
}

fn hook() -> Value {
    json!({ "name": "hook", "data": null, "errors": null })
}

/// What an endpoint is told next.
#[track_caller]
fn told(callback: &Endpoint) -> Value {
    serde_json::from_slice(&callback.request(SECOND).body).unwrap()
}

fn both_stages_are_told_of_each_evaluation(service: &Service) {
    let hooked = Hooked::start(service, &[hook()]);
    assert_eq!(hooked.sdk.value("flag-key"), "value");
    let callback = &hooked.callbacks[0];
    let [before, after] = [told(callback), told(callback)];
    for (told, stage) in [(&before, "beforeEvaluation"), (&after, "afterEvaluation")] {
        assert_eq!(told["stage"], stage);
        let series = &told["evaluationSeriesContext"];
        assert_eq!(series["flagKey"], "flag-key");
        assert_eq!(series["context"], json!({ "kind": "user", "key": "user-key" }));
        assert_eq!(series["defaultValue"], "default");
        assert!(series["method"].as_str().is_some_and(|method| !method.is_empty()), "{told}");
        assert_eq!(told["evaluationSeriesData"], json!({}));
    }
    assert!(before.get("evaluationDetail").is_none(), "{before}");
    let detail = json!({ "value": "value", "variationIndex": 0, "reason": { "kind": "OFF" } });
    assert_eq!(after["evaluationDetail"], detail);
    callback.is_left_alone(SECOND / 4);
}

/// For each type of value.
fn the_second_stage_is_told_why_there_is_no_value(service: &Service) {
    let hooked = Hooked::start(service, &[hook()]);
    for (value_type, default) in [
        ("bool", json!(true)),
        ("int", json!(3)),
        ("double", json!(2.5)),
        ("string", json!("text")),
        ("any", json!([1])),
    ] {
        let evaluation = json!({
            "flagKey": "no-flag", "context": { "kind": "user", "key": "user-key" },
            "valueType": value_type, "defaultValue": default, "detail": true,
        });
        hooked.sdk.command("evaluate", &evaluation);
        let callback = &hooked.callbacks[0];
        assert_eq!(told(callback)["evaluationSeriesContext"]["defaultValue"], default);
        let detail = told(callback)["evaluationDetail"].clone();
        assert_eq!(detail["value"], default);
        assert_eq!(detail["reason"], json!({"kind": "ERROR", "errorKind": "FLAG_NOT_FOUND"}));
    }
}

fn the_second_stage_gets_what_the_first_gave(service: &Service) {
    let mut hook = hook();
    hook["data"] = json!({ "beforeEvaluation": { "a": "b", "number": 1 }, "afterEvaluation": {} });
    let hooked = Hooked::start(service, &[hook]);
    hooked.sdk.value("flag-key");
    let callback = &hooked.callbacks[0];
    assert_eq!(told(callback)["evaluationSeriesData"], json!({}));
    assert_eq!(told(callback)["evaluationSeriesData"], json!({ "a": "b", "number": 1 }));
}

fn a_first_stage_that_fails_gives_nothing_to_the_second(service: &Service) {
    let mut hook = hook();
    hook["data"] = json!({ "beforeEvaluation": { "a": "b" } });
    hook["errors"] = json!({ "beforeEvaluation": "it is to fail" });
    let hooked = Hooked::start(service, &[hook]);
    assert_eq!(hooked.sdk.value("flag-key"), "value");
    let after = told(&hooked.callbacks[0]);
    assert_eq!(after["stage"], "afterEvaluation");
    assert_eq!(after["evaluationSeriesData"], json!({}));
}

fn a_hook_that_fails_harms_no_other(service: &Service) {
    let mut failing = hook();
    failing["errors"] =
        json!({ "beforeEvaluation": "it is to fail", "afterEvaluation": "this, too" });
    let hooked = Hooked::start(service, &[failing, hook()]);
    assert_eq!(hooked.sdk.value("flag-key"), "value");
    for stage in ["beforeEvaluation", "afterEvaluation"] {
        assert_eq!(told(&hooked.callbacks[1])["stage"], stage);
    }
    hooked.callbacks[0].is_left_alone(SECOND / 4);
}

fn all_flags_run_no_hooks(service: &Service) {
    let hooked = Hooked::start(service, &[hook()]);
    hooked.sdk.command("evaluateAll", &json!({ "context": { "kind": "user", "key": "user-key" } }));
    hooked.callbacks[0].is_left_alone(SECOND / 4);
}

fn has_environment_id(service: &Service, mocks: &Mocks, setup: Setup) {
    let (callbacks, setup) = with_hooks(mocks, setup, &[hook()]);
    let sdk = service.create(&setup);
    sdk.value("flag-key");
    told(&callbacks[0]);
    assert_eq!(told(&callbacks[0])["evaluationSeriesContext"]["environmentId"], "env-12345");
}

fn the_environment_id_of_a_stream_reaches_hooks(service: &Service) {
    let mocks = Mocks::new();
    let payload = Payload::full(&[flag("flag-key", 1, "value")]);
    let initializer = mocks.mount(poll_with(payload.clone(), ENVIRONMENT));
    let streaming = mocks.mount(Stream::with(payload, ENVIRONMENT).handler());
    let setup = Setup::new().initializer(&initializer).stream(&streaming);
    has_environment_id(service, &mocks, setup);
    has_environment_id(service, &mocks, Setup::new().stream(&streaming));
}

fn the_environment_id_of_polls_reaches_hooks(service: &Service) {
    let mocks = Mocks::new();
    let payload = Payload::full(&[flag("flag-key", 1, "value")]);
    let initializer = mocks.mount(poll_with(payload.clone(), ENVIRONMENT));
    let polling = mocks.mount(poll_with(payload, ENVIRONMENT));
    let setup = Setup::new().initializer(&initializer).poll(&polling);
    has_environment_id(service, &mocks, setup);
    has_environment_id(service, &mocks, Setup::new().poll(&polling));
}

//! Listeners that are called back by HTTP (C 2.11).

use std::sync::Arc;
use std::time::Duration;

use fdv2_tests::server::Script;
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{DefaultSystem, Endpoint, Payload, Sdk, Service, flag};

on_both_runtimes!(
    a_listener_is_told_of_a_flag_that_changed,
    a_listener_is_told_of_a_change_that_gives_the_same_value,
    a_listener_is_told_of_different_flags_in_order,
    a_listener_is_not_told_of_what_a_full_payload_repeats,
    a_listener_that_was_removed_is_told_nothing,
    a_value_listener_is_told_of_the_old_and_the_new_value,
    a_value_listener_is_not_told_when_the_value_stays,
    a_value_listener_has_its_default_while_there_is_no_flag,
    two_value_listeners_are_both_told,
    a_value_listener_is_told_of_its_own_context,
    a_value_listener_is_told_of_objects,
    an_unknown_listener_cannot_be_removed,
);

const SECOND: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_millis(500);

/// A client with two flags whose payload has come by poll and by stream.
struct Listening<'a> {
    system: DefaultSystem,
    sdk: Sdk<'a>,
}

impl<'a> Listening<'a> {
    fn start(service: &'a Service, flags: &[Value]) -> Self {
        let system = DefaultSystem::new(Payload::full(flags));
        let sdk = service.create(&system.setup());
        Self { system, sdk }
    }

    fn with_two_flags(service: &'a Service) -> Self {
        Self::start(service, &[flag("flag1", 1, "value1"), flag("flag2", 1, "value1")])
    }

    fn callback(&self) -> Endpoint {
        self.system.mocks.mount(Arc::new(|_| Script::status(200)))
    }

    fn on_flag_change(&self) -> Endpoint {
        let callback = self.callback();
        let listener = json!({ "listenerId": "l1", "callbackUri": callback.url() });
        self.sdk.order("registerFlagChangeListener", &listener);
        callback
    }

    fn on_value_change(&self, id: &str, key: &str, user: &str) -> Endpoint {
        let callback = self.callback();
        let listener = json!({
            "listenerId": id, "callbackUri": callback.url(), "flagKey": key,
            "context": { "kind": "user", "key": user }, "defaultValue": "default",
        });
        self.sdk.order("registerFlagValueChangeListener", &listener);
        callback
    }
}

#[track_caller]
fn is_told(callback: &Endpoint, what: &Value) {
    let request = callback.request(5 * SECOND);
    assert_eq!(request.method, "POST");
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), *what);
}

fn a_listener_is_told_of_a_flag_that_changed(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_flag_change();
    listening.system.stream.update(&flag("flag1", 2, "new-value"));
    is_told(&callback, &json!({ "listenerId": "l1", "flagKey": "flag1" }));
    callback.is_left_alone(WINDOW);
}

fn a_listener_is_told_of_a_change_that_gives_the_same_value(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_flag_change();
    listening.system.stream.update(&flag("flag1", 2, "value1"));
    is_told(&callback, &json!({ "listenerId": "l1", "flagKey": "flag1" }));
    callback.is_left_alone(WINDOW);
}

fn a_listener_is_told_of_different_flags_in_order(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_flag_change();
    listening.system.stream.update(&flag("flag1", 2, "new-value"));
    listening.system.stream.update(&flag("flag2", 3, "new-value"));
    for key in ["flag1", "flag2"] {
        is_told(&callback, &json!({ "listenerId": "l1", "flagKey": key }));
    }
    callback.is_left_alone(WINDOW);
}

/// B 7.1: as when a stream replays what an initializer has brought.
fn a_listener_is_not_told_of_what_a_full_payload_repeats(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_flag_change();
    let stream = &listening.system.stream;
    stream.intent("xfer-full", "stale");
    stream.put(&flag("flag1", 1, "value1"));
    stream.update(&flag("flag2", 2, "new-value"));
    is_told(&callback, &json!({ "listenerId": "l1", "flagKey": "flag2" }));
    callback.is_left_alone(WINDOW);
}

fn a_listener_that_was_removed_is_told_nothing(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_flag_change();
    listening.sdk.order("unregisterListener", &json!({ "listenerId": "l1" }));
    listening.system.stream.update(&flag("flag1", 2, "new-value"));
    listening.sdk.becomes("flag1", "value1", "new-value", SECOND);
    callback.is_left_alone(WINDOW);
}

fn a_value_listener_is_told_of_the_old_and_the_new_value(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_value_change("l1", "flag1", "user-1");
    listening.system.stream.update(&flag("flag1", 2, "new-value"));
    is_told(
        &callback,
        &json!({
            "listenerId": "l1", "flagKey": "flag1", "oldValue": "value1", "newValue": "new-value",
        }),
    );
    callback.is_left_alone(WINDOW);
}

fn a_value_listener_is_not_told_when_the_value_stays(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_value_change("l1", "flag1", "user-1");
    listening.system.stream.update(&flag("flag1", 2, "value1"));
    callback.is_left_alone(WINDOW);
}

fn a_value_listener_has_its_default_while_there_is_no_flag(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callback = listening.on_value_change("l1", "new-flag", "user-1");
    listening.system.stream.update(&flag("new-flag", 1, "new-value"));
    is_told(
        &callback,
        &json!({
            "listenerId": "l1", "flagKey": "new-flag", "oldValue": "default",
            "newValue": "new-value",
        }),
    );
}

fn two_value_listeners_are_both_told(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let callbacks = ["l1", "l2"].map(|id| (id, listening.on_value_change(id, "flag1", "user-1")));
    listening.system.stream.update(&flag("flag1", 2, "new-value"));
    for (id, callback) in callbacks {
        is_told(
            &callback,
            &json!({
                "listenerId": id, "flagKey": "flag1", "oldValue": "value1", "newValue": "new-value",
            }),
        );
    }
}

fn a_value_listener_is_told_of_its_own_context(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let [first, second] =
        ["user-1", "user-2"].map(|user| listening.on_value_change(user, "flag1", user));
    let mut changed = flag("flag1", 2, "value1");
    changed["on"] = true.into();
    changed["fallthrough"] = json!({ "variation": 0 });
    let clause = json!({"attribute": "key", "op": "in", "values": ["user-1"], "negate": false});
    changed["rules"] = json!([
        {"variation": 1, "id": "target-rule", "clauses": [clause], "trackEvents": false},
    ]);
    listening.system.stream.update(&changed);
    is_told(
        &first,
        &json!({
            "listenerId": "user-1", "flagKey": "flag1", "oldValue": "value1", "newValue": "other",
        }),
    );
    second.is_left_alone(WINDOW);
}

fn a_value_listener_is_told_of_objects(service: &Service) {
    let (old, new) = (json!({"a": [1, null]}), json!({"a": [1, null], "b": {"c": 1.5}}));
    let listening = Listening::start(service, &[flag("flag1", 1, old.clone())]);
    let callback = listening.on_value_change("l1", "flag1", "user-1");
    listening.system.stream.update(&flag("flag1", 2, new.clone()));
    is_told(
        &callback,
        &json!({"listenerId": "l1", "flagKey": "flag1", "oldValue": old, "newValue": new}),
    );
}

fn an_unknown_listener_cannot_be_removed(service: &Service) {
    let listening = Listening::with_two_flags(service);
    let answer = listening.sdk.try_command("unregisterListener", &json!({ "listenerId": "l9" }));
    assert_eq!(answer.status, 404, "{answer:?}");
}

//! The protocol of streams: selectors across connections, and how payloads are put together (C 2.4).

use std::time::Duration;

use fdv2_tests::server::Received;
use serde_json::json;

use crate::on_both_runtimes;
use crate::support::{
    Endpoint, Mocks, Payload, Sdk, Service, Setup, Stream, flag, in_turn, poll, segment,
    start_streaming,
};

on_both_runtimes!(
    without_a_selector_there_is_no_basis,
    the_selector_of_an_initializer_is_the_streams_basis,
    a_stream_adds_to_what_an_initializer_brought,
    an_initializer_that_fails_is_followed_by_the_next,
    a_reconnect_says_what_is_held_and_may_keep_it,
    a_reconnect_may_replace_what_is_held,
    a_reconnect_may_change_what_is_held,
    a_reconnect_says_what_was_applied_last,
    objects_may_come_in_any_order,
    nothing_is_visible_before_its_payload_is_transferred,
    updates_follow_one_another_without_a_new_intent,
    versions_of_flags_are_not_compared_in_memory,
    heartbeats_are_ignored,
    unknown_events_are_ignored_within_a_payload,
    an_error_discards_what_came_before_it,
    after_an_error_a_full_payload_replaces_everything,
    a_goodbye_discards_what_came_before_it_and_leads_to_a_reconnect,
);

const SECOND: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_millis(100);

fn initial() -> Payload {
    Payload::full(&[flag("flag-key", 1, "initial value")])
}

fn basis(request: &Received) -> Vec<String> {
    request.parameter("basis")
}

/// The next connection has this basis, and the flags come to give these values.
#[track_caller]
fn check(endpoint: &Endpoint, state: &str, sdk: &Sdk, flags: &[(&str, &str, &str)]) {
    assert_eq!(basis(&endpoint.request(2 * SECOND)), [state]);
    for (key, old, new) in flags {
        sdk.becomes(key, *old, *new, SECOND);
    }
}

fn without_a_selector_there_is_no_basis(service: &Service) {
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Stream::new(initial()).handler());
    let sdk = service.create(&Setup::new().stream(&endpoint));
    assert_eq!(basis(&endpoint.request(2 * SECOND)), [""; 0]);
    assert_eq!(sdk.value("flag-key"), "initial value");
}

fn the_selector_of_an_initializer_is_the_streams_basis(service: &Service) {
    let mocks = Mocks::new();
    let (first, endpoint) =
        (mocks.mount(poll(initial())), mocks.mount(Stream::new(Payload::none()).handler()));
    let sdk = service.create(&Setup::new().initializer(&first).stream(&endpoint));
    first.request(SECOND);
    check(&endpoint, "initial", &sdk, &[("flag-key", "initial value", "initial value")]);
}

fn a_stream_adds_to_what_an_initializer_brought(service: &Service) {
    let mocks = Mocks::new();
    let more = Payload::changes(&[flag("new-flag-key", 1, "new value")]);
    let (first, endpoint) =
        (mocks.mount(poll(initial())), mocks.mount(Stream::new(more).handler()));
    let sdk = service.create(&Setup::new().initializer(&first).stream(&endpoint));
    let flags =
        [("new-flag-key", "default", "new value"), ("flag-key", "initial value", "initial value")];
    check(&endpoint, "initial", &sdk, &flags);
}

fn an_initializer_that_fails_is_followed_by_the_next(service: &Service) {
    let mocks = Mocks::new();
    let data = Payload::full(&[flag("flag-key", 1, "updated value")]).state("expected-state");
    let (first, second) = (mocks.closed(), mocks.mount(poll(data)));
    let endpoint = mocks.mount(Stream::new(Payload::none()).handler());
    let setup = Setup::new().initializer(&first).initializer(&second).stream(&endpoint);
    let sdk = service.create(&setup);
    second.request(SECOND);
    check(&endpoint, "expected-state", &sdk, &[("flag-key", "updated value", "updated value")]);
}

/// A stream that is ended after its first payload, and goes on with `then`.
fn reconnect(service: &Service, then: Payload, flags: &[(&str, &str, &str)]) {
    let first = Stream::new(initial());
    let mocks = Mocks::new();
    let endpoint = mocks.mount(in_turn([first.handler(), Stream::new(then).handler()]));
    let sdk = service.create(&Setup::new().stream_retried(&endpoint, 50));
    assert_eq!(basis(&endpoint.request(2 * SECOND)), [""; 0]);
    assert_eq!(sdk.value("flag-key"), "initial value");
    first.end();
    check(&endpoint, "initial", &sdk, flags);
}

fn a_reconnect_says_what_is_held_and_may_keep_it(service: &Service) {
    reconnect(service, Payload::none(), &[("flag-key", "initial value", "initial value")]);
}

fn a_reconnect_may_replace_what_is_held(service: &Service) {
    let then = Payload::new("xfer-full", "cant-catchup", &[flag("new-flag-key", 1, "new value")]);
    let flags =
        [("new-flag-key", "default", "new value"), ("flag-key", "initial value", "default")];
    reconnect(service, then, &flags);
}

fn a_reconnect_may_change_what_is_held(service: &Service) {
    let then = Payload::changes(&[
        flag("flag-key", 2, "updated value"),
        flag("new-flag-key", 1, "new value"),
    ]);
    let flags =
        [("flag-key", "initial value", "updated value"), ("new-flag-key", "default", "new value")];
    reconnect(service, then, &flags);
}

/// C 1.3: not what an initializer or the first payload brought, and not what was not transferred.
fn a_reconnect_says_what_was_applied_last(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.update(&flag("flag-key", 2, "updated value"));
    sdk.becomes("flag-key", "initial value", "updated value", SECOND);
    stream.put(&flag("flag-key", 3, "partial value"));
    stream.end();
    assert_eq!(basis(&endpoint.request(2 * SECOND)), ["updated"]);
}

/// C 1.6: segments before and after the flags that use them, and no state between is seen.
fn objects_may_come_in_any_order(service: &Service) {
    let clause =
        |key| json!({"attribute": "", "op": "segmentMatch", "values": [key], "negate": false});
    let flags: Vec<_> = ["a", "b", "c"]
        .map(|key| {
            let mut flag = flag(key, 1, "not-matched");
            flag["on"] = true.into();
            flag["fallthrough"] = json!({ "variation": 0 });
            flag["variations"] = json!(["not-matched", "matched"]);
            flag["rules"] = json!([
                {"variation": 1, "id": "rule", "clauses": [clause(key)], "trackEvents": false},
            ]);
            flag
        })
        .into();
    let segments = ["a", "b", "c"].map(|key| segment(key, 1, &["user-key"]));
    let payload = Payload::full(&flags).segments(&segments);
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, payload);
    for _ in 0..6 {
        for key in ["a", "b", "c"] {
            sdk.stays(key, "matched", WINDOW / 10);
        }
        stream.end();
        endpoint.request(2 * SECOND);
    }
}

fn nothing_is_visible_before_its_payload_is_transferred(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.delete("flag-key", 2);
    stream.put(&flag("new-flag-key", 1, "new value"));
    sdk.stays("flag-key", "initial value", WINDOW);
    sdk.stays("new-flag-key", "default", WINDOW);
    stream.transferred("updated", 2);
    sdk.becomes("flag-key", "initial value", "default", SECOND);
    sdk.becomes("new-flag-key", "default", "new value", SECOND);
    endpoint.is_left_alone(WINDOW);
}

fn updates_follow_one_another_without_a_new_intent(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.put(&flag("flag-key", 2, "second value"));
    stream.transferred("updated", 2);
    sdk.becomes("flag-key", "initial value", "second value", SECOND);
    stream.put(&flag("new-flag-key", 1, "new value"));
    stream.transferred("updated", 3);
    sdk.becomes("new-flag-key", "default", "new value", SECOND);
    stream.intent("xfer-full", "stale");
    stream.put(&flag("flag-key", 3, "third value"));
    stream.transferred("updated", 4);
    sdk.becomes("flag-key", "second value", "third value", SECOND);
    sdk.becomes("new-flag-key", "new value", "default", SECOND);
    endpoint.is_left_alone(WINDOW);
}

fn versions_of_flags_are_not_compared_in_memory(service: &Service) {
    let data = Payload::full(&[flag("flag-key", 100, "initial value")]);
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, data);
    stream.update(&flag("flag-key", 1, "new value"));
    sdk.becomes("flag-key", "initial value", "new value", SECOND);
    endpoint.is_left_alone(WINDOW);
}

fn heartbeats_are_ignored(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.push("heartbeat", &json!({}));
    stream.put(&flag("flag-key", 2, "updated value"));
    stream.push("heartbeat", &json!({}));
    stream.transferred("updated", 2);
    sdk.becomes("flag-key", "initial value", "updated value", SECOND);
    endpoint.is_left_alone(WINDOW);
}

fn unknown_events_are_ignored_within_a_payload(service: &Service) {
    for is_first in [false, true] {
        let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
        let unknown = || stream.push("unknown-event-type", &json!({ "some": "data" }));
        if is_first {
            unknown();
        }
        stream.put(&flag("flag-key", 2, "updated value"));
        if !is_first {
            unknown();
        }
        stream.put(&flag("new-flag-key", 1, "new value"));
        stream.transferred("updated", 2);
        sdk.becomes("flag-key", "initial value", "updated value", SECOND);
        sdk.becomes("new-flag-key", "default", "new value", SECOND);
        endpoint.is_left_alone(WINDOW);
    }
}

fn an_error_discards_what_came_before_it(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.put(&flag("flag-key", 2, "updated value"));
    stream.push("error", &json!({"payloadId": "some-id", "reason": "some reason"}));
    sdk.stays("flag-key", "initial value", WINDOW);
    stream.put(&flag("new-flag-key", 1, "new value"));
    stream.transferred("updated", 2);
    sdk.becomes("new-flag-key", "default", "new value", SECOND);
    assert_eq!(sdk.value("flag-key"), "initial value");
    endpoint.is_left_alone(WINDOW);
}

fn after_an_error_a_full_payload_replaces_everything(service: &Service) {
    let (_mocks, stream, endpoint, sdk) = start_streaming(service, initial());
    stream.put(&flag("flag-key", 2, "updated value"));
    stream.push("error", &json!({"payloadId": "some-id", "reason": "some reason"}));
    stream.intent("xfer-full", "stale");
    stream.put(&flag("new-flag-key", 1, "new value"));
    stream.transferred("updated", 2);
    sdk.becomes("flag-key", "initial value", "default", SECOND);
    sdk.becomes("new-flag-key", "default", "new value", SECOND);
    endpoint.is_left_alone(WINDOW);
}

fn a_goodbye_discards_what_came_before_it_and_leads_to_a_reconnect(service: &Service) {
    let first = Stream::new(initial());
    let mocks = Mocks::new();
    let second = Stream::new(Payload::none());
    let endpoint = mocks.mount(in_turn([first.handler(), second.handler()]));
    let sdk = service.create(&Setup::new().stream_retried(&endpoint, 50));
    endpoint.request(2 * SECOND);
    first.put(&flag("flag-key", 2, "updated value"));
    let goodbye = json!({"reason": "some-reason", "silent": false, "catastrophe": false});
    first.push("goodbye", &goodbye);
    first.is_closed(2 * SECOND);
    first.end();
    check(&endpoint, "initial", &sdk, &[("flag-key", "initial value", "initial value")]);
    sdk.stays("flag-key", "initial value", WINDOW);
}

//! Polling (C 2.6), and a body that is not text (C 2.14).

use std::sync::Arc;
use std::time::Duration;

use fdv2_tests::server::Script;
use serde_json::{Value, json};

use crate::support::{
    DefaultSystem, Mocks, Payload, Service, Setup, flag, in_turn, poll, poll_with, status,
};
use crate::{long_on_both_runtimes, on_both_runtimes};

on_both_runtimes!(
    polls_carry_the_sdk_key_and_can_be_compressed,
    a_slash_at_the_end_of_a_base_url_makes_no_difference,
    a_thousand_flags_are_there_at_the_first_evaluation,
    the_first_poll_of_a_synchronizer_says_what_an_initializer_brought,
    a_body_that_is_not_text_is_refused,
);
long_on_both_runtimes!(
    polls_are_thirty_seconds_apart,
    a_poll_says_which_payload_is_held_and_may_be_told_that_it_is_current,
    a_shorter_interval_is_raised_to_thirty_seconds,
    a_longer_interval_is_kept,
);

const SECOND: Duration = Duration::from_secs(1);

fn polls_carry_the_sdk_key_and_can_be_compressed(service: &Service) {
    let mocks = Mocks::new();
    let (first, endpoint) =
        (mocks.mount(poll(Payload::empty())), mocks.mount(poll(Payload::empty())));
    let setup = Setup::new().initializer(&first).poll(&endpoint);
    let _sdk = service.create(&setup.set("credential", "my-sdk-key"));
    let request = endpoint.request(SECOND);
    assert_eq!((&*request.method, request.path()), ("GET", "/sdk/poll"));
    let key = request.header("authorization").unwrap();
    assert_eq!(key.trim_start_matches("api_key "), "my-sdk-key");
    assert!(request.header("accept-encoding").unwrap().contains("gzip"));
}

fn a_slash_at_the_end_of_a_base_url_makes_no_difference(service: &Service) {
    for slash in ["", "/"] {
        let mocks = Mocks::new();
        let endpoint = mocks.mount(poll(Payload::empty()));
        let url = format!("{}{slash}", endpoint.url());
        let _sdk = service.create(&Setup::new().poll_at(&url, None));
        assert_eq!(endpoint.request(SECOND).path(), "/sdk/poll");
    }
}

/// Among them is one whose key is empty, with nothing to give (C 1.7).
fn a_thousand_flags_are_there_at_the_first_evaluation(service: &Service) {
    let mut flags: Vec<Value> = (0..1000)
        .map(|number| {
            let mut flag = flag(&format!("flag-key-{number}"), 1, "off");
            flag["variations"] = json!(["off", "fallthrough"]);
            if number >= 500 {
                flag["on"] = true.into();
                flag["fallthrough"] = json!({ "variation": 1 });
            }
            flag
        })
        .collect();
    let mut nameless = flag("", 0, Value::Null);
    nameless["variations"] = json!([]);
    nameless["offVariation"] = Value::Null;
    flags.push(nameless);
    let payload = Payload::full(&flags);
    let mocks = Mocks::new();
    let (first, endpoint) = (mocks.mount(poll(payload.clone())), mocks.mount(poll(payload)));
    let sdk = service.create(&Setup::new().initializer(&first).poll(&endpoint));
    endpoint.request(SECOND);
    assert_eq!(sdk.value("flag-key-0"), "off");
    assert_eq!(sdk.value("flag-key-999"), "fallthrough");
}

fn the_first_poll_of_a_synchronizer_says_what_an_initializer_brought(service: &Service) {
    let payload = Payload::full(&[flag("flag-key", 1, 1)]).state("poll-basis-state");
    let mocks = Mocks::new();
    let (first, endpoint) = (mocks.mount(poll(payload.clone())), mocks.mount(poll(payload)));
    let _sdk = service.create(&Setup::new().initializer(&first).poll(&endpoint));
    assert_eq!(endpoint.request(15 * SECOND).parameter("basis"), ["poll-basis-state"]);
}

/// Valid JSON but for one byte in a value (B 1.10).
fn a_body_that_is_not_text_is_refused(service: &Service) {
    let events: Vec<_> = Payload::full(&[flag("flag-key", 1, "AB?CD")])
        .events(0)
        .into_iter()
        .map(|(name, data)| json!({ "event": name, "data": data }))
        .collect();
    let mut body = json!({ "events": events }).to_string().into_bytes();
    let at = body.iter().position(|byte| *byte == b'?').unwrap();
    body[at] = 0xff;
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Arc::new(move |_| {
        Script::response(200, &[("Content-Type", "application/json")], &body)
    }));
    let sdk = service.create(&Setup::new().poll(&endpoint).can_fail(2000));
    endpoint.request(SECOND);
    assert_eq!(sdk.value("flag-key"), "default");
}

/// C 1.8.
fn a_poll_says_which_payload_is_held_and_may_be_told_that_it_is_current(service: &Service) {
    let mocks = Mocks::new();
    let first = poll_with(Payload::full(&[flag("flag-key", 1, "value")]), &[("Etag", "a tag")]);
    let endpoint = mocks.mount(in_turn([first, status(304)]));
    let sdk = service.create(&Setup::new().poll(&endpoint));
    assert_eq!(endpoint.request(SECOND).header("if-none-match"), None);
    assert_eq!(endpoint.request(40 * SECOND).header("if-none-match"), Some("a tag"));
    sdk.stays("flag-key", "value", SECOND);
}

/// The time between the first two polls of a synchronizer.
fn gap(service: &Service, interval: Option<u64>) -> f64 {
    let system = DefaultSystem::new(Payload::empty());
    let endpoint = system.mocks.mount(poll(Payload::empty()));
    let setup = Setup::new().initializer(&system.initializer);
    let _sdk = service.create(&setup.poll_at(endpoint.url(), interval));
    let (first, second) = (endpoint.request(5 * SECOND), endpoint.request(60 * SECOND));
    let gap = (second.at - first.at).as_secs_f64();
    println!("{gap:.2} s between polls, {interval:?} ms asked for");
    gap
}

fn polls_are_thirty_seconds_apart(service: &Service) {
    let gap = gap(service, None);
    assert!((28.0..=32.0).contains(&gap), "{gap}");
}

fn a_shorter_interval_is_raised_to_thirty_seconds(service: &Service) {
    let gap = gap(service, Some(15_000));
    assert!((28.0..=32.0).contains(&gap), "{gap}");
}

fn a_longer_interval_is_kept(service: &Service) {
    let gap = gap(service, Some(45_000));
    assert!((43.0..=50.0).contains(&gap), "{gap}");
}

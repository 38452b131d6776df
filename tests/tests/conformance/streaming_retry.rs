//! When a stream is tried again (C 2.2).

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::on_both_runtimes;
use crate::support::{
    DefaultSystem, Endpoint, Handler, Mocks, Payload, Sdk, Service, Setup, Stream, broken, flag,
    in_turn, status,
};

on_both_runtimes!(
    a_stream_that_was_closed_is_opened_again,
    the_first_retry_waits_for_the_initial_delay,
    what_may_pass_is_tried_again_on_the_first_connect,
    what_may_pass_is_tried_again_on_a_reconnect,
    what_will_not_pass_is_not_tried_again_on_the_first_connect,
    what_will_not_pass_is_not_tried_again_on_a_reconnect,
);

const SECOND: Duration = Duration::from_secs(1);
/// How long to look for connections that must not come.
const WINDOW: Duration = Duration::from_millis(100);
const WILL_NOT_PASS: [u16; 3] = [401, 403, 405];

/// An input or output error, and the statuses that may pass.
fn may_pass() -> impl Iterator<Item = Handler> {
    let statuses = [400, 408, 429, 500, 503].into_iter().map(status);
    statuses.chain([broken()])
}

fn payload(value: impl Into<Value>) -> Payload {
    Payload::full(&[flag("flag", 1, value)])
}

fn start<'a>(service: &'a Service, endpoint: &Endpoint) -> Sdk<'a> {
    service.create(&Setup::new().stream_retried(endpoint, 1))
}

fn expect_requests(endpoint: &Endpoint, count: usize) {
    for _ in 0..count {
        endpoint.request(2 * SECOND);
    }
    endpoint.is_left_alone(WINDOW);
}

/// The second payload has the selector of the first, and is applied all the same (B 2.3).
fn a_stream_that_was_closed_is_opened_again(service: &Service) {
    let (first, second) = (Stream::new(payload(1)), Stream::new(payload(2)));
    let mocks = Mocks::new();
    let endpoint = mocks.mount(in_turn([first.handler(), second.handler()]));
    let sdk = start(service, &endpoint);
    endpoint.request(2 * SECOND);
    assert_eq!(sdk.value("flag"), 1);
    first.end();
    endpoint.request(2 * SECOND);
    sdk.becomes("flag", 1, 2, SECOND);
}

fn the_first_retry_waits_for_the_initial_delay(service: &Service) {
    let system = DefaultSystem::new(payload(1));
    let _sdk = service.create(&system.setup());
    system.streaming.request(2 * SECOND);
    let ended = Instant::now();
    system.stream.end();
    let again = system.streaming.request(2 * SECOND).at - ended;
    assert!(again >= WINDOW, "asked again after {again:?} already");
}

fn what_may_pass_is_tried_again_on_the_first_connect(service: &Service) {
    for failing in may_pass() {
        let mocks = Mocks::new();
        let good = Stream::new(payload(1)).handler();
        let endpoint = mocks.mount(in_turn([failing.clone(), failing, good]));
        let sdk = start(service, &endpoint);
        expect_requests(&endpoint, 3);
        assert_eq!(sdk.value("flag"), 1);
    }
}

fn what_may_pass_is_tried_again_on_a_reconnect(service: &Service) {
    for failing in may_pass() {
        let (first, second) = (Stream::new(payload(1)), Stream::new(payload(2)));
        let handlers = [first.handler(), failing.clone(), failing, second.handler()];
        let mocks = Mocks::new();
        let endpoint = mocks.mount(in_turn(handlers));
        let sdk = start(service, &endpoint);
        endpoint.request(2 * SECOND);
        first.end();
        expect_requests(&endpoint, 3);
        sdk.becomes("flag", 1, 2, SECOND);
    }
}

fn what_will_not_pass_is_not_tried_again_on_the_first_connect(service: &Service) {
    for code in WILL_NOT_PASS {
        let mocks = Mocks::new();
        let endpoint = mocks.mount(status(code));
        let setup = Setup::new().stream_retried(&endpoint, 1).set("initCanFail", true);
        let _sdk = service.create(&setup);
        expect_requests(&endpoint, 1);
    }
}

fn what_will_not_pass_is_not_tried_again_on_a_reconnect(service: &Service) {
    for code in WILL_NOT_PASS {
        let stream = Stream::new(payload(1));
        let mocks = Mocks::new();
        let endpoint = mocks.mount(in_turn([stream.handler(), status(code)]));
        let sdk = start(service, &endpoint);
        endpoint.request(2 * SECOND);
        stream.end();
        expect_requests(&endpoint, 1);
        assert_eq!(sdk.value("flag"), 1);
    }
}

//! Falling back from one synchronizer to the next, and coming back (C 2.4, heuristic fallback).

use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::{
    Endpoint, Handler, Mocks, Payload, Sdk, Service, Setup, Stream, flag, hanging, in_turn, status,
};
use crate::{long_on_both_runtimes, on_both_runtimes};

on_both_runtimes!(a_source_that_refuses_is_left_at_once);
long_on_both_runtimes!(
    a_source_that_hangs_is_left_for_the_next,
    after_five_minutes_the_first_source_is_tried_again,
    a_source_that_refused_is_not_tried_again_after_five_minutes,
);

const SECOND: Duration = Duration::from_secs(1);

fn payload(value: &str) -> Payload {
    Payload::full(&[flag("flag-key", 1, value)])
}

fn a_source_that_refuses_is_left_at_once(service: &Service) {
    let mocks = Mocks::new();
    let (first, second) =
        (mocks.mount(status(401)), mocks.mount(Stream::new(payload("initial value")).handler()));
    let sdk = service.create(&Setup::new().stream(&first).stream(&second));
    first.request(SECOND);
    assert!(second.request(SECOND).parameter("basis").is_empty());
    assert_eq!(sdk.value("flag-key"), "initial value");
    first.is_left_alone(SECOND / 2);
}

/// It waits for 347 days at most, as the contract's test does.
fn a_source_that_hangs_is_left_for_the_next(service: &Service) {
    let mocks = Mocks::new();
    let (first, second) =
        (mocks.mount(hanging()), mocks.mount(Stream::new(payload("initial value")).handler()));
    let setup =
        Setup::new().stream(&first).stream(&second).set("startWaitTimeMs", 30_000_000_000_u64);
    let begun = Instant::now();
    let sdk = service.create(&setup);
    println!("ready on the second source after {:.1?}", begun.elapsed());
    first.request(SECOND);
    assert!(second.request(SECOND).parameter("basis").is_empty());
    assert_eq!(sdk.value("flag-key"), "initial value");
}

/// Three streams, of which the third is healthy from the start.
struct Three<'a> {
    first: Endpoint,
    second: Endpoint,
    third: Stream,
    sdk: Sdk<'a>,
    _mocks: Mocks,
    last: Endpoint,
}

/// What serves new data, once it is tried for the second time.
fn recovering() -> Handler {
    in_turn([hanging(), Stream::new(payload("updated value")).handler()])
}

impl<'a> Three<'a> {
    fn start(service: &'a Service, first: Handler, second: Handler) -> Self {
        let mocks = Mocks::new();
        let stream = Stream::new(payload("initial value"));
        let (first, second) = (mocks.mount(first), mocks.mount(second));
        let third = mocks.mount(stream.handler());
        let setup = Setup::new().stream(&first).stream(&second).stream(&third);
        let begun = Instant::now();
        let sdk = service.create(&setup.set("startWaitTimeMs", 60_000));
        println!("ready on the third source after {:.1?}", begun.elapsed());
        assert_eq!(sdk.value("flag-key"), "initial value");
        first.request(SECOND);
        second.request(SECOND);
        Self { first, second, third: stream, sdk, _mocks: mocks, last: third }
    }

    /// Sees to it that a source was asked once more, and says when.
    fn recovered(&self, source: &Endpoint) {
        let again = source.request(SECOND).at;
        let settled = self.last.requests()[0].at;
        println!("asked again {:.1?} after the third source", again - settled);
    }

    /// Waits for 5 min 15 s, with a heartbeat every 2 minutes.
    fn wait(&self) {
        for part in [120, 120, 75] {
            thread::sleep(part * SECOND);
            self.third.push("heartbeat", &json!({}));
        }
    }
}

fn after_five_minutes_the_first_source_is_tried_again(service: &Service) {
    let three = Three::start(service, recovering(), hanging());
    three.wait();
    three.sdk.becomes("flag-key", "initial value", "updated value", SECOND);
    three.recovered(&three.first);
    assert_eq!(three.second.requests().len(), 1);
}

fn a_source_that_refused_is_not_tried_again_after_five_minutes(service: &Service) {
    let three = Three::start(service, status(401), recovering());
    three.wait();
    three.sdk.becomes("flag-key", "initial value", "updated value", SECOND);
    three.recovered(&three.second);
    assert_eq!(three.first.requests().len(), 1);
}

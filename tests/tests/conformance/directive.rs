//! The order to fall back to FDv1 (C 2.4, 1.11).
//!
//! Without a time of its own the order holds for 30 to 60 minutes (B 5.4), longer than any test of
//! the contract looks.

use std::thread;
use std::time::Duration;

use serde_json::json;

use crate::support::{
    Endpoint, Handler, Mocks, Payload, Sdk, Service, Setup, Stream, directive, fdv1, flag, poll,
    status,
};
use crate::{long_on_both_runtimes, on_both_runtimes};

on_both_runtimes!(
    a_directive_on_an_error_leads_to_fdv1,
    a_directive_on_a_success_is_obeyed_after_its_payload,
    a_directive_on_an_initializer_skips_the_synchronizers,
    a_directive_without_an_fdv1_source_stops_everything,
    a_directive_in_a_goodbye_leads_to_fdv1,
);
long_on_both_runtimes!(after_a_directive_no_fdv2_source_is_asked_again);

const SECOND: Duration = Duration::from_secs(1);
const WINDOW: Duration = Duration::from_millis(500);

struct Directed {
    mocks: Mocks,
    streaming: Endpoint,
    fdv1: Endpoint,
}

impl Directed {
    fn new(streaming: Handler, fdv1: Handler) -> Self {
        let mocks = Mocks::new();
        let (streaming, fdv1) = (mocks.mount(streaming), mocks.mount(fdv1));
        Self { mocks, streaming, fdv1 }
    }

    fn setup(&self) -> Setup {
        let endpoints = json!({ "streaming": self.streaming.url(), "polling": self.fdv1.url() });
        let setup = Setup::new().stream(&self.streaming).fdv1(&self.fdv1);
        setup.set("startWaitTimeMs", 5000).set("serviceEndpoints", endpoints)
    }

    #[track_caller]
    fn reaches_fdv1(&self) {
        assert_eq!(self.fdv1.request(3 * SECOND).path(), "/sdk/latest-all");
    }
}

fn fallback() -> Handler {
    fdv1(&[flag("flag-key", 1, "value-from-fdv1")])
}

fn a_directive_on_an_error_leads_to_fdv1(service: &Service) {
    let directed = Directed::new(directive(403), fallback());
    let sdk = service.create(&directed.setup());
    directed.streaming.request(SECOND);
    directed.reaches_fdv1();
    sdk.becomes("flag-key", "default", "value-from-fdv1", 3 * SECOND);
    directed.streaming.is_left_alone(WINDOW);
}

/// The name of the header is in another case than elsewhere, and FDv1 always fails.
fn a_directive_on_a_success_is_obeyed_after_its_payload(service: &Service) {
    let payload = Payload::full(&[flag("flag-key", 1, "streamed value")]);
    let stream = Stream::with(payload, &[("X-Ld-Fd-Fallback", "true")]);
    let directed = Directed::new(stream.handler(), status(400));
    let sdk = service.create(&directed.setup());
    directed.streaming.request(SECOND);
    directed.reaches_fdv1();
    sdk.stays("flag-key", "streamed value", WINDOW);
    stream.is_closed(3 * SECOND);
    directed.streaming.is_left_alone(WINDOW);
    assert_eq!(sdk.value("flag-key"), "streamed value");
}

fn a_directive_on_an_initializer_skips_the_synchronizers(service: &Service) {
    let directed = Directed::new(status(500), fallback());
    let initializer = directed.mocks.mount(directive(500));
    let sdk = service.create(&directed.setup().initializer(&initializer));
    initializer.request(SECOND);
    directed.reaches_fdv1();
    directed.streaming.is_left_alone(WINDOW);
    sdk.becomes("flag-key", "default", "value-from-fdv1", 3 * SECOND);
}

fn a_directive_without_an_fdv1_source_stops_everything(service: &Service) {
    let mocks = Mocks::new();
    let streaming = mocks.mount(directive(500));
    let _sdk = service.create(&Setup::new().stream_retried(&streaming, 1).can_fail(1));
    streaming.request(SECOND);
    streaming.is_left_alone(WINDOW + SECOND);
}

fn a_directive_in_a_goodbye_leads_to_fdv1(service: &Service) {
    let payload = Payload::full(&[flag("flag-key", 1, "streamed value")]);
    let stream = Stream::new(payload.clone());
    let directed = Directed::new(stream.handler(), fdv1(&[flag("flag-key", 2, "value-from-fdv1")]));
    let initializer = directed.mocks.mount(poll(payload));
    let sdk = service.create(&directed.setup().initializer(&initializer));
    sdk.becomes("flag-key", "default", "streamed value", 3 * SECOND);
    directed.streaming.request(3 * SECOND);
    stream.push(
        "goodbye",
        &json!({
            "reason": "fdv1-fallback-directed", "silent": false, "catastrophe": false,
            "protocolFallbackTTL": 0,
        }),
    );
    stream.is_closed(3 * SECOND);
    directed.reaches_fdv1();
    sdk.becomes("flag-key", "streamed value", "value-from-fdv1", 3 * SECOND);
    directed.streaming.is_left_alone(WINDOW);
}

fn after_a_directive_no_fdv2_source_is_asked_again(service: &Service) {
    let directed = Directed::new(directive(500), fallback());
    let sdk: Sdk = service.create(&directed.setup());
    directed.streaming.request(SECOND);
    sdk.becomes("flag-key", "default", "value-from-fdv1", 3 * SECOND);
    thread::sleep(315 * SECOND);
    directed.streaming.is_left_alone(WINDOW);
    assert_eq!(sdk.value("flag-key"), "value-from-fdv1");
}

//! An explicit proxy (C 2.1, 2.6).

use std::time::Duration;

use serde_json::json;

use crate::on_both_runtimes;
use crate::support::{Endpoint, Mocks, Payload, Service, Setup, Stream, poll};

on_both_runtimes!(
    a_stream_is_asked_for_through_the_proxy,
    polls_go_through_the_proxy,
    a_proxy_that_is_none_is_refused,
);

const SECOND: Duration = Duration::from_secs(1);

/// The URL of an endpoint at a host that there is not.
fn unreachable(mocks: &Mocks, endpoint: &Endpoint) -> String {
    endpoint.url().replace(&mocks.url(), "http://not.valid.local")
}

fn through(mocks: &Mocks) -> Setup {
    Setup::new().set("proxy", json!({ "httpProxy": mocks.url() }))
}

fn a_stream_is_asked_for_through_the_proxy(service: &Service) {
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Stream::new(Payload::empty()).handler());
    let url = unreachable(&mocks, &endpoint);
    let _sdk = service.create(&through(&mocks).stream_at(&url, None));
    assert_eq!(endpoint.request(SECOND).path(), "/sdk/stream");
}

fn polls_go_through_the_proxy(service: &Service) {
    let mocks = Mocks::new();
    let (first, endpoint) =
        (mocks.mount(poll(Payload::empty())), mocks.mount(poll(Payload::empty())));
    let url = unreachable(&mocks, &endpoint);
    let _sdk = service.create(&through(&mocks).initializer(&first).poll_at(&url, None));
    assert_eq!(endpoint.request(SECOND).path(), "/sdk/poll");
    assert_eq!(first.request(SECOND).path(), "/sdk/poll");
}

fn a_proxy_that_is_none_is_refused(service: &Service) {
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Stream::new(Payload::empty()).handler());
    let setup = Setup::new().stream(&endpoint).set("proxy", json!({ "httpProxy": "ftp://proxy" }));
    let answer = service.try_create(&setup);
    assert_eq!(answer.status, 400, "{answer:?}");
    assert!(answer.text.contains("proxy"), "{answer:?}");
}

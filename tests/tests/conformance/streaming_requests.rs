//! What a stream is asked for with (C 2.1), and its end (C 2.5).

use std::time::Duration;

use serde_json::json;

use crate::on_both_runtimes;
use crate::support::{
    DefaultSystem, Mocks, Payload, Service, Setup, Stream, directive, fdv1, flag, poll,
};

on_both_runtimes!(
    a_stream_is_asked_for_with_the_sdk_key,
    a_slash_at_the_end_of_a_base_url_makes_no_difference,
    a_source_without_a_base_url_has_that_of_its_service,
    closing_a_client_closes_its_stream,
);

const SECOND: Duration = Duration::from_secs(1);

/// C 2.1, 2.7.
fn a_stream_is_asked_for_with_the_sdk_key(service: &Service) {
    let mocks = Mocks::new();
    let endpoint = mocks.mount(Stream::new(Payload::empty()).handler());
    let _sdk = service.create(&Setup::new().stream(&endpoint).set("credential", "my-sdk-key"));
    let request = endpoint.request(SECOND);
    assert_eq!((&*request.method, request.path()), ("GET", "/sdk/stream"));
    let key = request.header("authorization").unwrap();
    assert_eq!(key.trim_start_matches("api_key "), "my-sdk-key");
}

/// C 2.1.
fn a_slash_at_the_end_of_a_base_url_makes_no_difference(service: &Service) {
    for slash in ["", "/"] {
        let mocks = Mocks::new();
        let endpoint = mocks.mount(Stream::new(Payload::empty()).handler());
        let url = format!("{}{slash}", endpoint.url());
        let _sdk = service.create(&Setup::new().stream_at(&url, None));
        assert_eq!(endpoint.request(SECOND).path(), "/sdk/stream");
    }
}

/// C 2.7, 3.4: one of its own goes first.
fn a_source_without_a_base_url_has_that_of_its_service(service: &Service) {
    let mocks = Mocks::new();
    let streaming = mocks.mount(Stream::new(Payload::empty()).handler());
    let polling = mocks.mount(poll(Payload::empty()));
    let endpoints = json!({ "streaming": streaming.url(), "polling": polling.url() });
    let setup = Setup::new()
        .set("serviceEndpoints", endpoints)
        .set_system("initializers", json!([{ "polling": { "baseUri": null } }]))
        .set_system("synchronizers", json!([{ "streaming": { "baseUri": null } }]));
    let _sdk = service.create(&setup);
    assert_eq!(polling.request(SECOND).path(), "/sdk/poll");
    assert_eq!(streaming.request(SECOND).path(), "/sdk/stream");
    let (directed, old) = (mocks.mount(directive(500)), mocks.mount(fdv1(&[])));
    let setup = Setup::new()
        .set("serviceEndpoints", json!({ "streaming": directed.url(), "polling": old.url() }))
        .set_system("synchronizers", json!([{ "streaming": { "baseUri": null } }]))
        .set_system("fdv1Fallback", json!({ "baseUri": null }));
    let _sdk = service.create(&setup);
    assert_eq!(old.request(3 * SECOND).path(), "/sdk/latest-all");
    let own = mocks.mount(Stream::new(Payload::empty()).handler());
    let dead = json!({ "streaming": "http://127.0.0.1:1", "polling": null });
    let _sdk = service.create(&Setup::new().set("serviceEndpoints", dead).stream(&own));
    own.request(SECOND);
}

/// C 2.5.
fn closing_a_client_closes_its_stream(service: &Service) {
    let system = DefaultSystem::new(Payload::full(&[flag("flag", 1, 1)]));
    let sdk = service.create(&system.setup());
    system.streaming.request(5 * SECOND);
    sdk.close();
    system.stream.is_closed(3 * SECOND);
}

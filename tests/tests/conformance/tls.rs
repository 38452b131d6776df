//! Certificates (C 2.1, 2.6).

use std::fs;
use std::thread;
use std::time::Duration;

use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::SelfSigned;
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{Endpoint, Mocks, Payload, Service, Setup, Stream, never, poll};

on_both_runtimes!(
    a_certificate_that_is_not_trusted_lets_no_request_through,
    a_certificate_of_a_ca_of_ones_own_is_trusted,
    a_certificate_that_is_not_trusted_is_passed_over_on_demand,
    a_ca_file_that_cannot_be_read_is_refused,
);

const SECOND: Duration = Duration::from_secs(1);

/// A client on a stream and one that polls, over TLS, with all that each asks.
fn setups(mocks: &Mocks, tls: &Value) -> [(Setup, Vec<Endpoint>); 2] {
    let streaming = mocks.mount(Stream::new(Payload::empty()).handler());
    let [first, polling] = [(); 2].map(|()| mocks.mount(poll(Payload::empty())));
    let setup = || Setup::new().set("tls", tls.clone()).set("credential", "my-sdk-key");
    [
        (setup().stream(&streaming), vec![streaming]),
        (setup().initializer(&first).poll(&polling), vec![first, polling]),
    ]
}

/// The client is given although it must be ready and is not (C 2.1).
fn a_certificate_that_is_not_trusted_lets_no_request_through(service: &Service) {
    let mocks = Mocks::over_tls(&SelfSigned::new());
    thread::scope(|scope| {
        for (setup, endpoints) in setups(&mocks, &Value::Null) {
            scope.spawn(move || {
                let _sdk = service.create(&setup);
                never("a request", SECOND, || {
                    endpoints.iter().any(|one| !one.requests().is_empty())
                });
            });
        }
    });
}

fn a_certificate_of_a_ca_of_ones_own_is_trusted(service: &Service) {
    let (own, scratch) = (SelfSigned::new(), Scratch::new());
    let file = scratch.file("ca.pem");
    fs::write(&file, &own.pem).unwrap();
    are_let_through(service, &own, &json!({ "skipVerifyPeer": false, "customCAFile": file }));
}

fn a_certificate_that_is_not_trusted_is_passed_over_on_demand(service: &Service) {
    are_let_through(service, &SelfSigned::new(), &json!({ "skipVerifyPeer": true }));
}

fn are_let_through(service: &Service, own: &SelfSigned, tls: &Value) {
    let mocks = Mocks::over_tls(own);
    for (setup, endpoints) in setups(&mocks, tls) {
        let _sdk = service.create(&setup);
        for endpoint in endpoints {
            let request = endpoint.request(SECOND);
            let key = request.header("authorization").unwrap();
            assert_eq!(key.trim_start_matches("api_key "), "my-sdk-key");
        }
    }
}

fn a_ca_file_that_cannot_be_read_is_refused(service: &Service) {
    let mocks = Mocks::over_tls(&SelfSigned::new());
    let tls = json!({ "customCAFile": "/no/such/file.pem" });
    for (setup, _) in setups(&mocks, &tls) {
        let answer = service.try_create(&setup);
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.text.contains("/no/such/file.pem"), "{answer:?}");
    }
}

//! A client that has no data yet (C 1.8, 2.13), and the rule of the start (C 3.3).

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use fdv2_tests::server::{Live, Script};
use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{
    Endpoint, Mocks, Payload, Service, Setup, Stream, flag, soon, unavailable_poll,
};

on_both_runtimes!(
    each_type_of_value_gives_its_default,
    all_flags_are_none_and_not_valid,
    a_client_whose_requests_hang_can_be_closed,
    a_client_that_must_be_ready_and_is_not_is_no_client,
    a_wait_of_nothing_is_the_usual_wait,
);

const SECOND: Duration = Duration::from_secs(1);

/// Servers that have no data.
struct Unavailable {
    initializer: Endpoint,
    streaming: Endpoint,
    _mocks: Mocks,
}

impl Unavailable {
    fn new() -> Self {
        let mocks = Mocks::new();
        let initializer = mocks.mount(unavailable_poll());
        let streaming = mocks.mount(Stream::silent().handler());
        Self { initializer, streaming, _mocks: mocks }
    }

    fn setup(&self) -> Setup {
        Setup::new().initializer(&self.initializer).stream(&self.streaming)
    }
}

fn each_type_of_value_gives_its_default(service: &Service) {
    let servers = Unavailable::new();
    let sdk = service.create(&servers.setup().can_fail(1));
    for (value_type, default) in [
        ("bool", json!(true)),
        ("int", json!(3)),
        ("double", json!(2.5)),
        ("string", json!("text")),
        ("any", json!({ "a": [1] })),
        ("any", Value::Null),
    ] {
        let answer = sdk.command(
            "evaluate",
            &json!({
                "flagKey": "flag-key", "context": { "kind": "user", "key": "user-key" },
                "valueType": value_type, "defaultValue": default, "detail": true,
            }),
        );
        assert_eq!(answer["value"], default);
        assert_eq!(answer["variationIndex"], Value::Null);
        assert_eq!(answer["reason"], json!({"kind": "ERROR", "errorKind": "CLIENT_NOT_READY"}));
    }
}

fn all_flags_are_none_and_not_valid(service: &Service) {
    let servers = Unavailable::new();
    let sdk = service.create(&servers.setup().can_fail(1));
    let answer =
        sdk.command("evaluateAll", &json!({ "context": { "kind": "user", "key": "user-key" } }));
    assert_eq!(answer, json!({ "state": { "$valid": false, "$flagsState": {} } }));
}

/// C 3.2, 8.9: the requests end with it, a poll and a stream, before its head and after it.
fn a_client_whose_requests_hang_can_be_closed(service: &Service) {
    let (mocks, hung) = (Mocks::new(), Live::new());
    let live = hung.clone();
    let initializer = mocks.mount(Arc::new(move |_| Script::new().live(&live)));
    let sdk = service.create(&Setup::new().initializer(&initializer).can_fail(1));
    initializer.request(2 * SECOND);
    sdk.close();
    soon("the end of the poll's connection", 3 * SECOND, || hung.is_over().then_some(()));
    for stream in [Stream::silent(), Stream::silent().gated()] {
        let streaming = mocks.mount(stream.handler());
        let sdk = service.create(&Setup::new().stream(&streaming).can_fail(1));
        streaming.request(2 * SECOND);
        sdk.close();
        stream.is_closed(3 * SECOND);
    }
}

fn a_client_that_must_be_ready_and_is_not_is_no_client(service: &Service) {
    let servers = Unavailable::new();
    let answer = service.try_create(&servers.setup().set("startWaitTimeMs", 1));
    assert_eq!((answer.status, &answer.location), (500, &None), "{answer:?}");
    assert!(answer.text.contains("not ready in time"), "{answer:?}");
}

fn a_wait_of_nothing_is_the_usual_wait(service: &Service) {
    for wait in [Value::Null, json!(0)] {
        let mocks = Mocks::new();
        let stream = Stream::new(Payload::full(&[flag("flag-key", 1, "value")])).gated();
        let endpoint = mocks.mount(stream.handler());
        let setup = Setup::new().stream(&endpoint).set("startWaitTimeMs", wait);
        thread::scope(|scope| {
            scope.spawn(|| {
                endpoint.request(2 * SECOND);
                stream.open_gate();
            });
            assert_eq!(service.create(&setup).value("flag-key"), "value");
        });
    }
}

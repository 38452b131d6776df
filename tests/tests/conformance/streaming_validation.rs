//! What is invalid on a stream, and what only looks like it (C 2.3).

use std::time::Duration;

use crate::on_both_runtimes;
use crate::support::{Mocks, Payload, Service, Setup, Stream, flag, in_turn, start_streaming};

on_both_runtimes!(
    an_intent_that_is_invalid_drops_the_stream,
    what_is_not_known_is_ignored_whatever_it_holds,
);

const SECOND: Duration = Duration::from_secs(1);

fn an_intent_that_is_invalid_drops_the_stream(service: &Service) {
    for data in ["{sorry", r#"{"data":{"flags": true, "segments":{}}}"#] {
        let (first, second) = (
            Stream::new(Payload::full(&[flag("flag", 1, 1)])),
            Stream::new(Payload::full(&[flag("flag", 1, 2)])),
        );
        let mocks = Mocks::new();
        let endpoint = mocks.mount(in_turn([first.handler(), second.handler()]));
        let sdk = service.create(&Setup::new().stream_retried(&endpoint, 1));
        endpoint.request(5 * SECOND);
        first.push_text("server-intent", data);
        first.is_closed(5 * SECOND);
        endpoint.request(5 * SECOND);
        sdk.becomes("flag", 1, 2, SECOND);
    }
}

fn what_is_not_known_is_ignored_whatever_it_holds(service: &Service) {
    for (name, data) in [
        ("whatever", "{}"),
        ("whatever", "not JSON"),
        ("patch", r#"{"path": "/cats/Jack", "data": {}}"#),
    ] {
        let (_mocks, stream, endpoint, sdk) =
            start_streaming(service, Payload::full(&[flag("flag", 1, 1)]));
        stream.push_text(name, data);
        stream.update(&flag("flag", 2, 2));
        sdk.becomes("flag", 1, 2, SECOND);
        endpoint.is_left_alone(Duration::from_millis(100));
    }
}

//! Heads go both ways untouched, and are bounded.

use std::pin::pin;
use std::time::Duration;

use fdv2_core::TransportErrorKind::{Broken, Malformed};
use fdv2_tests::server::{Script, Server};
use futures::future::{Either, select};
use futures::stream::StreamExt;

use crate::host::{Host, eventually, fetch, get, get_with};
use crate::on_every_runtime;

on_every_runtime!(
    a_request_goes_out_as_it_is,
    a_head_arrives_as_it_is,
    a_head_in_single_bytes_arrives,
    a_head_over_the_limit_is_refused,
    an_endless_head_is_refused,
    interim_responses_without_end_hold_up_nothing,
    a_redirect_is_not_followed,
);

/// What a transport may add to a request.
const ADDED: [&str; 4] = ["accept", "accept-encoding", "connection", "host"];

/// P07, H02: the core's encoding is left alone.
fn a_request_goes_out_as_it_is(host: Host) {
    let server = Server::always(Script::json("{}"));
    let target =
        "/relay/sdk/poll?basis=a%20b%26c%3Dd%2F%C3%A9%2B%28p%3Ax%3A1%29%23%2525&filter=%27";
    let headers = [
        ("authorization", &b"sdk-key"[..]),
        ("if-none-match", b"\"\xe9tag\""),
        ("x-launchdarkly-tags", b"one"),
        ("x-launchdarkly-tags", b"two"),
    ];
    let transport = host.transport();
    let request = get_with(&format!("{}{target}", server.url()), &headers);
    assert_eq!(host.run(fetch(&*transport, request)).end, Ok(()));
    let received = &server.log().requests()[0];
    assert_eq!((received.method.as_str(), received.target.as_str()), ("GET", target));
    assert_eq!(received.parameter("basis"), ["a b&c=d/é+(p:x:1)#%25"]);
    for (name, value) in headers {
        let sent = (name.to_owned(), value.to_vec());
        assert!(received.headers.contains(&sent), "{name} in {received:?}");
    }
    for (name, _) in &received.headers {
        let is_asked_for = headers.iter().any(|(asked, _)| asked == name);
        assert!(is_asked_for || ADDED.contains(&name.as_str()), "{name} in {received:?}");
    }
    assert_eq!(received.header("host"), Some(server.address().to_string().as_str()));
    assert_eq!(received.headers.iter().filter(|(name, _)| name == "host").count(), 1);
}

fn a_head_arrives_as_it_is(host: Host) {
    let transport = host.transport();
    for status in [200, 299, 401, 418, 499, 503, 599] {
        let server = Server::always(
            Script::new()
                .write(format!("HTTP/1.1 {status} \r\nETag: \"\u{e9}\"\r\nX-LD-EnvID: \r\n"))
                .write(b"x-bytes: \xff\xfe\r\ncontent-length: 0\r\nVary: a\r\nVary: b\r\n\r\n"),
        );
        let fetched = host.run(fetch(&*transport, get(&server.url())));
        assert_eq!(fetched.status(), Some(status));
        assert_eq!(fetched.header("x-ld-envid"), Some(&b""[..]));
        assert_eq!(fetched.header("x-bytes"), Some(&b"\xff\xfe"[..]));
        assert_eq!(fetched.header("etag"), Some("\"\u{e9}\"".as_bytes()));
        assert_eq!(fetched.head.unwrap().headers.get_all("vary").iter().count(), 2);
    }
}

/// I02.
fn a_head_in_single_bytes_arrives(host: Host) {
    let script = Script::new().cut(1, Duration::from_millis(1)).head(200, &[("etag", "\"1\"")]);
    let server = Server::always(script);
    let fetched = host.fetch(&server.url());
    assert_eq!(fetched.header("etag"), Some(&b"\"1\""[..]));
}

/// B 1.13.
fn a_head_over_the_limit_is_refused(host: Host) {
    let transport = host.transport();
    for (size, is_fine) in [(200 << 10, true), (300 << 10, false)] {
        let server =
            Server::always(Script::response(200, &[("x-filler", &"x".repeat(size))], b"{}"));
        let fetched = host.run(fetch(&*transport, get(&server.url())));
        assert_eq!(fetched.end.is_ok(), is_fine, "{size} bytes");
        assert_eq!(fetched.head.is_some(), is_fine, "{size} bytes");
    }
}

/// B 1.13.
fn an_endless_head_is_refused(host: Host) {
    let server = Server::always(
        Script::new().write("HTTP/1.1 200 OK\r\nx-filler: ").write("x".repeat(2 << 20)).hang(),
    );
    let fetched = host.fetch(&server.url());
    assert_eq!(fetched.head, None);
    assert!(matches!(fetched.end.unwrap_err().kind, Broken | Malformed));
}

/// B 8.6, 10.1: what is on the same thread has its turn, and gives the request up.
fn interim_responses_without_end_hold_up_nothing(host: Host) {
    let interim = "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n";
    let server = Server::always(Script::new().write_on_and_on(interim.repeat(1000)));
    let transport = host.transport();
    host.run(async {
        let mut outcomes = transport.send(get(&server.url()));
        let asked = eventually("asked", || !server.log().requests().is_empty());
        let Either::Right(((), _)) = select(outcomes.next(), pin!(asked)).await else {
            panic!("an outcome of a response that never comes");
        };
        for _ in 0..3 {
            assert!(futures::poll!(outcomes.next()).is_pending());
        }
        drop(outcomes);
        eventually("closed", || server.log().open() == 0).await;
    });
}

/// B 8.5: redirects are the core's.
fn a_redirect_is_not_followed(host: Host) {
    let server = Server::always(Script::redirect(307, "/elsewhere"));
    let fetched = host.fetch(&server.url());
    assert_eq!(fetched.status(), Some(307));
    assert_eq!(fetched.header("location"), Some(&b"/elsewhere"[..]));
    assert_eq!(server.log().requests().len(), 1);
}

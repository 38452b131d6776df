//! A body that ends early is a failure, never a shorter success (B 4.3).

use std::net::TcpListener;

use fdv2_core::TransportErrorKind::{Broken, Connect, Malformed};
use fdv2_tests::server::{Script, Server, gzip};

use crate::host::{Fetched, Host, fetch, get_with};
use crate::on_every_runtime;

on_every_runtime!(
    a_body_shorter_than_its_length_is_broken,
    a_body_without_its_last_chunk_is_broken,
    a_reset_within_a_body_is_broken,
    a_connection_closed_without_an_answer_is_broken,
    a_compressed_body_that_is_cut_is_a_failure,
    a_compressed_body_that_is_none_is_malformed,
    a_compressed_body_without_its_last_chunk_is_broken,
    a_compression_that_was_not_asked_for_is_malformed,
    chunks_that_are_none_are_a_failure,
    an_answer_that_is_not_http_is_malformed,
    a_refused_connection_is_a_connect_failure,
    a_name_without_address_is_a_connect_failure,
    no_error_tells_the_sdk_key,
);

fn failed(fetched: &Fetched) -> fdv2_core::TransportErrorKind {
    fetched.end.as_ref().expect_err("a failure").kind
}

fn fetch_from(host: &Host, script: Script) -> Fetched {
    let server = Server::always(script);
    host.fetch(&server.url())
}

fn a_body_shorter_than_its_length_is_broken(host: Host) {
    let script = Script::new().head(200, &[("content-length", "10")]).write("123456789");
    let fetched = fetch_from(&host, script);
    assert_eq!(fetched.status(), Some(200));
    assert_eq!(failed(&fetched), Broken);
}

fn a_body_without_its_last_chunk_is_broken(host: Host) {
    for end in ["", "0", "0\r\n", "5\r\nabc"] {
        let fetched = fetch_from(&host, Script::stream().chunk("{}").write(end));
        assert_eq!(failed(&fetched), Broken, "after {end:?}");
    }
}

fn a_reset_within_a_body_is_broken(host: Host) {
    let fetched = fetch_from(&host, Script::stream().chunk("{}").reset());
    assert_eq!(failed(&fetched), Broken);
}

fn a_connection_closed_without_an_answer_is_broken(host: Host) {
    let unfinished = Script::new().write("HTTP/1.1 200 OK\r\ncontent-type: text/");
    for script in [Script::new(), Script::new().reset(), unfinished] {
        let fetched = fetch_from(&host, script);
        assert_eq!(fetched.head, None);
        assert_eq!(failed(&fetched), Broken);
    }
}

fn a_compressed_body_that_is_cut_is_a_failure(host: Host) {
    let whole = gzip([&b"{\"events\":[]}"[..]]).concat();
    for cut in 1..whole.len() {
        let cut = &whole[..cut];
        let fetched =
            fetch_from(&host, Script::response(200, &[("content-encoding", "gzip")], cut));
        assert!(matches!(failed(&fetched), Broken | Malformed));
    }
}

fn a_compressed_body_that_is_none_is_malformed(host: Host) {
    let script = Script::response(200, &[("content-encoding", "gzip")], b"{\"events\":[]}");
    assert_eq!(failed(&fetch_from(&host, script)), Malformed);
}

fn a_compressed_body_without_its_last_chunk_is_broken(host: Host) {
    let body = gzip([&b"{}"[..]]).concat();
    let headers = [("content-encoding", "gzip"), ("transfer-encoding", "chunked")];
    let script = Script::new().head(200, &headers).chunks(&body, body.len());
    assert_eq!(failed(&fetch_from(&host, script)), Broken);
}

fn a_compression_that_was_not_asked_for_is_malformed(host: Host) {
    let fetched = fetch_from(&host, Script::response(200, &[("content-encoding", "br")], b"xyz"));
    assert_eq!(fetched.head, None);
    assert_eq!(failed(&fetched), Malformed);
}

fn chunks_that_are_none_are_a_failure(host: Host) {
    let extended = format!("1;{}\r\n", "x".repeat(64 << 10));
    for (chunk, kind) in [
        ("zz\r\n", Broken),
        ("3\r\nabcd\r\n", Broken),
        ("ffffffffffffffffffff\r\n", Malformed),
        (&extended, Malformed),
    ] {
        let fetched = fetch_from(&host, Script::stream().write(chunk).hang());
        assert_eq!(failed(&fetched), kind, "{chunk:?}");
    }
}

fn an_answer_that_is_not_http_is_malformed(host: Host) {
    for answer in ["SSH-2.0-x\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n", "\0\u{1}\u{2}\r\n\r\n"] {
        let fetched = fetch_from(&host, Script::new().write(answer).hang());
        assert_eq!(failed(&fetched), Malformed, "{answer:?}");
    }
}

fn a_refused_connection_is_a_connect_failure(host: Host) {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    assert_eq!(failed(&host.fetch(&format!("http://{closed}"))), Connect);
}

fn a_name_without_address_is_a_connect_failure(host: Host) {
    assert_eq!(failed(&host.fetch("http://no-such-host.invalid")), Connect);
}

/// B 11.1, H06.
fn no_error_tells_the_sdk_key(host: Host) {
    let transport = host.transport();
    let refused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let garbage = Server::always(Script::new().write("garbage\r\n\r\n"));
    let short = Server::always(Script::new().head(200, &[("content-length", "9")]));
    for url in [format!("http://{refused}"), garbage.url(), short.url()] {
        let request = get_with(&format!("{url}/s3cr3t"), &[("authorization", b"s3cr3t")]);
        let fetched = host.run(fetch(&*transport, request));
        let error = fetched.end.expect_err("a failure");
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
    }
}

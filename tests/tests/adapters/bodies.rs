//! Bodies arrive whole, however they are cut, and at once.

use std::time::Duration;

use fdv2_tests::server::{Script, Server, gzip};

use crate::host::{Host, fetch, get, read_until};
use crate::on_every_runtime;

on_every_runtime!(
    a_body_of_any_size_arrives_whole,
    a_chunk_of_any_size_arrives_whole,
    a_body_in_single_bytes_arrives_whole,
    a_body_that_ends_with_the_connection_arrives_whole,
    a_compressed_body_in_tiny_chunks_arrives_whole,
    a_compressed_stream_arrives_event_by_event,
    a_stream_arrives_event_by_event,
    a_response_without_body_ends_at_once,
);

const LITTLE: Duration = Duration::from_micros(200);

fn text(size: usize) -> String {
    (0..size).map(|at| char::from(b'a' + (at % 26) as u8)).collect()
}

fn chunked(headers: &[(&str, &str)]) -> Script {
    Script::new().head(200, &[headers, &[("transfer-encoding", "chunked")]].concat())
}

/// E07.
fn a_body_of_any_size_arrives_whole(host: Host) {
    let transport = host.transport();
    for size in [0, 1, 1024, 8191, 8192, 8193, 64 << 10, 5 << 20] {
        let body = text(size);
        let server = Server::scripted([
            Script::response(200, &[], body.as_bytes()),
            chunked(&[]).chunks(&body, 16 << 10).last_chunk().keep_alive(),
        ]);
        for framing in ["length", "chunks"] {
            let fetched = host.run(fetch(&*transport, get(&server.url())));
            assert_eq!(fetched.end, Ok(()), "{size} bytes by {framing}");
            assert!(fetched.text() == body, "{size} bytes by {framing}");
        }
    }
}

/// E09. That the end is noticed at once shows in the time limit of the whole.
fn a_chunk_of_any_size_arrives_whole(host: Host) {
    let transport = host.transport();
    let server = Server::new(|_, request| {
        let size = request.path().trim_start_matches('/').parse().unwrap();
        chunked(&[]).chunks(text(size), size).last_chunk().keep_alive()
    });
    for size in (4080..=4100).chain(8180..=8200).chain(16_370..=16_390) {
        let fetched = host.run(fetch(&*transport, get(&format!("{}/{size}", server.url()))));
        assert_eq!(fetched.end, Ok(()));
        assert!(fetched.text() == text(size), "a chunk of {size} bytes");
    }
}

fn a_body_in_single_bytes_arrives_whole(host: Host) {
    let server = Server::always(
        Script::new()
            .cut(1, LITTLE)
            .head(200, &[("transfer-encoding", "chunked")])
            .chunks("雪é😀", 3)
            .last_chunk(),
    );
    let fetched = host.fetch(&server.url());
    assert_eq!((fetched.text(), fetched.end.clone()), ("雪é😀", Ok(())));
}

fn a_body_that_ends_with_the_connection_arrives_whole(host: Host) {
    let server = Server::always(Script::new().head(200, &[]).write("whole"));
    let fetched = host.fetch(&server.url());
    assert_eq!((fetched.text(), fetched.end.clone()), ("whole", Ok(())));
}

/// E10.
fn a_compressed_body_in_tiny_chunks_arrives_whole(host: Host) {
    let body = text(2000);
    let compressed = gzip([body.as_bytes()]).concat();
    let server = Server::always(
        chunked(&[("content-encoding", "gzip")]).cut(6, LITTLE).chunks(compressed, 1).last_chunk(),
    );
    let fetched = host.fetch(&server.url());
    assert_eq!(fetched.end, Ok(()));
    assert_eq!(fetched.text(), body);
    assert_eq!(fetched.header("content-encoding"), None);
    assert_eq!(server.log().requests()[0].header("accept-encoding"), Some("gzip"));
}

/// Both events of a stream arrive, one after the other.
fn both_events_arrive(host: &Host, server: &Server) {
    let transport = host.transport();
    host.run(async {
        let mut outcomes = transport.send(get(&server.url()));
        read_until(&mut outcomes, "data: 1\n\n").await;
        read_until(&mut outcomes, "data: 2\n\n").await;
    });
}

/// E10.
fn a_compressed_stream_arrives_event_by_event(host: Host) {
    let parts = gzip([&b"data: 1\n\n"[..], b"data: 2\n\n"]);
    let (first, second) = (&parts[0], &parts[1]);
    let server = Server::always(
        chunked(&[("content-type", "text/event-stream"), ("content-encoding", "gzip")])
            .chunks(first, first.len())
            .pause(Duration::from_millis(20))
            .chunks(second, second.len())
            .hang(),
    );
    both_events_arrive(&host, &server);
}

fn a_stream_arrives_event_by_event(host: Host) {
    let server = Server::always(
        Script::stream()
            .chunk("data: 1\n\n")
            .pause(Duration::from_millis(20))
            .chunk("data: 2\n\n")
            .hang(),
    );
    both_events_arrive(&host, &server);
}

fn a_response_without_body_ends_at_once(host: Host) {
    let transport = host.transport();
    for status in [204, 304] {
        let server = Server::always(
            Script::new().head(status, &[("content-encoding", "gzip")]).keep_alive(),
        );
        let fetched = host.run(fetch(&*transport, get(&server.url())));
        assert_eq!(fetched.status(), Some(status));
        assert_eq!((fetched.text(), fetched.end.clone()), ("", Ok(())));
    }
}

//! Streams, from the socket to the flag.

use std::time::{Duration, Instant};

use fdv2_client::config::Streaming;
use fdv2_client::core::Limits;
use fdv2_client::{Client, Config, ErrorKind, SourceState};
use fdv2_tests::server::{Script, Server, gzip};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, sse, transfer, value};

on_every_runtime!(
    text_in_single_bytes_is_never_damaged,
    updates_arrive_on_an_open_stream,
    a_decorated_media_type_is_a_stream,
    a_page_is_not_a_stream,
    no_content_is_retried_gently,
    a_stream_is_never_doubled,
    a_server_that_never_answers_is_left,
    a_fallback_directive_leads_to_fdv1,
    an_early_failure_is_no_failed_start,
    an_endless_event_is_invalid_data,
);

const DELAY: Duration = Duration::from_millis(20);

fn config(url: &str) -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(DELAY))
        .adjust_timing(|timing| timing.max_retry_delay = 2 * DELAY)
        .build()
        .unwrap()
}

async fn ready(client: &Client) {
    client.wait_for_initialization(PATIENCE).await.unwrap();
}

/// S03.
fn text_in_single_bytes_is_never_damaged(host: Host) {
    let events = sse(&full("s1", &[flag("f1", "雪é😀")]));
    let script = Script::stream().cut(1, Duration::from_micros(50)).chunks(events, 1).hang();
    let server = Server::always(script);
    let client = host.start(config(&server.url()));
    host.run(ready(&client));
    assert_eq!(value(&client, "f1"), Some("雪é😀".into()));
}

fn updates_arrive_on_an_open_stream(host: Host) {
    let first = sse(&full("s1", &[flag("f1", 1), flag("f2", 1)]));
    let second = sse(&transfer("xfer-changes", "s2", &[flag("f1", 2)]));
    let script = Script::stream().chunk(&first).pause(DELAY).chunk(&second).hang();
    let server = Server::always(script);
    let client = host.start(config(&server.url()));
    host.run(eventually("the update", || value(&client, "f1") == Some(2.into())));
    assert_eq!(value(&client, "f2"), Some(1.into()));
    assert_eq!(server.log().requests().len(), 1);
}

/// S15.
fn a_decorated_media_type_is_a_stream(host: Host) {
    for media_type in ["text/event-stream; charset=UTF-8", "TEXT/EVENT-STREAM"] {
        let head = [("content-type", media_type), ("transfer-encoding", "chunked")];
        let events = sse(&full("s1", &[flag("f1", 1)]));
        let server = Server::always(Script::new().head(200, &head).chunk(&events).hang());
        let client = host.start(config(&server.url()));
        host.run(ready(&client));
    }
}

/// S15.
fn a_page_is_not_a_stream(host: Host) {
    let page = Script::response(200, &[("content-type", "text/html")], b"<p>data: x\n\n</p>");
    let stream = Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)])));
    let server = Server::scripted([page, stream.hang()]);
    let client = host.start(config(&server.url()));
    host.run(async {
        eventually("the error", || client.status().last_error.is_some()).await;
        ready(&client).await;
    });
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::InvalidData);
}

/// S15: never more often than the shortest delay allows.
fn no_content_is_retried_gently(host: Host) {
    let server = Server::always(Script::status(204));
    let begun = Instant::now();
    let client = host.start(config(&server.url()));
    host.run(eventually("some requests", || server.log().requests().len() >= 4));
    let most = 2 + begun.elapsed().as_millis() / (DELAY / 2).as_millis();
    assert!(server.log().requests().len() as u128 <= most);
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::ErrorResponse);
}

/// F16.
fn a_stream_is_never_doubled(host: Host) {
    let server = Server::always(Script::stream().chunk("event: put").reset());
    let client = host.start(config(&server.url()));
    host.run(eventually("fifty requests", || server.log().requests().len() >= 50));
    host.run(client.close(Client::CLOSE_TIMEOUT));
    assert_eq!(server.log().most_open(), 1);
    assert_eq!(server.log().opened(), server.log().requests().len());
}

/// I02: a head in time, whatever the server does instead.
fn a_server_that_never_answers_is_left(host: Host) {
    let slow = Script::new().cut(1, Duration::from_secs(1)).head(200, &[]);
    let good = Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)]))).hang();
    let server = Server::scripted([Script::new().hang(), slow, good]);
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(server.url()).initial_retry_delay(DELAY))
        .adjust_timing(|timing| timing.head = Duration::from_millis(300))
        .build()
        .unwrap();
    let client = host.start(config);
    host.run(async {
        ready(&client).await;
        eventually("one connection", || server.log().open() == 1).await;
    });
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::Network);
}

/// B 5.
fn a_fallback_directive_leads_to_fdv1(host: Host) {
    let server = Server::new(|_, request| match request.path() {
        "/sdk/latest-all" => Script::json(
            &serde_json::json!({"flags": {"f1": flag("f1", 1)}, "segments": {}}).to_string(),
        ),
        _ => Script::response(403, &[("X-LD-FD-Fallback", "true")], b""),
    });
    let config = Config::streaming("sdk-key")
        .endpoints(fdv2_client::config::Endpoints::relay(server.url()))
        .build()
        .unwrap();
    let client = host.start(config);
    host.run(ready(&client));
    assert_eq!(value(&client, "f1"), Some(1.into()));
    assert_eq!(client.status().state, SourceState::Valid);
    let paths: Vec<_> = server.log().requests().iter().map(|got| got.path().to_owned()).collect();
    assert_eq!(paths, ["/sdk/stream", "/sdk/latest-all"]);
}

/// I10.
fn an_early_failure_is_no_failed_start(host: Host) {
    let good = Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)]))).hang();
    let server = Server::scripted([Script::status(503), Script::status(503), good]);
    let client = host.start(config(&server.url()));
    host.run(ready(&client));
    assert_eq!(client.status().last_error.unwrap().status, Some(503));
}

/// B 1.13: an event that does not end, as it is and as a few kilobytes of gzip.
fn an_endless_event_is_invalid_data(host: Host) {
    let endless = [b"data: ", &*vec![b' '; 32 << 20]].concat();
    let bomb = gzip([&*endless]).concat();
    let head = [("content-type", "text/event-stream"), ("transfer-encoding", "chunked")];
    let compressed = [head[0], head[1], ("content-encoding", "gzip")];
    for script in [
        Script::new().head(200, &head).chunks(&endless, 16 << 10).hang(),
        Script::new().head(200, &compressed).chunks(&bomb, 16 << 10).hang(),
    ] {
        let server = Server::always(script);
        let limits = Limits { event_bytes: 1 << 20, ..Limits::default() };
        let config = Config::custom("sdk-key")
            .synchronizer(Streaming::new().base_url(server.url()))
            .limits(limits)
            .build()
            .unwrap();
        let client = host.start(config);
        host.run(eventually("the error", || client.status().last_error.is_some()));
        assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::InvalidData);
        host.run(eventually("the end of the connection", || server.log().open() == 0));
    }
}

//! Polls, from the socket to the flag.

use std::time::Duration;

use fdv2_client::config::Polling;
use fdv2_client::{Config, ErrorKind};
use fdv2_tests::server::{Script, Server, gzip};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, value};

on_every_runtime!(
    a_large_poll_is_applied_whole,
    polling_survives_everything,
    tags_are_sent_back,
    a_body_that_ends_early_changes_nothing,
);

const INTERVAL: Duration = Duration::from_millis(30);

fn config(url: &str) -> Config {
    Config::custom("sdk-key")
        .synchronizer(Polling::new().base_url(url).interval(INTERVAL))
        .adjust_timing(|timing| timing.min_poll_interval = INTERVAL)
        .build()
        .unwrap()
}

fn tagged(tag: &str, number: i32) -> Script {
    let headers = [("content-type", "application/json"), ("etag", tag)];
    Script::response(200, &headers, poll(&full(tag, &[flag("f1", number)])).as_bytes())
}

/// E07.
fn a_large_poll_is_applied_whole(host: Host) {
    let flags: Vec<_> = (0..5000).map(|at| flag(&format!("flag-{at}"), at)).collect();
    let body = poll(&full("s1", &flags));
    let compressed = gzip([body.as_bytes()]).concat();
    let headers = [("content-encoding", "gzip"), ("transfer-encoding", "chunked")];
    for script in [
        Script::json(&body),
        Script::new().head(200, &headers).chunks(compressed, 4096).last_chunk().keep_alive(),
    ] {
        let server = Server::always(script);
        let client = host.start(config(&server.url()));
        host.run(client.wait_for_initialization(PATIENCE)).unwrap();
        assert_eq!(value(&client, "flag-4999"), Some(4999.into()));
    }
}

/// E06.
fn polling_survives_everything(host: Host) {
    let cut = gzip([&b"{\"events\":[]}"[..]]).concat();
    let server = Server::scripted([
        tagged("\"1\"", 1),
        Script::new(),
        Script::new().reset(),
        Script::status(500),
        Script::response(200, &[("content-type", "text/html")], b"<p>busy</p>"),
        Script::response(200, &[("content-encoding", "gzip")], &cut[..cut.len() - 4]),
        Script::status(304),
        tagged("\"2\"", 2),
    ]);
    let client = host.start(config(&server.url()));
    host.run(eventually("the last poll", || value(&client, "f1") == Some(2.into())));
}

/// E01, E04.
fn tags_are_sent_back(host: Host) {
    let server = Server::scripted([tagged("\"1\"", 1), tagged("\"2\"", 2), Script::status(304)]);
    let client = host.start(config(&server.url()));
    host.run(eventually("four polls", || server.log().requests().len() >= 4));
    drop(client);
    let tags: Vec<_> = server.log().requests();
    let tags: Vec<_> = tags.iter().map(|got| got.header("if-none-match")).take(4).collect();
    assert_eq!(tags, [None, Some("\"1\""), Some("\"2\""), Some("\"2\"")]);
}

/// B 4.3.
fn a_body_that_ends_early_changes_nothing(host: Host) {
    let body = poll(&full("s2", &[flag("f1", 2)]));
    let length = (body.len() + 1).to_string();
    let server = Server::scripted([
        tagged("\"1\"", 1),
        Script::new().head(200, &[("content-length", &length)]).write(&body),
        Script::new().head(200, &[("transfer-encoding", "chunked")]).chunk(&body),
        Script::status(304),
    ]);
    let client = host.start(config(&server.url()));
    host.run(eventually("four polls", || server.log().requests().len() >= 4));
    assert_eq!(value(&client, "f1"), Some(1.into()));
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::Network);
}

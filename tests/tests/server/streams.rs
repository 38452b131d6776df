use std::time::{Duration, Instant};

use fdv2_server::Notice;

use crate::support::{PATIENCE, Running, state, summary};

const ONE: &str = r#"{"flagValues":{"a":1,"b":1}}"#;
const TWO: &str = r#"{"flagValues":{"a":2,"c":1}}"#;

#[test]
fn an_edit_reaches_every_stream_as_a_transfer_of_changes() {
    let running = Running::start(ONE);
    let mut streams = [running.ask("/sdk/stream"), running.ask("/sdk/stream")];
    for stream in &mut streams {
        assert_eq!(stream.header("content-type"), Some("text/event-stream; charset=utf-8"));
        assert_eq!(summary(&stream.transfer()), "xfer-full +a +b end");
    }
    running.write(TWO);
    for stream in &mut streams {
        let changes = stream.transfer();
        assert_eq!(summary(&changes), "xfer-changes +a -b +c end");
        assert_eq!(changes[1].data["version"], 2);
    }
}

#[test]
fn a_reconnect_gets_what_its_basis_lacks() {
    let running = Running::start(ONE);
    let mut stream = running.ask("/sdk/stream");
    let one = state(&stream.transfer());
    running.write(TWO);
    let two = state(&stream.transfer());
    let asked =
        |basis: &str| summary(&running.ask(&format!("/sdk/stream?basis={basis}")).transfer());
    assert_eq!(asked(&two), "none");
    assert_eq!(asked(&one), "xfer-changes +a -b +c end");
    assert_eq!(asked("unknown"), "xfer-full +a +c end");
}

#[test]
fn a_stream_that_began_with_nothing_to_transfer_gets_the_next_edit() {
    let running = Running::start(ONE);
    let basis = state(&running.ask("/sdk/stream").transfer());
    let mut stream = running.ask(&format!("/sdk/stream?basis={basis}"));
    assert_eq!(summary(&stream.transfer()), "none");
    running.write(TWO);
    assert_eq!(summary(&stream.transfer()), "xfer-changes +a -b +c end");
}

#[test]
fn a_broken_file_changes_nothing_and_is_told() {
    let running = Running::start(ONE);
    let mut notices = running.server().notices();
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    running.write(r#"{"flagValues":{"a":"#);
    let broken = running.runtime().block_on(async {
        while let Some(notice) = notices.next().await {
            if let Notice::Broken(fault) = notice {
                return fault.to_string();
            }
        }
        panic!("the server has stopped")
    });
    assert!(broken.contains("flags.json:1:19: not valid JSON"), "{broken}");
    running.write(TWO);
    assert_eq!(summary(&stream.transfer()), "xfer-changes +a -b +c end");
}

#[test]
fn a_silent_stream_carries_heartbeats() {
    let running = Running::start_with(ONE, |options| options.heartbeat(Duration::from_millis(20)));
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    for _ in 0..3 {
        assert_eq!(stream.next_event().unwrap().name, "heartbeat");
    }
}

#[test]
fn streams_can_be_cut_and_refused_while_polls_go_on() {
    let running = Running::start(ONE);
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    running.server().refuse_streams(true);
    running.server().cut_streams();
    assert!(stream.next_event().is_none());
    running.wait_for_streams(0);
    assert_eq!(running.ask("/sdk/stream").status, 503);
    assert_eq!(running.ask("/sdk/poll").status, 200);
    running.server().refuse_streams(false);
    assert_eq!(summary(&running.ask("/sdk/stream").transfer()), "xfer-full +a +b end");
}

#[test]
fn a_client_that_goes_away_ends_its_stream() {
    let running = Running::start(ONE);
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    running.wait_for_streams(1);
    stream.close();
    running.wait_for_streams(0);
}

/// More than the sockets between two processes hold.
fn large() -> String {
    let value = "x".repeat(1 << 20);
    let flags: Vec<_> = (0..32).map(|key| format!("\"{key}\":\"{value}\"")).collect();
    format!(r#"{{"flagValues":{{{}}}}}"#, flags.join(","))
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let limit = Duration::from_millis(300);
    let running = Running::start_with(&large(), |options| options.stall_limit(limit));
    let _unread = running.ask("/sdk/stream");
    running.wait_for_streams(1);
    running.wait_for_streams(0);
}

#[test]
fn stopping_ends_streams_and_waits_for_no_client() {
    let mut running = Running::start(&large());
    let _unread = running.ask("/sdk/stream");
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    let start = Instant::now();
    running.stop();
    assert!(start.elapsed() < PATIENCE);
    assert!(stream.next_event().is_none());
}

#[test]
fn a_dropped_server_closes_its_connections() {
    let mut running = Running::start(ONE);
    let mut stream = running.ask("/sdk/stream");
    stream.transfer();
    running.drop_server();
    assert!(stream.next_event().is_none());
}

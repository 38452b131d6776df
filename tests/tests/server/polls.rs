use std::io::Read;

use crate::support::{Running, state, summary};

const ONE: &str = r#"{"flagValues":{"a":1,"b":"x"},"segments":{"s":{"included":["u"]}}}"#;
const TWO: &str = r#"{"flagValues":{"a":2},"segments":{"s":{"included":["u"]}}}"#;

/// Waits until polls bring the edit.
fn edit(running: &Running, text: &str) {
    let before = running.ask("/sdk/poll").bytes();
    running.write(text);
    while running.ask("/sdk/poll").bytes() == before {}
}

#[test]
fn a_request_without_an_sdk_key_or_with_another_one_is_answered_with_401() {
    let running = Running::start_with(ONE, |options| options.sdk_key("secret"));
    for path in ["/sdk/stream", "/sdk/poll", "/sdk/latest-all"] {
        assert_eq!(running.send(path, "").status, 401);
        assert_eq!(running.send(path, "Authorization: \r\n").status, 401);
        assert_eq!(running.send(path, "Authorization: other\r\n").status, 401);
        assert_eq!(running.send(path, "Authorization: secret\r\n").status, 200);
        assert_eq!(running.send(path, "Authorization: api_key secret\r\n").status, 200);
    }
}

#[test]
fn other_paths_and_methods_are_not_served() {
    let running = Running::start(ONE);
    assert_eq!(running.ask("/").status, 200);
    assert_eq!(running.ask("/sdk").status, 404);
    assert_eq!(running.ask("/sdk/poll/").status, 404);
}

#[test]
fn a_poll_without_basis_brings_everything() {
    let running = Running::start(ONE);
    let response = running.ask("/sdk/poll");
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(summary(&response.events()), "xfer-full +a +b +s end");
}

#[test]
fn a_poll_with_the_current_tag_is_answered_with_304() {
    let running = Running::start(ONE);
    for path in ["/sdk/poll", "/sdk/latest-all"] {
        let tag = running.ask(path).header("etag").unwrap().to_owned();
        let with = |tag: &str| {
            running.send(path, &format!("Authorization: key\r\nIf-None-Match: {tag}\r\n"))
        };
        let unchanged = with(&tag);
        assert_eq!(unchanged.status, 304);
        assert!(unchanged.bytes().is_empty());
        assert_eq!(with("\"other\"").status, 200);
    }
}

#[test]
fn a_poll_brings_what_its_basis_lacks() {
    let running = Running::start(ONE);
    let one = state(&running.ask("/sdk/poll").events());
    edit(&running, TWO);
    let two = state(&running.ask("/sdk/poll").events());
    let asked = |basis: &str| summary(&running.ask(&format!("/sdk/poll?basis={basis}")).events());
    assert_eq!(asked(&one), "xfer-changes +a -b end");
    assert_eq!(asked(&two), "none");
    assert_eq!(asked("unknown"), "xfer-full +a +s end");
    assert_eq!(asked(""), "xfer-full +a +s end");
}

#[test]
fn a_selector_of_another_run_is_unknown() {
    let (running, other) = (Running::start(ONE), Running::start(ONE));
    let basis = state(&other.ask("/sdk/poll").events());
    let events = running.ask(&format!("/sdk/poll?basis={basis}")).events();
    assert_eq!(summary(&events), "xfer-full +a +b +s end");
}

#[test]
fn a_poll_is_compressed_when_that_was_asked_for() {
    let running = Running::start(ONE);
    let plain = running.ask("/sdk/poll").bytes();
    let response = running.send("/sdk/poll", "Authorization: key\r\nAccept-Encoding: br, gzip\r\n");
    assert_eq!(response.header("content-encoding"), Some("gzip"));
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&*response.bytes()).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
}

#[test]
fn an_fdv1_poll_brings_flags_and_segments_by_key() {
    let running = Running::start(ONE);
    let body = running.ask("/sdk/latest-all").json();
    assert_eq!(body["flags"]["b"]["variations"][0], "x");
    assert_eq!(body["segments"]["s"]["included"][0], "u");
    assert_eq!(body.as_object().unwrap().len(), 2);
}

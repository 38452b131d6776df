//! B 1.10, 1.12, 1.16: bytes, lines and characters, seen through a whole system.

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, streaming};
use serde_json::json;

use super::assert_invalid_and_retried;

fn stream_of(bytes: impl Into<Vec<u8>>) -> Sim {
    let mut sim = streaming([]);
    sim.send_bytes(bytes.into());
    sim
}

/// The bytes of `text` with the line ends replaced.
fn with_line_ends(text: &str, end: &str) -> String {
    text.replace('\n', end)
}

/// B 1.16, cases S01.
#[test]
fn each_line_end_ends_a_line() {
    let events = sse(&full("s1", [on("f1"), on("f2")]));
    for end in ["\n", "\r", "\r\n"] {
        let sim = stream_of(with_line_ends(&events, end));
        assert_eq!(sim.flags().len(), 2, "{end:?}");
    }
}

/// B 1.16: nothing waits for a byte that may not come.
#[test]
fn an_event_that_ends_on_a_cr_is_delivered_at_once() {
    let events = with_line_ends(&sse(&full("s1", [on("f1")])), "\r");
    let sim = stream_of(events);
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 1.16: only the LF directly behind a CR belongs to it, in whichever read it arrives.
#[test]
fn an_lf_in_the_next_read_belongs_to_the_cr_before_it() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send_bytes("event: put-object\r");
    let data = put(on("f1")).data;
    sim.send_bytes(format!("\ndata: {data}\r")).send_bytes("\n\r").send_bytes("\n");
    sim.send([transferred("s2", 2)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.last_error(), None);
}

/// B 1.16, cases S04.
#[test]
fn a_byte_order_mark_is_stripped_at_the_start_of_each_body() {
    let events = format!("\u{feff}{}", sse(&full("s1", [on("f1")])));
    let mut sim = Sim::new(config().synchronizer(stream("a"))).cut_into([1]);
    let reply = Reply::stream([]).bytes(events).break_off();
    sim.serve_always("a", reply);
    sim.start();
    assert_eq!(sim.is_on("f1"), Some(true));
    sim.advance(secs(2));
    assert!(sim.asked().len() >= 2);
    assert!(sim.error_kind() == Some(ErrorKind::Network), "{sim:?}");

    let mut sim = streaming([]);
    sim.send_bytes(vec![0xef, 0xbb]).end();
    assert_eq!(sim.state(), SourceState::Initializing);
}

/// B 1.16, cases S05.
#[test]
fn the_json_of_an_event_may_spread_over_data_lines() {
    let mut sim = streaming([intent("xfer-full")]);
    sim.send_bytes(
        "event: put-object\ndata: {\"version\":1,\ndata: \"kind\":\"flag\",\ndata: \
         \"key\":\"f1\",\ndata: \"object\":{\"on\":true}}\n\n",
    );
    sim.send([transferred("s1", 1)]);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 1.16, cases S08.
#[test]
fn comments_between_lines_change_nothing() {
    let events = sse(&full("s1", [on("f1"), off("f2")]));
    let commented = events.replace('\n', "\n:\n: keep\n");
    let sim = stream_of(format!(":\n{commented}"));
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f2".to_owned(), false)]);
}

/// B 1.16, cases S10.
#[test]
fn fields_without_a_blank_behind_the_colon_work() {
    let events = sse(&full("s1", [on("f1")])).replace(": {", ":{").replace("event: ", "event:");
    assert_eq!(stream_of(events).is_on("f1"), Some(true));
}

/// B 1.16, cases S12.
#[test]
fn an_event_without_data_leaks_nothing_into_the_next() {
    let sim = stream_of(format!("event: goodbye\n\n{}", sse(&full("s1", [on("f1")]))));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 1.16, cases S03, S11: any text arrives whole however it is cut.
#[test]
fn characters_cut_between_reads_stay_whole() {
    let item = on("f1").with("variations", json!(["雪é😀", "\u{2028}"]));
    for size in 1..=7 {
        let mut sim = Sim::new(config().synchronizer(stream("a"))).cut_into([size]);
        sim.serve_always("a", Reply::stream(full("s1", [item.clone()])));
        sim.start();
        assert_eq!(sim.flag_text("f1"), Some(item.object.clone()));
    }
}

/// B 1.10, cases S14.
#[test]
fn bytes_that_are_not_utf_8_make_the_data_invalid() {
    for bad in [&b"\xff"[..], b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf"] {
        let mut sim = streaming(full("s1", [off("f1")]));
        let mut bytes =
            b"event: put-object\ndata: {\"version\":1,\"kind\":\"flag\",\"key\":\"f1\",\
            \"object\":{\"on\":true,\"salt\":\""
                .to_vec();
        bytes.extend_from_slice(bad);
        bytes.extend_from_slice(b"\"}}\n\n");
        bytes.extend_from_slice(sse(&[transferred("s2", 2)]).as_bytes());
        sim.send_bytes(bytes);
        assert_eq!(sim.is_on("f1"), Some(false), "{bad:?}");
        assert_invalid_and_retried(&mut sim);
        sim.reply(Reply::stream(changes("s2", [on("f1")])));
        assert_eq!(sim.is_on("f1"), Some(true));
        assert_eq!(sim.state(), SourceState::Valid);
    }
}

/// B 1.10, cases S14: of an event without a name as well.
#[test]
fn one_byte_that_is_not_utf_8_does_not_end_the_source() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send_bytes(b"data: \xff\n\n".to_vec());
    assert_invalid_and_retried(&mut sim);
    sim.reply(Reply::stream(changes("s2", [on("f1")])));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(
        sim.states(),
        [
            SourceState::Initializing,
            SourceState::Valid,
            SourceState::Interrupted,
            SourceState::Valid,
        ]
    );
}

/// B 1.10: in a poll body too, and nothing is replaced.
#[test]
fn a_poll_body_that_is_not_utf_8_is_invalid_data() {
    let mut body = poll_body(&full("s1", [on("f1").with("salt", json!("AB_CD"))])).into_bytes();
    let at = body.iter().position(|byte| *byte == b'_').unwrap();
    body[at] = 0xff;
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", Reply::body(body));
    sim.start();
    assert_eq!(sim.flags(), []);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    assert_eq!(sim.state(), SourceState::Initializing);
}

/// B 1.12.
#[test]
fn an_event_that_no_blank_line_ended_is_dropped() {
    let mut sim = streaming(full("s1", [off("f1")]));
    let unfinished = sse(&changes("s2", [on("f1")]));
    sim.send_bytes(unfinished.trim_end().to_owned() + "\n").end();
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.selector(), Some("s1"));
}

/// B 1.12.
#[test]
fn a_transfer_that_was_not_finished_is_dropped() {
    let mut sim = streaming(full("s1", [off("f1")]));
    sim.send([intent("xfer-full"), put(on("f1"))]).end();
    assert_eq!(sim.until_asked("a").basis(), Some("s1"));
    sim.reply(Reply::stream(none())).send([transferred("s2", 2)]);
    assert_eq!(sim.is_on("f1"), Some(false));
}

/// Cases S13: a message that quotes its data is cut at a character boundary.
#[test]
fn an_error_about_long_data_of_wide_characters_is_no_panic() {
    for length in (70..130).chain(250..260) {
        let text = format!("{}😀😀", "a".repeat(length));
        let mut sim = streaming(full("s1", [on("f1")]));
        sim.send([event("put-object", &text), event("server-intent", &text)]);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
        assert!(sim.last_error().unwrap().message.len() < 1000);

        let mut sim = streaming(full("s1", [on("f1")]));
        sim.send([event("server-intent", json!({"payloads": [{"intentCode": text}]}))]);
        assert_invalid_and_retried(&mut sim);
    }
}

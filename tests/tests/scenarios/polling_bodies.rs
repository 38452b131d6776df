//! B 4.3 to 4.5: what a poll body must be, and until when.

use fdv2_core::TransportErrorKind;
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, polling, secs};
use serde_json::json;

fn good_body() -> String {
    poll_body(&full("s2", [off("f1")]))
}

/// A system that holds `f1` on, whose second poll got `reply`.
fn second_poll(reply: Reply) -> Sim {
    let mut sim = polling(full("s1", [on("f1")]));
    sim.serve_always("a", reply);
    sim.advance(secs(30));
    sim
}

#[track_caller]
fn assert_refused(reply: Reply, kind: ErrorKind) {
    let sim = second_poll(reply);
    assert_eq!(sim.is_on("f1"), Some(true), "{sim:?}");
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.snapshots(), 1);
    assert_eq!(sim.state(), SourceState::Interrupted, "{sim:?}");
    assert_eq!(sim.error_kind(), Some(kind), "{sim:?}");
}

/// B 4.3.
#[test]
fn a_body_that_ends_early_is_a_network_failure() {
    let body = good_body();
    for cut in [0, 1, body.len() / 2, body.len() - 1, body.len()] {
        let part = body[..cut].to_owned();
        assert_refused(Reply::head(200).bytes(part).break_off(), ErrorKind::Network);
    }
    let malformed = Reply::head(200).bytes(body).fail(TransportErrorKind::Malformed);
    let sim = second_poll(malformed);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Interrupted);
}

/// B 4.3: cut in a way that the transport does not see, it is invalid data.
#[test]
fn a_shorter_body_that_ends_whole_is_invalid_data() {
    let body = good_body();
    for cut in [0, 1, body.len() / 2, body.len() - 1] {
        assert_refused(Reply::body(body[..cut].to_owned()), ErrorKind::InvalidData);
    }
}

/// B 4.4.
#[test]
fn a_body_without_a_byte_for_thirty_seconds_is_a_network_failure() {
    let mut sim = second_poll(Reply::head(200).bytes_after(secs(20), r#"{"events":["#));
    sim.advance(secs(49));
    assert_eq!(sim.last_error(), None);
    sim.advance(secs(2));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.last_error().unwrap().at.since_epoch(), secs(30 + 50));
}

/// B 4.4: from the head on.
#[test]
fn a_head_without_a_body_is_a_network_failure() {
    let mut sim = second_poll(Reply::head(200).late(secs(4)));
    sim.advance(secs(35));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    let at = sim.last_error().unwrap().at.since_epoch();
    assert!(at >= secs(60) && at <= secs(64), "{at:?}");
}

/// B 4.4.
#[test]
fn a_body_that_is_not_whole_after_five_minutes_is_a_network_failure() {
    let mut sim = second_poll(Reply::head(200).bytes("{").repeat(secs(9), 100, " "));
    sim.advance(secs(299));
    assert_eq!(sim.last_error(), None);
    sim.advance(secs(2));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.last_error().unwrap().at.since_epoch(), secs(330));
}

/// B 4.5.
#[test]
fn nothing_counts_before_the_body_has_ended_whole() {
    let mut sim = second_poll(Reply::hang());
    sim.reply(Reply::head(200).bytes(good_body()));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.snapshots(), 1);
    sim.end();
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.selector(), Some("s2"));
}

/// B 4.5: not even a removal of everything or readiness.
#[test]
fn a_first_body_counts_when_it_has_ended_whole() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.start().reply(Reply::head(200).bytes(good_body()));
    assert!(!sim.is_ready());
    assert_eq!(sim.state(), SourceState::Initializing);
    sim.end();
    assert!(sim.is_ready());
}

/// B 4.5.
#[test]
fn anything_but_an_object_with_a_list_of_events_is_invalid_data() {
    let event = r#"{"event":"server-intent","data":{"payloads":[{"intentCode":"none"}]}}"#;
    for body in [
        String::new(),
        "null".into(),
        "[]".into(),
        "{}".into(),
        r#"{"events":null}"#.into(),
        r#"{"events":{}}"#.into(),
        r#"{"events":[]}"#.into(),
        r#"{"Events":[]}"#.into(),
        format!("[{event}]"),
        format!(r#"{{"events":[{event}]"#),
        format!(r#"{{"events":[{event}]}}x"#),
        format!(r#"{{"events":[{event},]}}"#),
        format!(r#"{{"events":[{event}],}}"#),
        format!(r#"{{"events":[{event}],"events":[]}}"#),
        format!(r#"{{"events":[{event} {event}]}}"#),
        "<html><body>busy</body></html>".into(),
    ] {
        assert_refused(Reply::body(body), ErrorKind::InvalidData);
    }
}

/// B 4.5: what is beside the events is skipped.
#[test]
fn other_members_and_elements_without_event_are_skipped() {
    let events: Vec<String> = full("s2", [off("f1")])
        .into_iter()
        .map(|Wire { name, data }| format!(r#" {{ "data" : {data} , "event":{} }}"#, json!(name)))
        .collect();
    let body = format!(
        "\r\n{{\"a\":[1,{{\"events\":2}}],\"events\" : [{{}},{{\"data\":1}},{}, {{\"x\":null}}\t],\
         \"b\":null}}\n",
        events.join(" ,\n")
    );
    let sim = second_poll(Reply::body(body));
    assert_eq!(sim.is_on("f1"), Some(false), "{sim:?}");
    assert_eq!(sim.last_error(), None);
}

/// B 4.5: names and members may be written with escapes.
#[test]
fn escaped_names_are_read() {
    let escaped = good_body()
        .replace("\"event\"", "\"\\u0065vent\"")
        .replace("server-intent", "server\\u002dintent")
        .replace("payload-transferred", "\\u0070ayload-transferred");
    let sim = second_poll(Reply::body(escaped));
    assert_eq!(sim.is_on("f1"), Some(false), "{sim:?}");
}

/// B 4.5: it holds one transfer.
#[test]
fn a_body_without_a_completed_transfer_is_invalid_data() {
    for events in [
        vec![intent("xfer-full")],
        vec![intent("xfer-full"), put(off("f1"))],
        vec![intent("xfer-changes"), put(off("f1"))],
        vec![put(off("f1")), transferred("s2", 2)],
        vec![put(off("f1"))],
        vec![heartbeat()],
        vec![intent("xfer-full"), put(off("f1")), error()],
        vec![intent("xfer-full"), error(), put(off("f1")), transferred("s2", 2)],
        vec![error()],
        vec![transferred("s2", 2)],
    ] {
        assert_refused(Reply::poll(events), ErrorKind::InvalidData);
    }
}

/// B 4.5: after the transfer only a goodbye is looked at.
#[test]
fn what_follows_the_transfer_is_not_looked_at() {
    let bad_put = event("put-object", r#"{"kind":"flag"}"#);
    for more in [vec![put(on("f9")), transferred("s3", 3)], vec![error()], vec![bad_put]] {
        let mut events = full("s2", [off("f1")]);
        events.extend(more);
        let sim = second_poll(Reply::poll(events));
        assert_eq!(sim.flags(), [("f1".to_owned(), false)], "{sim:?}");
        assert_eq!(sim.selector(), Some("s2"));
        assert_eq!(sim.state(), SourceState::Valid);
        assert_eq!(sim.last_error(), None);
    }
    let mut events = none();
    events.extend(full("s2", [off("f1")]));
    let sim = second_poll(Reply::poll(events));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 1.6, 4.5: nothing counts that follows a goodbye, good or bad.
#[test]
fn what_follows_a_goodbye_is_not_looked_at() {
    let bad_put = event("put-object", r#"{"kind":"flag"}"#);
    for more in [full("s2", [off("f1")]), vec![error()], vec![bad_put], vec![goodbye()]] {
        let sim = second_poll(Reply::poll([goodbye()].into_iter().chain(more)));
        assert_eq!(sim.flags(), [("f1".to_owned(), true)], "{sim:?}");
        assert_eq!(sim.selector(), Some("s1"));
        assert_eq!(sim.state(), SourceState::Interrupted);
        assert_eq!(sim.last_error(), None);
    }
}

/// B 8.7: the type of a poll body is not looked at; its JSON is.
#[test]
fn a_poll_may_come_without_a_content_type() {
    let sim = second_poll(Reply::head(200).bytes(good_body()).end());
    assert_eq!(sim.is_on("f1"), Some(false));
}

/// Cases E07, E09: whatever the sizes of the reads.
#[test]
fn a_large_body_is_applied_whole() {
    let items: Vec<Item> =
        (0..400).map(|n| on(&format!("f{n}")).with("salt", json!("x".repeat(n)))).collect();
    let body = poll_body(&full("s1", items));
    for size in [1, 7, 4087, 4096, 8191, 8192, 8193, 16_383, 16_384] {
        let mut sim = Sim::new(config().synchronizer(poll("a"))).lightly().cut_into([size]);
        sim.serve_always("a", Reply::body(body.clone()));
        sim.start();
        assert_eq!(sim.flags().len(), 400, "{size}");
    }
}

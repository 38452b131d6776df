//! B 5.1 to 5.3, 5.6, 5.7: the server's order to fall back to FDv1.

use fdv2_core::ConfigBuilder;
use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, two_streams};
use serde_json::json;

/// The stream `a`, and FDv1 with `f1` off.
fn with_fdv1(reply: Reply) -> Sim {
    with_fdv1_of(config().synchronizer(stream("a")).fdv1(poll("v1")), reply)
}

fn with_fdv1_of(configured: ConfigBuilder, reply: Reply) -> Sim {
    let mut sim = Sim::new(configured);
    sim.serve_always("a", reply);
    sim.serve_always("v1", Reply::fdv1([off("f1")]));
    sim.start();
    sim
}

/// FDv1 runs, and nobody of FDv2 is asked from here on.
#[track_caller]
fn assert_on_fdv1(sim: &mut Sim) {
    assert_eq!(sim.running(), Some(SourceId::Fdv1), "{sim:?}");
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Directive);
    sim.overlook().advance(secs(1000));
    assert!(sim.asked().iter().rev().take(30).all(|asked| asked.host == "v1"), "{sim:?}");
    assert!(sim.asked_of("v1").len() > 30, "{sim:?}");
}

/// B 5.1, cases V02: on any status, and it wins over what the status means.
#[test]
fn a_directive_counts_on_any_status() {
    for status in [200, 204, 301, 304, 400, 401, 403, 404, 429, 500, 503] {
        let mut sim = with_fdv1_of(two_streams(), Reply::status(status).directive());
        assert_eq!(sim.elapsed(), secs(0));
        assert_eq!(sim.is_on("f1"), Some(false), "{status}: {sim:?}");
        assert_eq!(sim.state(), SourceState::Valid);
        assert_eq!(sim.asked_of("b").len(), 0, "{status}");
        assert_on_fdv1(&mut sim);
    }
}

/// B 5.1: it does not remove the source.
#[test]
fn a_directive_on_a_final_status_does_not_remove_the_source() {
    let mut sim = with_fdv1_of(two_streams(), Reply::status(403).directive_for(60));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
    sim.advance(secs(60));
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(0)));
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 5.1, cases V07.
#[test]
fn the_header_is_read_without_regard_to_case_and_blanks() {
    for (name, value, counts) in [
        ("X-LD-FD-Fallback", "true", true),
        ("x-ld-fd-fallback", "TRUE", true),
        ("X-Ld-Fd-Fallback", " True ", true),
        ("x-ld-fd-fallback", "1", false),
        ("x-ld-fd-fallback", "yes", false),
        ("x-ld-fd-fallback", "false", false),
        ("x-ld-fd-fallback", "", false),
        ("x-ld-fd-fallback", "true true", false),
        ("x-ld-fd-fallback-ttl", "60", false),
    ] {
        let sim = with_fdv1(Reply::status(500).header(name, value));
        assert_eq!(sim.asked_of("v1").len(), usize::from(counts), "{name}: {value:?}");
    }
}

/// B 5.1, cases V08: on a goodbye, on the stream.
#[test]
fn a_goodbye_on_a_stream_can_carry_it() {
    for ttl in [json!(30), json!(0), json!(-1), json!("x"), json!(1.5), json!({}), json!(false)] {
        let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])));
        assert_eq!(sim.is_on("f1"), Some(true));
        sim.send([goodbye_to_fdv1(ttl.clone())]);
        assert_eq!(sim.running(), Some(SourceId::Fdv1), "{ttl}");
        assert_eq!(sim.is_on("f1"), Some(false));
    }
    let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])));
    sim.send([goodbye_to_fdv1(json!(null))]);
    sim.advance(secs(10));
    assert_eq!(sim.asked_of("v1").len(), 0, "null is absent");

    for (data, counts) in [
        (r#"{"reason":5,"protocolFallbackTTL":30}"#, true),
        (r#"{"protocolFallbackTTL":30,"x":[{}]}"#, true),
        (r#"["rotate",30]"#, false),
        (r#"{"protocolFallbackTTL":30"#, false),
    ] {
        let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])));
        sim.send([event("goodbye", data)]);
        assert_eq!(sim.asked_of("v1").len(), usize::from(counts), "{data}");
    }
}

/// B 5.1, cases V08: on a goodbye, in a poll.
#[test]
fn a_goodbye_in_a_poll_can_carry_it() {
    for mut events in [full("s1", [on("f2")]), vec![]] {
        events.push(goodbye_to_fdv1(json!(2000)));
        let mut sim =
            with_fdv1_of(config().synchronizer(poll("a")).fdv1(poll("v1")), Reply::poll(events));
        assert_eq!(sim.flags(), [("f1".to_owned(), false)], "{sim:?}");
        assert_on_fdv1(&mut sim);
    }
}

/// B 5.1, cases V01: an initializer's counts too, and nothing of FDv2 follows it.
#[test]
fn an_initializers_directive_counts() {
    for reply in [
        Reply::status(500),
        Reply::status(304),
        Reply::status(403),
        Reply::poll(full("s1", [on("f1")])),
        Reply::poll(full("s1", [on("f1"), undecodable("f2")])),
        Reply::poll(none()),
        Reply::body("{"),
    ] {
        let configured = config()
            .initializer(poll("i1"))
            .initializer(poll("i2"))
            .synchronizer(stream("a"))
            .fdv1(poll("v1"));
        let mut sim = Sim::new(configured);
        sim.serve_always("i1", reply.clone().directive());
        sim.serve_always("v1", Reply::hang());
        sim.start();
        let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
        assert_eq!(hosts, ["i1", "v1"], "{reply:?}");
    }
}

/// B 5.2, cases V01: a payload that comes with it is applied first.
#[test]
fn a_payload_that_comes_with_it_is_applied_first() {
    let configured = config().initializer(poll("i")).synchronizer(stream("a")).fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])).directive());
    sim.serve_always("v1", Reply::status(400));
    sim.start();
    assert_eq!(sim.is_on("f1"), Some(true));
    assert!(sim.is_ready());
    sim.advance(secs(100));
    assert_eq!(sim.is_on("f1"), Some(true), "FDv1 errors leave the data in place");
    assert_eq!(sim.asked_of("a").len(), 0);
}

/// B 5.2: on a stream's 200 it waits for the first transfer.
#[test]
fn on_a_stream_it_waits_for_the_first_transfer() {
    let mut sim = with_fdv1(Reply::stream([intent("xfer-full"), put(on("f1"))]).directive());
    sim.advance(secs(5));
    assert_eq!(sim.asked_of("v1").len(), 0);
    sim.serve_always("v1", Reply::hang()).send([transferred("s1", 1)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.running(), Some(SourceId::Fdv1));
    assert_eq!(sim.asked_of("v1").len(), 1);
    assert_eq!(sim.asked_of("a").len(), 1, "the stream is not reopened");
}

/// B 5.2.
#[test]
fn on_a_stream_it_takes_effect_when_the_transfer_is_over_in_any_way() {
    for over in [
        Reply::default().then([error()]),
        Reply::default().then([event("server-intent", "{")]),
        Reply::default().then([undecodable_put()]).then([transferred("s1", 1)]),
        Reply::default().then([goodbye()]),
        Reply::default().then(none()),
        Reply::default().end(),
        Reply::default().break_off(),
    ] {
        let mut sim = with_fdv1(Reply::stream([intent("xfer-full")]).directive());
        assert_eq!(sim.asked_of("v1").len(), 0);
        sim.reply(over.clone());
        assert_eq!(sim.asked_of("v1").len(), 1, "{over:?}");
        assert_eq!(sim.running(), Some(SourceId::Fdv1));
    }
}

fn undecodable_put() -> Wire {
    put(undecodable("bad"))
}

/// B 5.2: a `none` that is accepted counts as a completed transfer.
#[test]
fn on_a_stream_an_accepted_none_lets_it_take_effect() {
    let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])));
    sim.break_off().overlook();
    sim.serve_always("a", Reply::stream(none()).directive());
    sim.until_asked("a");
    sim.expect("v1");
}

/// B 5.2: ten seconds after the head at the latest.
#[test]
fn on_a_stream_it_waits_ten_seconds_at_most() {
    for slow in [
        Reply::stream([]),
        Reply::stream([intent("xfer-full")]).repeat(secs(1), 100, &sse(&[put(on("f1"))])),
    ] {
        let mut sim = with_fdv1(slow.late(secs(4)).directive());
        sim.overlook().advance(secs(60));
        assert_eq!(sim.expect("v1").at.since_epoch(), secs(14));
    }
}

/// B 5.2: the directive survives an end that lacks the header, and our own leaving.
#[test]
fn a_pending_directive_survives_our_own_leaving() {
    // The head comes late in the ten seconds before the first data, so the fallback would be due
    // first: it waits for the directive (B 3.11).
    let mut sim = with_fdv1_of(two_streams(), Reply::stream([]).late(secs(5)).directive());
    sim.overlook().advance(secs(14));
    assert_eq!(sim.asked_of("b").len(), 0);
    sim.advance(secs(1));
    sim.expect("v1");
}

/// B 5.2, 3.1: the same for an initializer that is left before its body has come.
#[test]
fn a_pending_directive_survives_the_leaving_of_an_initializer() {
    let configured = config()
        .initializer(poll("i1"))
        .initializer(poll("i2"))
        .synchronizer(stream("a"))
        .fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i1", Reply::head(200).directive());
    sim.start().advance(secs(10));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(hosts, ["i1", "v1"]);
}

/// B 5.2: on a poll when the body has been applied or has failed.
#[test]
fn on_a_poll_it_waits_for_the_body() {
    let configured = || config().synchronizer(poll("a")).fdv1(poll("v1"));
    let body = poll_body(&full("s1", [on("f1")]));
    let reply = Reply::head(200).directive().bytes_after(secs(13), body);
    let mut sim = with_fdv1_of(configured(), reply.clone());
    sim.serve_always("v1", Reply::hang()).advance(secs(14));
    assert_eq!(sim.asked_of("v1").len(), 0);
    sim.end();
    assert_eq!(sim.asked_of("v1").len(), 1);
    assert_eq!(sim.is_on("f1"), Some(true));

    let mut sim = with_fdv1_of(configured(), reply.break_off());
    sim.serve_always("v1", Reply::hang()).advance(secs(14));
    assert_eq!(sim.asked_of("v1").len(), 1);
    assert_eq!(sim.flags(), []);
}

/// B 5.3: FDv1 polls at its interval.
#[test]
fn fdv1_polls_at_its_interval() {
    let configured = config().synchronizer(stream("a")).fdv1(poll("v1").interval(secs(50)));
    let mut sim = with_fdv1_of(configured, Reply::status(500).directive());
    sim.advance(secs(120));
    let at: Vec<_> = sim.asked_of("v1").iter().map(|asked| asked.at.since_epoch()).collect();
    assert_eq!(at, [secs(0), secs(50), secs(100)]);
    assert!(sim.asked_of("v1").iter().all(|asked| asked.path() == "/sdk/latest-all"));
}

/// B 5.6, cases V06: on an FDv1 response it is ignored, and skips no pacing.
#[test]
fn a_directive_of_fdv1_is_ignored() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("a", Reply::status(500).directive_for(3000));
    let answers = [
        Reply::fdv1([on("f1")]).header("etag", "1"),
        Reply::status(304),
        Reply::status(503),
        Reply::fdv1([on("f1")]),
    ];
    sim.serve_in_turn("v1", answers.map(|answer| answer.directive_for(1)));
    sim.start().advance(secs(2900));
    assert!(sim.gaps_of("v1").iter().all(|gap| *gap == secs(30)), "{sim:?}");
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked_of("a").len(), 1);
}

/// B 5.6.
#[test]
fn fdv1_errors_leave_the_data_in_place() {
    for bad in [
        Reply::status(400),
        Reply::status(500),
        Reply::refuse(),
        Reply::hang(),
        Reply::body("{"),
        Reply::fdv1([undecodable("f1")]),
    ] {
        let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])).directive_for(300));
        sim.serve_always("v1", bad);
        sim.advance(secs(100));
        assert_eq!(sim.is_on("f1"), Some(false));
        assert_eq!(sim.state(), SourceState::Interrupted);
        assert_eq!(sim.running(), Some(SourceId::Fdv1));
        sim.serve_always("a", Reply::stream(full("s2", [on("f2")])));
        sim.advance(secs(201));
        assert_eq!(sim.is_on("f2"), Some(true), "the TTL still ends");
    }
}

/// B 5.7, cases V12.
#[test]
fn a_missing_member_of_an_fdv1_body_is_empty() {
    let flag = on("f1").object;
    for (body, count) in [
        (r#"{"flags":{},"segments":{}}"#.to_owned(), 0),
        (format!(r#"{{"flags":{{"f1":{flag}}}}}"#), 1),
        (r#"{"segments":{}}"#.to_owned(), 0),
        (format!(r#"{{"x":[1],"segments":{{}},"flags":{{"f1":{flag}}},"y":null}}"#), 1),
    ] {
        let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
        sim.serve_always("a", Reply::stream(full("s1", [on("old")])).directive());
        sim.serve_always("v1", Reply::body(body.clone()));
        sim.start();
        assert_eq!(sim.flags().len(), count, "{body}");
        assert_eq!(sim.state(), SourceState::Valid, "{body}");
        assert_eq!(sim.selector(), None);
        assert_eq!(sim.is_on("old"), None);
    }
}

/// B 5.7.
#[test]
fn any_other_fdv1_body_is_invalid_data() {
    for body in [
        "",
        "{}",
        "[]",
        "null",
        r#"{"flags":null}"#,
        r#"{"flags":[]}"#,
        r#"{"segments":7}"#,
        r#"{"flags":{},"segments":null}"#,
        r#"{"flags":{}"#,
        r#"{"flags":{}} x"#,
        r#"{"events":[]}"#,
    ] {
        let mut sim = with_fdv1(Reply::stream(full("s1", [on("f1")])));
        sim.serve_always("v1", Reply::body(body));
        sim.send([goodbye_to_fdv1(json!(60))]);
        assert_eq!(sim.is_on("f1"), Some(true), "{body}");
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData), "{body}");
        assert_eq!(sim.state(), SourceState::Interrupted, "{body}");
    }
}

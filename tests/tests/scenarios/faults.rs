//! The faults of today's libraries, each measured on one of them.

use bytes::Bytes;
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_core::{Limits, Outcome};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, two_streams};

/// A refused, a hanging and an open-then-close stream never led to the healthy second source in
/// 200 s. B 3.3.
#[test]
fn a_bad_first_source_leads_to_the_second() {
    for bad in [
        Reply::refuse(),
        Reply::hang(),
        Reply::stream([]).end(),
        Reply::stream([]).break_off(),
        Reply::stream([]),
        Reply::status(500),
        Reply::stream([goodbye()]),
    ] {
        let mut sim = Sim::new(two_streams());
        sim.serve_always("a", bad);
        sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
        sim.start().advance(secs(10));
        assert_eq!(sim.is_on("f1"), Some(true), "{sim:?}");
        assert!(sim.is_ready());
    }
}

/// The same after data was held: within 120 s. B 3.3.
#[test]
fn a_source_that_turns_bad_leads_to_the_second() {
    for bad in [Reply::refuse(), Reply::hang(), Reply::stream([]).end(), Reply::stream([])] {
        let mut sim = Sim::new(two_streams());
        let first = Reply::stream(full("s1", [off("f1")])).end_after(secs(30));
        sim.serve_in_turn("a", [first, bad]);
        sim.serve_always("b", Reply::stream(changes("s2", [on("f1")])));
        sim.start().advance(secs(150));
        assert_eq!(sim.is_on("f1"), Some(true), "{sim:?}");
    }
}

/// A hung initializer blocked start for ever. B 3.1.
#[test]
fn a_hung_initializer_does_not_block_the_start() {
    let configured = config().initializer(poll("i")).synchronizer(stream("a"));
    for hung in [Reply::hang(), Reply::head(200), Reply::head(200).bytes("{\"events\":[")] {
        let mut sim = Sim::new(configured.clone());
        sim.serve_always("i", hung);
        sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
        sim.start().advance(secs(10));
        assert!(sim.is_ready(), "{sim:?}");
    }
}

/// Bad JSON, one bad flag or a goodbye on each connect gave 60,000 to 100,000 reconnects in 10 s.
/// B 1.11, 8.1, 8.2.
#[test]
fn bad_answers_are_paced() {
    for bad in [
        Reply::stream([event("put-object", "{")]),
        Reply::stream([event("server-intent", "{")]),
        Reply::stream(full("s1", [undecodable("f1")])),
        Reply::stream(full("s1", [on("f1"), undecodable("f2")])),
        Reply::stream([goodbye()]),
        Reply::stream(full("s1", [on("f1")])).then([goodbye()]),
        Reply::stream(full("s1", [on("f1")])).end(),
        Reply::stream(none()),
        Reply::status(503),
    ] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", bad);
        sim.start().advance(secs(10));
        assert!(sim.asked().len() <= 6, "{sim:?}");
    }
}

/// 400 s of silence went unnoticed. B 8.4.
#[test]
fn silence_is_noticed() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
    sim.start().advance(secs(302));
    assert_eq!(sim.asked().len(), 2);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
}

/// `retry: 3600000` stopped reconnection. B 8.3.
#[test]
fn a_long_retry_does_not_stop_reconnection() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let reply = Reply::stream(full("s1", [on("f1")])).bytes("retry: 3600000\n\n").break_off();
    sim.serve_always("a", reply);
    sim.start().advance(secs(95));
    assert!(sim.asked().len() >= 4, "{sim:?}");
    assert!(sim.gaps_of("a").iter().all(|gap| *gap <= secs(30)));
}

/// Feeds slices to the live attempt until it has ended; returns how many it took, of `most`.
fn feed(sim: &mut Sim, most: usize, slice: &Bytes) -> usize {
    let live = sim.live();
    (0..most)
        .take_while(|_| {
            let is_live = sim.live() == live;
            if is_live {
                sim.send_bytes(slice.clone());
            }
            is_live
        })
        .count()
}

/// A 1 GiB line was buffered whole. B 1.13, cases R04.
#[test]
fn an_endless_line_is_cut_off_at_the_limit() {
    let mut sim = Sim::new(config().synchronizer(stream("a"))).lightly();
    sim.start().reply(Reply::stream([intent("xfer-full")]).bytes("data: "));
    let slices = feed(&mut sim, (1 << 30) >> 14, &Bytes::from(vec![b'x'; 16 << 10]));
    assert!(slices <= 1 + ((16 << 20) >> 14) + 1, "{slices} slices of 16 KiB");
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// The same for what is no known field and no event: nothing of it is kept.
#[test]
fn an_endless_comment_is_not_kept() {
    let mut sim = Sim::new(config().synchronizer(stream("a"))).lightly();
    sim.start().reply(Reply::stream(full("s1", [on("f1")])).bytes(": "));
    feed(&mut sim, (1 << 30) >> 14, &Bytes::from(vec![b'x'; 16 << 10]));
    // Either it is skipped without being kept, or it is over the limit of a line.
    assert!(sim.live().is_some() || sim.error_kind() == Some(ErrorKind::InvalidData));
}

/// A 1 GiB body was buffered whole. B 1.13.
#[test]
fn an_endless_body_is_cut_off_at_the_limit() {
    let one = format!("{},", poll_body(&[put(on("f1"))]).split_at(11).1.trim_end_matches("]}"));
    let slice = Bytes::from(one.repeat((16 << 10) / one.len()));
    let start = format!("{},", poll_body(&[intent("xfer-full")]).trim_end_matches("]}"));
    let mut sim = Sim::new(config().synchronizer(poll("a"))).lightly();
    sim.start().reply(Reply::head(200).bytes(start));
    let limits = Limits { transfer_objects: 100_000, ..Limits::default() };
    let mut small = Sim::new(config().synchronizer(poll("a")).limits(limits)).lightly();
    let start = format!("{},", poll_body(&[intent("xfer-full")]).trim_end_matches("]}"));
    small.start().reply(Reply::head(200).bytes(start));
    let slices = feed(&mut small, (1 << 30) >> 14, &slice);
    assert!(slices * ((16 << 10) / one.len()) <= 100_000 + 200, "{slices}");
    assert_eq!(small.error_kind(), Some(ErrorKind::InvalidData));
}

/// One member of a body that never ends. B 1.13.
#[test]
fn an_endless_member_of_a_body_is_cut_off_at_the_limit() {
    for start in [
        r#"{"events":[{"event":"put-object","data":{"x":""#,
        r#"{"events":[{"event":""#,
        r#"{"events":[{"other":""#,
        r#"{"other":""#,
        r#"{"events":[{"event":"put-object","data":["#,
    ] {
        let mut sim = Sim::new(config().synchronizer(poll("a"))).lightly();
        sim.start().reply(Reply::head(200).bytes(start));
        let letter = if start.ends_with('[') { b'[' } else { b'x' };
        let slices = feed(&mut sim, (1 << 26) >> 14, &Bytes::from(vec![letter; 16 << 10]));
        // Either it ended at the limit of one event, or what is skipped is not kept.
        if slices > 1 + ((16 << 20) >> 14) + 1 {
            let held = format!("{:?}", sim.system()).len();
            assert!(held < 1 << 20, "{start}: {held} bytes of state");
        } else {
            assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData), "{start}");
        }
    }
}

/// 400,000 puts before an intent took 705 MiB. B 1.4.
#[test]
fn puts_before_an_intent_are_not_kept() {
    let mut sim = Sim::new(config().synchronizer(stream("a"))).lightly();
    sim.start().reply(Reply::stream([]));
    let idle = format!("{:?}", sim.system()).len();
    let puts = Bytes::from(sse(&[put(on("f1"))]).repeat(100));
    for _ in 0..4000 {
        sim.send_bytes(puts.clone());
    }
    let state = format!("{:?}", sim.system()).len();
    assert!(state < idle + 20_000, "{idle} bytes became {state}");
    sim.send(full("s1", [on("f1")]));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.last_error(), None);
}

/// Cases R05, C07: keep-alives and small change sets leave nothing behind.
#[test]
fn a_long_healthy_run_keeps_nothing() {
    let mut sim = Sim::new(config().synchronizer(stream("a"))).lightly();
    sim.start().reply(Reply::stream(full("s1", [on("f1"), on("f2")])));
    let idle = format!("{:?}", sim.system()).len();
    let keep_alives = Bytes::from(":\n\n".repeat(10_000));
    let steps = sse(&[put(off("f1")), transferred("s2", 2), put(on("f1")), transferred("s3", 3)]);
    let steps = Bytes::from(steps.repeat(20));
    for _ in 0..100 {
        sim.send_bytes(keep_alives.clone()).send_bytes(steps.clone()).advance(secs(1));
    }
    let state = format!("{:?}", sim.system()).len();
    assert!(state < idle + 20_000, "{idle} bytes became {state}");
    assert_eq!(sim.state(), SourceState::Valid);
}

/// A transport that breaks its own contract is no panic and no loop.
#[test]
fn outcomes_out_of_order_are_no_panic() {
    let head = || Reply::head(200).header("content-type", "text/event-stream");
    for reply in [
        Reply::default().bytes("data: x\n\n"),
        Reply::default().end(),
        head().then(full("s1", [on("f1")])).end(),
        head().header("x", "1").then(full("s1", [on("f1")])),
        Reply::custom([fdv2_core::SourceUpdate::Ended]),
        Reply::custom([fdv2_core::SourceUpdate::Unchanged]),
    ] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", reply);
        sim.start().advance(secs(60));
        assert!(sim.asked().len() < 30);
    }
}

/// A clock that goes back or leaps is no panic: the core takes what it is told.
#[test]
fn time_that_leaps_is_no_panic() {
    let mut sim = Sim::new(two_streams());
    sim.start();
    let mut system = sim.system().clone();
    let id = sim.live().expect("an attempt");
    let far = fdv2_core::Instant::from_epoch(secs(100 * 366 * 24 * 3600));
    let end = Outcome::ResponseEnd(Ok(()));
    let back = fdv2_core::Instant::EPOCH;
    for (now, event) in [
        (far, fdv2_core::Event::Tick),
        (back, fdv2_core::Event::Tick),
        (far, fdv2_core::Event::Effect { id, outcome: end }),
        (far, fdv2_core::Event::Shutdown { grace: secs(2) }),
    ] {
        let commands = system.handle(now, event).count();
        assert!(commands < 1000);
    }
}

//! B 8.1 to 8.4, 8.6, 8.7: how connections are paced, timed out and judged.

use std::time::Duration;

use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, millis, poll, secs, stream, streaming};

/// A single stream that always gives this answer, for so long.
fn gaps_of(seed: u64, reply: Reply, time: Duration) -> Vec<Duration> {
    let mut sim = Sim::seeded(config().synchronizer(stream("a")), seed);
    sim.serve_always("a", reply);
    sim.start().advance(time);
    sim.gaps_of("a")
}

/// Each gap lies between the half and the whole of a delay that doubles from `initial` to 30 s.
#[track_caller]
fn assert_backs_off(gaps: &[Duration], initial: Duration) {
    for (n, gap) in gaps.iter().enumerate() {
        let most = (initial * (1 << n.min(16))).min(secs(30));
        assert!(*gap >= most / 2 && *gap <= most, "{n}: {gaps:?}");
    }
}

/// B 8.1, cases F13, F14, F15.
#[test]
fn delays_double_from_one_second_to_thirty() {
    for bad in [Reply::refuse(), Reply::status(500), Reply::stream([]).break_off()] {
        let gaps = gaps_of(1, bad, secs(6000));
        assert!(gaps.len() > 200, "{}", gaps.len());
        assert_backs_off(&gaps, secs(1));
    }
}

/// B 8.1, cases F13: having worked once is no reason to hurry.
#[test]
fn delays_grow_after_a_good_stream_too() {
    let run = |seed| {
        let mut sim = Sim::seeded(config().synchronizer(stream("a")), seed);
        let good = Reply::stream(full("s1", [on("f1")])).break_off();
        sim.serve_in_turn("a", [good, Reply::refuse()]);
        sim.start().advance(secs(30));
        sim.gaps_of("a")
    };
    let gaps = run(1);
    assert!((4..=8).contains(&gaps.len()), "{gaps:?}");
    assert_backs_off(&gaps, secs(1));
    assert_ne!(gaps, run(2), "two clients are not in step");
}

/// B 8.1, 8.2: a clean end and a goodbye wait like a failure (cases P10, F15).
#[test]
fn ends_and_goodbyes_are_paced_like_failures() {
    for end in [
        Reply::stream([]).end(),
        Reply::stream([goodbye()]),
        Reply::stream(full("s1", [on("f1")])).end(),
        Reply::stream(full("s1", [on("f1")])).then([goodbye()]),
        Reply::stream([event("server-intent", "{")]),
        Reply::stream(full("s1", [undecodable("f1")])),
    ] {
        assert_backs_off(&gaps_of(1, end, secs(300)), secs(1));
    }
}

/// B 8.1, cases R06: at random, not in step.
#[test]
fn delays_are_jittered() {
    let firsts: Vec<Duration> =
        (0..200).map(|seed| gaps_of(seed, Reply::refuse(), secs(1))[0]).collect();
    let (least, most) = (firsts.iter().min().unwrap(), firsts.iter().max().unwrap());
    assert!(*most - *least >= millis(300), "{least:?} to {most:?}");
    let gaps = gaps_of(1, Reply::refuse(), secs(1000));
    assert!(gaps[8..].windows(2).any(|pair| pair[0] != pair[1]));
}

/// B 8.1, cases I07: the initial delay is configured, and the first connection does not wait.
#[test]
fn the_initial_delay_can_be_configured() {
    for initial in [millis(1), millis(50), secs(5), secs(30)] {
        let mut sim = Sim::new(config().synchronizer(stream("a").initial_retry_delay(initial)));
        sim.serve_always("a", Reply::refuse());
        sim.start();
        assert_eq!(sim.asked().len(), 1);
        sim.advance(secs(400));
        assert_backs_off(&sim.gaps_of("a"), initial);
    }
}

/// B 8.1.
#[test]
fn the_counter_resets_after_a_minute_of_health() {
    let healthy_for = |time: Duration| {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        let healthy = Reply::stream(full("s1", [on("f1")])).end_after(time);
        let fail = Reply::refuse();
        sim.serve_in_turn("a", [fail.clone(), fail.clone(), fail.clone(), fail, healthy]);
        sim.start().advance(secs(16) + time + secs(31));
        sim.gaps_of("a")[4] - time
    };
    assert!(healthy_for(secs(61)) <= secs(1));
    assert!(healthy_for(secs(59)) >= secs(8));
}

/// B 8.1: health lasts from its first transfer, whatever follows while it lasts.
#[test]
fn further_transfers_do_not_begin_health_anew() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let fail = Reply::refuse();
    let healthy = Reply::stream(full("s1", [on("f1")]))
        .then_after(secs(40), changes("s2", [off("f1")]))
        .end_after(secs(40));
    sim.serve_in_turn("a", [fail.clone(), fail.clone(), fail.clone(), fail, healthy]);
    sim.start().advance(secs(16 + 80 + 31));
    assert!(sim.gaps_of("a")[4] - secs(80) <= secs(1), "{sim:?}");
}

/// B 8.1: health ends when the source is left, here for a directive: the time away is none.
#[test]
fn the_time_after_our_own_leaving_is_no_health() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    let fail = Reply::refuse();
    let directed = Reply::stream(full("s1", [on("f1")])).directive_for(100);
    let replies = [fail.clone(), fail.clone(), fail.clone(), fail.clone(), directed, fail];
    sim.serve_in_turn("a", replies).serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(16 + 100 + 31));
    assert_eq!(sim.gaps_of("a")[4], secs(100));
    assert!(sim.gaps_of("a")[5] >= secs(8), "{sim:?}");
}

/// B 8.1: each source counts for itself.
#[test]
fn a_source_does_not_wait_for_the_failures_of_another() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(stream("b")));
    sim.serve_always("a", Reply::refuse()).serve_always("b", Reply::refuse());
    sim.start().advance(secs(15));
    assert!(sim.gaps_of("b")[0] <= secs(1), "{sim:?}");
}

/// B 8.1, cases F15: a connection that is only open is not healthy.
#[test]
fn an_idle_connection_does_not_reset_the_counter() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let fail = Reply::refuse();
    let idle = Reply::stream([]).repeat(secs(10), 10, ":\n\n").end();
    sim.serve_in_turn("a", [fail.clone(), fail.clone(), fail.clone(), fail, idle, Reply::hang()]);
    sim.start().advance(secs(16 + 100 + 31));
    assert!(sim.gaps_of("a")[4] - secs(100) >= secs(8), "{sim:?}");
}

/// B 8.2.
#[test]
fn a_goodbye_after_a_minute_of_health_waits_the_initial_delay() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.advance(secs(61)).send([goodbye()]);
    let gap = sim.until_asked("a").at.since_epoch() - secs(61);
    assert!(gap >= millis(500) && gap <= secs(1), "{gap:?}");
}

/// B 8.3, cases S09.
#[test]
fn retry_sets_the_initial_delay_within_bounds() {
    for (line, initial) in [
        ("retry: 4000", secs(4)),
        ("retry: 0", millis(100)),
        ("retry: 1", millis(100)),
        ("retry: 86400000", secs(30)),
        ("retry: 3600000", secs(30)),
        ("retry: 99999999999999999999", secs(30)),
        ("retry: 12x", secs(1)),
        ("retry: 1e3", secs(1)),
        ("retry:", secs(1)),
        ("retry: -5", secs(1)),
    ] {
        let gaps = gaps_of(1, Reply::stream([]).bytes(format!("{line}\n\n")).end(), secs(100));
        if line.len() < 20 {
            assert_backs_off(&gaps, initial);
        } else {
            // Ignored or clamped: both are right for a number that no integer holds.
            assert!(gaps[0] >= millis(500) && gaps[0] <= secs(30), "{gaps:?}");
        }
    }
}

/// B 8.3: the bound is one of its own, also where delays may grow further.
#[test]
fn retry_asks_for_half_a_minute_at_most() {
    let configured = config().synchronizer(stream("a"));
    let mut sim = Sim::new(configured.adjust_timing(|timing| timing.max_retry_delay = secs(300)));
    sim.serve_always("a", Reply::stream([]).bytes("retry: 86400000\n\n").end());
    sim.start().advance(secs(31));
    assert_eq!(sim.asked().len(), 2);
}

/// B 8.3, cases S09: no hot loop.
#[test]
fn a_retry_of_zero_is_no_hot_loop() {
    let gaps = gaps_of(1, Reply::stream([]).bytes("retry: 0\n\n").end(), secs(10));
    assert!(gaps.len() < 20, "{gaps:?}");
}

/// B 8.4, cases F17.
#[test]
fn a_stream_that_is_silent_for_five_minutes_is_dead() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.advance(secs(299));
    assert_eq!(sim.state(), SourceState::Valid);
    sim.advance(secs(1));
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    sim.until_asked("a");
    assert!(sim.elapsed() <= secs(301));
}

/// B 8.4, cases F17: any byte is a sign of life, of an unfinished line too.
#[test]
fn any_byte_keeps_a_stream_alive() {
    for bytes in [":\n", ":", "x"] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", Reply::stream(full("s1", [])).repeat(secs(150), 10, bytes));
        sim.start().advance(secs(1500));
        assert_eq!(sim.asked().len(), 1, "{bytes:?}");
        sim.advance(secs(301));
        assert!(sim.asked().len() > 1, "{bytes:?}");
    }
}

/// B 8.6, cases I02.
#[test]
fn an_attempt_without_a_head_ends_after_ten_seconds() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.break_off();
    let asked = sim.until_asked("a").at;
    sim.advance(millis(9999));
    assert!(sim.live().is_some());
    sim.advance(millis(1));
    assert_eq!(sim.live(), None);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.last_error().unwrap().at, asked + secs(10));
    sim.until_asked("a");
}

/// B 8.6: polls alike.
#[test]
fn a_poll_without_a_head_ends_after_ten_seconds() {
    let mut sim = fdv2_tests::sim::polling(full("s1", [on("f1")]));
    sim.advance(secs(39));
    assert!(sim.live().is_some());
    sim.advance(secs(1));
    assert_eq!(sim.live(), None);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.state(), SourceState::Interrupted);
}

/// B 8.6: an open transfer without progress, whatever comments and heartbeats arrive.
#[test]
fn an_open_transfer_without_progress_ends_after_a_minute() {
    let keep_alive = format!(":\n\n{}", sse(&[heartbeat()]));
    for open in [vec![intent("xfer-changes"), put(on("f2"))], vec![put(on("f2"))]] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        let stalled = Reply::stream(full("s1", [on("f1")])).then_after(secs(100), open).repeat(
            secs(5),
            100,
            &keep_alive,
        );
        sim.serve_always("a", stalled);
        sim.start().advance(secs(159));
        assert_eq!(sim.state(), SourceState::Valid);
        sim.advance(secs(1));
        assert_eq!(sim.state(), SourceState::Interrupted);
        assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
        assert_eq!(sim.is_on("f2"), None);
    }
}

/// B 8.6: nor do comments inside of an event help, which are no bytes of it.
#[test]
fn comments_inside_an_event_are_no_progress() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let begun = Reply::stream(full("s1", [on("f1")]))
        .then_after(secs(100), [intent("xfer-changes")])
        .bytes("event: put-object\n");
    sim.serve_always("a", begun.repeat(secs(5), 100, ":\n"));
    sim.start().advance(secs(159));
    assert_eq!(sim.state(), SourceState::Valid);
    sim.advance(secs(1));
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
}

/// B 8.6: a stream between transfers is not one.
#[test]
fn comments_between_transfers_are_enough() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).repeat(secs(30), 100, ":\n\n"));
    sim.start().advance(secs(3000));
    assert_eq!(sim.asked().len(), 1);
}

/// B 8.7, cases S15.
#[test]
fn the_media_type_of_a_stream_may_be_decorated() {
    for good in [
        &["text/event-stream"][..],
        &["text/event-stream; charset=UTF-8"],
        &["text/event-stream;charset=utf-8"],
        &["TEXT/EVENT-STREAM"],
        &["text/event-stream", "text/event-stream"],
        &["text/event-stream, text/event-stream"],
        &[" text/event-stream ;"],
    ] {
        let typed =
            good.iter().fold(Reply::head(200), |reply, one| reply.header("content-type", one));
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", typed.then(full("s1", [on("f1")])));
        sim.start();
        assert_eq!(sim.is_on("f1"), Some(true), "{good:?}");
    }
}

/// B 8.7, cases S15.
#[test]
fn another_media_type_on_a_stream_is_invalid_data() {
    for bad in [None, Some("text/html"), Some("application/json"), Some("text/event-streams")] {
        let head = match bad {
            Some(bad) => Reply::head(200).header("content-type", bad),
            None => Reply::head(200),
        };
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", head.then(full("s1", [on("f1")])));
        sim.start();
        assert_eq!(sim.flags(), [], "{bad:?}");
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData), "{bad:?}");
        assert_eq!(sim.live(), None);
        sim.advance(secs(2));
        assert!(sim.asked().len() > 1);
    }
}

/// B 8.7: the body of another status is not read.
#[test]
fn the_body_of_another_status_is_not_read() {
    for status in [201, 204, 206, 500] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).with_status(status));
        sim.start();
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.last_error().unwrap().status, Some(status));
        assert_eq!(sim.live(), None, "its connection is given back");
    }
}

//! B 3.6 to 3.10: removal, fruitless rounds, giving up.

use std::time::Duration;

use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{ErrorKind, Readiness, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, millis, poll, secs, stream, two_streams};

/// B 3.6, cases F10.
#[test]
fn a_final_status_removes_its_source_at_once_and_for_good() {
    for status in [401, 402, 403, 404, 405, 406, 409, 410, 418, 422, 431, 451, 499] {
        let mut sim = Sim::new(two_streams());
        sim.serve_always("a", Reply::status(status));
        sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
        sim.start();
        assert_eq!(sim.state(), SourceState::Valid, "{status}");
        assert_eq!(sim.elapsed(), secs(0));
        assert_eq!(sim.last_error().unwrap().status, Some(status));
        assert_eq!(sim.error_kind(), Some(ErrorKind::ErrorResponse));
        assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Removed);
        sim.serve_always("b", Reply::refuse());
        sim.break_off().advance(secs(7200));
        assert_eq!(sim.asked_of("a").len(), 1, "{status}");
    }
}

/// B 3.6, cases F10.
#[test]
fn any_other_status_is_retried() {
    for status in [201, 204, 206, 300, 303, 305, 400, 408, 429, 500, 501, 502, 503, 504, 599] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_in_turn("a", [Reply::status(status), Reply::stream(full("s1", []))]);
        sim.start();
        assert_eq!(sim.last_error().unwrap().status, Some(status));
        assert_eq!(sim.error_kind(), Some(ErrorKind::ErrorResponse));
        sim.advance(secs(2));
        assert_eq!(sim.state(), SourceState::Valid, "{status}");
    }
}

/// B 3.6: for polls as for streams.
#[test]
fn a_final_status_of_a_poll_removes_it() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(poll("b")));
    sim.serve_in_turn("a", [Reply::poll(full("s1", [on("f1")])), Reply::status(404)]);
    sim.serve_always("b", Reply::poll(none()));
    sim.start().advance(secs(30));
    assert_eq!(sim.asked_of("b")[0].at.since_epoch(), secs(30));
    sim.advance(secs(3600));
    assert_eq!(sim.asked_of("a").len(), 2);
}

/// B 3.6: a source that was once healthy can be removed too, and is never wrapped around to.
#[test]
fn wrapping_skips_the_removed() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    sim.serve_always("a", Reply::status(401));
    sim.serve_always("b", Reply::hang()).serve_always("c", Reply::hang());
    sim.start().advance(secs(100));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(hosts[..5], ["a", "b", "c", "b", "c"]);
}

/// B 3.6: nor is one chosen that stands between two others.
#[test]
fn the_next_in_the_list_is_one_that_is_left() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    sim.serve_always("a", Reply::hang()).serve_always("c", Reply::hang());
    sim.serve_always("b", Reply::status(401));
    sim.start().advance(secs(35));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(hosts[..4], ["a", "b", "c", "a"]);
    sim.advance(secs(3600));
    assert_eq!(sim.asked_of("b").len(), 1);
}

/// The times at which `a` was come back to, less the twenty seconds on `a` and `b`.
fn pauses(sim: &Sim) -> Vec<Duration> {
    sim.gaps_of("a").into_iter().map(|gap| gap - secs(20)).collect()
}

/// B 3.7.
#[test]
fn a_fruitless_round_pauses_before_the_next() {
    let mut all = Vec::new();
    for seed in 1..=10 {
        let mut sim = Sim::seeded(two_streams(), seed);
        sim.serve_always("a", Reply::hang()).serve_always("b", Reply::hang());
        sim.start().advance(secs(600));
        let pauses = pauses(&sim);
        assert!(pauses.len() > 10, "{pauses:?}");
        for (n, pause) in pauses.iter().enumerate() {
            let most = secs(1 << n.min(6)).min(secs(30));
            assert!(*pause >= most / 2 && *pause <= most, "{n}: {pauses:?}");
        }
        all.push(pauses);
    }
    all.dedup();
    assert!(all.len() > 1, "the pauses are jittered");
}

/// B 3.7: one completed transfer makes the round a fruitful one.
#[test]
fn a_fruitful_round_does_not_pause() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::hang()]);
    sim.serve_always("b", Reply::hang());
    sim.start().advance(secs(241));
    let again = sim.asked_of("b").last().unwrap().at;
    assert!(again.since_epoch() < secs(240));
    let back = sim.asked().last().unwrap();
    assert_eq!((back.host.as_str(), back.at.since_epoch()), ("a", secs(240)));
}

/// B 3.7: the round after a fruitful one is judged by itself.
#[test]
fn a_fruitless_round_after_a_fruitful_one_pauses() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::hang()]);
    sim.serve_always("b", Reply::hang());
    sim.start().advance(secs(482));
    let back = sim.asked().last().unwrap();
    assert_eq!(back.host, "a");
    let pause = back.at.since_epoch() - secs(480);
    assert!(pause >= millis(500) && pause <= secs(1), "{pause:?}");
}

/// B 3.7: a recovery, and the end of a directive, begin a round: what was completed before does not
/// make it fruitful.
#[test]
fn a_round_that_does_not_begin_by_wrapping_is_judged_by_itself() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::hang()]);
    sim.serve_always("b", Reply::stream(none()));
    sim.start().advance(secs(420));
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Recovery);
    sim.serve_always("b", Reply::hang());
    // `a` is on trial for ten seconds, then `b` has its two minutes.
    sim.advance(secs(10 + 120 + 2));
    let pause = sim.asked().last().unwrap().at.since_epoch() - secs(420 + 10 + 120);
    assert_eq!(sim.asked().last().unwrap().host, "a");
    assert!(pause >= millis(500) && pause <= secs(1), "{pause:?}");

    let mut sim = Sim::new(two_streams());
    let directive = Reply::status(500).directive_for(60);
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), directive, Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([])).serve_always("b", Reply::hang());
    sim.start();
    while sim.asked_of("v1").is_empty() {
        sim.advance(secs(1));
    }
    let end = sim.asked_of("v1")[0].at.since_epoch() + secs(60);
    sim.advance_to(sim.asked_of("v1")[0].at + secs(60 + 240 + 2));
    let back = sim.asked().last().unwrap();
    assert_eq!(back.host, "a");
    let pause = back.at.since_epoch() - end - secs(240);
    assert!(pause >= millis(500) && pause <= secs(1), "{pause:?}");
}

/// B 3.7: a completed transfer lets the pauses begin anew.
#[test]
fn pauses_begin_anew_after_a_fruitful_round() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::hang()).serve_always("b", Reply::hang());
    sim.start().advance(secs(400));
    assert!(pauses(&sim).last().unwrap() > &secs(10));
    sim.serve_always("b", Reply::stream(full("s1", [])).break_off());
    while sim.selector().is_none() {
        sim.advance(secs(1));
    }
    sim.serve_always("b", Reply::hang());
    // `b` goes on failing for two minutes, then each has two more: the end of a fruitless round.
    let fruit = sim.snapshot_at();
    sim.advance_to(fruit + secs(362));
    let back = sim.asked_of("a").last().unwrap().at;
    let pause = back.saturating_since(fruit + secs(360));
    assert!(pause >= millis(500) && pause <= secs(1), "{pause:?}\n{sim:?}");
}

/// B 3.5: the only one left by removals is retried for ever.
#[test]
fn the_only_one_left_is_not_left() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::refuse()]);
    sim.serve_always("b", Reply::status(401));
    sim.start().advance(secs(121)).overlook();
    let switches = sim.switches().len();
    sim.advance(secs(3600));
    assert!(sim.asked_of("a").len() > 80);
    assert_eq!(sim.asked_of("b").len(), 1);
    assert_eq!(sim.switches().len(), switches);
}

/// B 3.8, cases C08, F06, F09, I08.
#[test]
fn when_every_source_is_removed_the_system_is_off() {
    let mut sim = Sim::new(two_streams().initializer(poll("i")));
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
    sim.serve_always("a", Reply::status(401)).serve_always("b", Reply::status(403));
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.status().is_last);
    assert_eq!(sim.last_error().unwrap().status, Some(403));
    assert_eq!(sim.live(), None);
    assert_eq!(sim.system().next_deadline(), None);
    assert_eq!(sim.running(), None);
    assert_eq!(sim.is_on("f1"), Some(true), "readers keep their data");
    sim.overlook().advance(secs(36_000)).expect_quiet();
    sim.close();
    assert!(sim.is_stopped());
}

/// B 3.8, 6.4, cases I08, I01.
#[test]
fn giving_up_without_data_tells_the_waiters() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::status(401));
    sim.start();
    let Readiness::Failed(Some(error)) = sim.readiness() else { panic!("{sim:?}") };
    assert_eq!(error.status, Some(401));
    assert_eq!(sim.states(), [SourceState::Initializing, SourceState::Off]);
}

/// B 3.9: a hanging attempt is not doubled (that at most one is live is an invariant).
#[test]
fn a_hanging_attempt_is_not_doubled() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.start().advance(secs(9));
    assert_eq!(sim.asked().len(), 1);
}

/// B 3.10.
#[test]
fn an_etag_survives_switching_away_and_back() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(stream("b")));
    let tagged = Reply::poll(full("s1", [on("f1")])).header("etag", "\"1\"");
    sim.serve_in_turn("a", [tagged, Reply::status(503)]);
    sim.serve_always("b", Reply::stream(none()));
    sim.start().advance(secs(160));
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(1)));
    sim.serve_always("a", Reply::status(304)).overlook();
    let asked = sim.until_asked("a");
    assert_eq!(asked.header("if-none-match"), Some("\"1\""));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 3.10: the first attempt after a switch is immediate, the back-off behind it has grown.
#[test]
fn a_back_off_survives_switching_away_and_back() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [])).break_off(), Reply::refuse()]);
    sim.serve_in_turn("b", [Reply::stream(none()).break_off(), Reply::refuse()]);
    sim.start().advance(secs(240)).overlook();
    let back = sim.asked().last().unwrap();
    assert_eq!((back.host.as_str(), back.at.since_epoch()), ("a", secs(240)));
    let retry = sim.until_asked("a").at.since_epoch() - secs(240);
    assert!(retry >= secs(15), "{retry:?}");
}

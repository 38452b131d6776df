//! B 3.2, 3.3, 3.5: the clock of unhealthiness, and what it leads to.

use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, millis, poll, secs, stream, two_streams};

/// `a` brought data at the start and its stream broke at once; what it answers then is `later`.
fn broken_at_the_start(later: Reply) -> Sim {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).break_off(), later]);
    sim.start();
    assert_eq!(sim.state(), SourceState::Interrupted);
    sim
}

fn first_asked(sim: &Sim, host: &str) -> std::time::Duration {
    let asked = sim.asked_of(host);
    asked.first().unwrap_or_else(|| panic!("{host} was not asked\n{sim:?}")).at.since_epoch()
}

/// Comments and heartbeats, every ten seconds.
fn keep_alives() -> String {
    format!(":\n\n{}", sse(&[heartbeat()]))
}

/// B 3.2.
#[test]
fn comments_heartbeats_and_a_bare_200_are_no_health() {
    let mut sim = broken_at_the_start(Reply::stream([]).repeat(secs(10), 100, &keep_alives()));
    sim.advance(secs(121));
    assert_eq!(first_asked(&sim, "b"), secs(120));
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(1)));
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Fallback);
}

/// B 3.2.
#[test]
fn repeated_failures_do_not_restart_the_clock() {
    for later in [Reply::refuse(), Reply::status(503), Reply::stream([]).end(), Reply::hang()] {
        let mut sim = broken_at_the_start(later);
        sim.advance(secs(121));
        assert_eq!(first_asked(&sim, "b"), secs(120));
    }
}

/// B 3.2.
#[test]
fn a_goodbye_starts_the_clock() {
    let mut sim = Sim::new(two_streams());
    let bye = Reply::stream(full("s1", [on("f1")])).then_after(secs(50), [goodbye()]);
    sim.serve_in_turn("a", [bye, Reply::stream([])]);
    sim.start().advance(secs(200));
    assert_eq!(first_asked(&sim, "b"), secs(170));
}

/// B 3.2.
#[test]
fn an_error_event_starts_the_clock_and_a_completed_transfer_stops_it() {
    let erring = Reply::stream(full("s1", [on("f1")])).then_after(secs(50), [error()]);
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", erring.clone().repeat(secs(10), 20, &keep_alives()));
    sim.start().advance(secs(200));
    assert_eq!(first_asked(&sim, "b"), secs(170));

    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", erring.then_after(secs(100), changes("s2", [off("f1")])));
    sim.start().advance(secs(400));
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.2: an accepted `none` is health.
#[test]
fn an_accepted_none_stops_the_clock() {
    let mut sim = broken_at_the_start(Reply::refuse());
    sim.advance(secs(60));
    sim.serve_always("a", Reply::stream(none()));
    sim.advance(secs(200));
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.2: an accepted 304 is health.
#[test]
fn an_accepted_304_stops_the_clock() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(stream("b")));
    let tagged = Reply::poll(full("s1", [on("f1")])).header("etag", "\"1\"");
    let fail = Reply::status(503);
    sim.serve_in_turn("a", [tagged, fail.clone(), Reply::status(304), fail]);
    sim.start().advance(secs(300));
    assert_eq!(first_asked(&sim, "b"), secs(90 + 120));
    // The poll of that same instant comes after the fallback (B 3.11).
    assert_eq!(sim.asked_of("a").len(), 7);
}

/// B 3.2: it runs from the synchronizer's start. 3.3: with data held it is 120 s.
#[test]
fn a_synchronizer_that_never_speaks_is_left_after_two_minutes_when_data_is_held() {
    for silent in [Reply::hang(), Reply::stream([]), Reply::refuse()] {
        let mut sim = Sim::new(two_streams().initializer(poll("i")));
        sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
        sim.serve_always("a", silent);
        sim.start().advance(secs(121));
        assert_eq!(first_asked(&sim, "b"), secs(120));
    }
}

/// B 3.3, cases F03, I02.
#[test]
fn before_the_first_data_a_synchronizer_without_progress_is_left_after_ten_seconds() {
    for silent in [
        Reply::hang(),
        Reply::stream([]),
        Reply::stream([]).repeat(secs(1), 100, &keep_alives()),
        Reply::refuse(),
        Reply::stream([]).end(),
        Reply::status(503),
        Reply::stream([goodbye()]),
    ] {
        let mut sim = Sim::new(two_streams());
        sim.serve_always("a", silent);
        sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
        sim.start().advance(secs(11));
        assert_eq!(first_asked(&sim, "b"), secs(10));
        assert!(sim.is_ready());
        assert_eq!(sim.state(), SourceState::Valid);
    }
}

/// B 3.3.
#[test]
fn leaving_a_source_that_showed_no_error_records_a_timeout() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::stream([]));
    sim.start().advance(secs(10));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.last_error().unwrap().at.since_epoch(), secs(10));

    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::status(503));
    sim.start().advance(secs(10));
    assert_eq!(sim.last_error().unwrap().status, Some(503), "its own error stays");
}

/// B 3.3, 6.1: leaving alone changes no state.
#[test]
fn leaving_changes_no_state() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::hang()).serve_always("b", Reply::hang());
    sim.start().advance(secs(60));
    assert_eq!(sim.states(), [SourceState::Initializing]);
}

/// B 3.3.
#[test]
fn both_times_can_be_configured() {
    let configured = two_streams().adjust_timing(|timing| {
        timing.first_data_within = secs(2);
        timing.fallback_after = secs(20);
    });
    let mut sim = Sim::new(configured);
    sim.serve_always("a", Reply::hang());
    sim.serve_in_turn("b", [Reply::stream(full("s1", [])).break_off(), Reply::refuse()]);
    sim.start().advance(secs(23));
    let at: Vec<_> = sim.asked_of("a").iter().map(|asked| asked.at.since_epoch()).collect();
    assert_eq!(first_asked(&sim, "b"), secs(2));
    assert_eq!(at, [secs(0), secs(22)]);
}

/// B 3.3: the next in the list follows, wrapping at its end.
#[test]
fn the_list_wraps_at_its_end() {
    let mut sim = Sim::new(two_streams().synchronizer(stream("c")));
    for host in ["a", "b", "c"] {
        sim.serve_always(host, Reply::hang());
    }
    sim.start().advance(secs(32));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.clone()).collect();
    assert_eq!(hosts, ["a", "b", "c", "a"]);
}

/// A transfer that is open, with a put every four seconds.
fn slow_transfer(puts: usize) -> Reply {
    (0..puts).fold(Reply::stream([intent("xfer-full")]), |reply, n| {
        reply.then_after(secs(4), [put(on(&format!("f{n}")))])
    })
}

/// B 3.3.
#[test]
fn the_first_transfer_may_take_its_time_while_it_makes_progress() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", slow_transfer(20).then([transferred("s1", 1)]));
    sim.start().advance(secs(81));
    assert_eq!(sim.flags().len(), 20);
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.3: bytes of one event are progress too.
#[test]
fn a_single_large_event_may_take_its_time_while_its_bytes_come() {
    let event = sse(&[put(on("f1"))]);
    let (first, rest) = event.split_at(60);
    let slow = Reply::stream([intent("xfer-full")]).bytes(first.to_owned());
    let slow = rest.bytes().fold(slow, |reply, byte| reply.bytes_after(millis(300), vec![byte]));
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", slow.then([transferred("s1", 1)]));
    sim.start().advance(secs(100));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.3.
#[test]
fn fallback_waits_for_a_transfer_that_makes_progress() {
    let mut sim = broken_at_the_start(slow_transfer(40).then([transferred("s2", 2)]));
    sim.advance(secs(165));
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.asked_of("b").len(), 0);
}

/// B 3.3: progress is at least once in five seconds.
#[test]
fn fallback_waits_no_longer_than_the_progress() {
    let mut sim = broken_at_the_start(slow_transfer(32));
    sim.advance(secs(160));
    let asked = sim.asked_of("a");
    let last_put = asked[1].at.since_epoch() + secs(32 * 4);
    assert!(last_put > secs(120));
    assert_eq!(first_asked(&sim, "b"), last_put + secs(5));
}

/// B 3.3: at most five minutes in all.
#[test]
fn fallback_waits_five_minutes_in_all() {
    let mut sim = broken_at_the_start(slow_transfer(1000));
    sim.advance(secs(500));
    assert_eq!(first_asked(&sim, "b"), secs(120 + 300));

    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", slow_transfer(1000));
    sim.start().advance(secs(500));
    assert_eq!(first_asked(&sim, "b"), secs(10 + 300));
}

/// B 3.3: before the first data the ten seconds count from the last progress, also when what made it
/// has come to nothing.
#[test]
fn before_the_first_data_each_progress_gives_ten_more_seconds() {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [slow_transfer(2).break_off(), Reply::hang()]);
    sim.start().advance(secs(30));
    assert_eq!(first_asked(&sim, "b"), secs(8 + 10));
}

/// B 3.3: a transfer that has only just begun is waited for, too.
#[test]
fn before_the_first_data_a_transfer_that_begins_late_is_waited_for() {
    let late = Reply::stream([]).then_after(secs(9), [intent("xfer-full")]);
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", late.clone().then_after(secs(4), [put(on("f1")), transferred("s1", 1)]));
    sim.start().advance(secs(14));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.asked_of("b").len(), 0);

    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", late);
    sim.start().advance(secs(20));
    assert_eq!(first_asked(&sim, "b"), secs(9 + 5));
}

/// B 3.5.
#[test]
fn a_single_synchronizer_is_retried_for_ever() {
    for bad in [Reply::refuse(), Reply::hang(), Reply::status(503), Reply::stream([]).end()] {
        let mut sim = Sim::new(config().synchronizer(stream("a")));
        sim.serve_always("a", bad);
        sim.start().advance(secs(3600));
        assert!(sim.asked().len() > 80, "{}", sim.asked().len());
        assert_eq!(sim.switches().len(), 1);
        sim.serve_always("a", Reply::stream(full("s1", [on("f1")])));
        sim.advance(secs(60));
        assert_eq!(sim.state(), SourceState::Valid);
    }
}

/// B 3.5: there is no recovery either.
#[test]
fn a_single_healthy_synchronizer_is_not_restarted() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).repeat(secs(100), 30, ":\n"));
    sim.start().advance(secs(3000));
    assert_eq!(sim.asked().len(), 1);
}

/// B 3.5.
#[test]
fn an_attempt_of_the_single_one_that_stays_unhealthy_for_two_minutes_is_ended() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let idle = Reply::stream([]).repeat(secs(10), 100, &keep_alives());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).end(), idle]);
    sim.start().advance(secs(115));
    assert_eq!(sim.asked().len(), 2);
    assert!(sim.live().is_some());
    sim.advance(secs(7));
    assert_eq!(sim.live(), None);
    assert!(sim.last_error().unwrap().at.since_epoch() >= secs(120));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
    assert_eq!(sim.state(), SourceState::Interrupted);
    // It is retried, and each attempt gets its time.
    sim.advance(secs(600));
    let gaps = sim.gaps_of("a");
    assert!(gaps[2..].iter().all(|gap| *gap >= secs(119) && *gap <= secs(151)), "{gaps:?}");
}

/// B 3.3, 3.5: the only one, too, is given its time while its transfer makes progress.
#[test]
fn an_attempt_of_the_single_one_is_not_ended_while_its_transfer_makes_progress() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let slow = slow_transfer(40).then([transferred("s2", 2)]);
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).break_off(), slow]);
    sim.start().advance(secs(165));
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.asked().len(), 2);
}

/// B 3.5: what an attempt had of health does not count against it.
#[test]
fn an_attempt_of_the_single_one_that_was_healthy_gets_its_two_minutes_from_the_first_trouble() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let healthy = Reply::stream(full("s1", [on("f1")])).then_after(secs(200), [error()]);
    sim.serve_in_turn("a", [healthy.repeat(secs(10), 100, &keep_alives()), Reply::hang()]);
    sim.start().advance(secs(319));
    assert_eq!(sim.state(), SourceState::Valid);
    sim.advance(secs(1));
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.last_error().unwrap().at.since_epoch(), secs(320));
}

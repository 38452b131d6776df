//! B 5.4 to 5.6: how long the fallback lasts, and what ends it.

use std::time::Duration;

use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{Readiness, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, two_streams};
use serde_json::{Value, json};

/// Sends the directive with this header at the start; returns when `a` was asked again.
fn return_after(seed: u64, ttl: Option<&str>) -> Duration {
    let mut sim = Sim::seeded(config().synchronizer(stream("a")).fdv1(poll("v1")), seed);
    let directive = Reply::status(500).directive();
    let directive = match ttl {
        Some(ttl) => directive.header("X-LD-FD-Fallback-TTL", ttl),
        None => directive,
    };
    sim.serve_in_turn("a", [directive, Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(3605));
    sim.gaps_of("a")[0]
}

/// B 5.4.
#[test]
fn a_time_within_an_hour_is_used_as_sent() {
    for seconds in [1, 60, 3599, 3600] {
        assert_eq!(return_after(1, Some(&seconds.to_string())), secs(seconds));
    }
    assert_eq!(return_after(1, Some(" 60 ")), secs(60));
}

/// B 5.4, cases V07.
#[test]
fn any_other_time_is_random_between_half_an_hour_and_an_hour() {
    let bad = [
        None,
        Some("0"),
        Some("-5"),
        Some("abc"),
        Some("1e3"),
        Some("1.5"),
        Some(""),
        Some("3601"),
        Some("99999999999999999999"),
    ];
    for ttl in bad {
        let after = return_after(1, ttl);
        assert!(after >= secs(1800) && after <= secs(3600), "{ttl:?}: {after:?}");
    }
    let mut random: Vec<Duration> = (0..10).map(|seed| return_after(seed, None)).collect();
    random.sort();
    assert!(random[9] - random[0] > secs(300), "{random:?}");
    assert!(random[0] >= secs(1800) && random[9] <= secs(3600), "{random:?}");
}

/// Sends a goodbye with this value after a directive-less start; returns when `a` is asked again.
fn return_after_goodbye(ttl: Value) -> Duration {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    let bye = Reply::stream(full("s1", [on("f1")])).then_after(secs(100), [goodbye_to_fdv1(ttl)]);
    sim.serve_in_turn("a", [bye, Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(3705));
    sim.gaps_of("a")[0] - secs(100)
}

/// B 5.4.
#[test]
fn a_goodbyes_time_counts_from_the_goodbye() {
    assert_eq!(return_after_goodbye(json!(45)), secs(45));
    assert_eq!(return_after_goodbye(json!(3600)), secs(3600));
    for bad in [json!(0), json!(-1), json!(3601), json!("60"), json!(1.5), json!([]), json!(true)] {
        let after = return_after_goodbye(bad.clone());
        assert!(after >= secs(1800) && after <= secs(3600), "{bad}: {after:?}");
    }
}

/// B 5.4: the goodbye's value goes before the header's.
#[test]
fn a_goodbyes_time_goes_before_the_headers() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).fdv1(poll("v1")));
    let events = full("s1", [on("f1")]).into_iter().chain([goodbye_to_fdv1(json!(40))]);
    sim.serve_in_turn("a", [Reply::poll(events).directive_for(90), Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(100));
    assert_eq!(sim.gaps_of("a")[0], secs(40));
}

/// B 5.4: counted from the moment the directive takes effect.
#[test]
fn the_time_counts_from_when_the_directive_takes_effect() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    let late = Reply::stream([]).directive_for(60).then_after(secs(7), full("s1", []));
    sim.serve_in_turn("a", [late, Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(70));
    assert_eq!(sim.gaps_of("a")[0], secs(67));
}

/// B 5.4: the first synchronizer that was not removed, and never an initializer.
#[test]
fn the_first_synchronizer_not_removed_starts_when_it_ends() {
    let mut sim = Sim::new(two_streams().initializer(poll("i")));
    sim.serve_always("i", Reply::status(503)).serve_always("a", Reply::status(401));
    sim.serve_in_turn("b", [Reply::status(500).directive_for(60), Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(60));
    let count = |host: &str| sim.asked_of(host).len();
    assert_eq!([count("i"), count("a"), count("b")], [1, 1, 2]);
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(1)));
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::DirectiveEnded);
}

/// B 5.4: from the second synchronizer it leads back to the first.
#[test]
fn it_leads_back_to_the_first_synchronizer() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::hang());
    sim.serve_always("b", Reply::stream(full("s1", [])).directive_for(60));
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(70));
    let hosts: Vec<_> = sim.asked().iter().map(|asked| asked.host.as_str()).collect();
    assert_eq!(hosts, ["a", "b", "v1", "v1", "a"], "{sim:?}");
}

/// B 5.4: an initializer's directive ends in a synchronizer.
#[test]
fn after_an_initializers_directive_a_synchronizer_starts() {
    let configured = config()
        .initializer(poll("i1"))
        .initializer(poll("i2"))
        .synchronizer(stream("a"))
        .fdv1(poll("v1"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i1", Reply::status(500).directive_for(60));
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(60));
    assert_eq!(sim.asked_of("i1").len(), 1);
    assert_eq!(sim.asked_of("i2").len(), 0);
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(0)));
}

/// B 5.4: if none is left, FDv1 goes on.
#[test]
fn without_a_synchronizer_fdv1_goes_on() {
    let mut sim = Sim::new(config().initializer(poll("i")).fdv1(poll("v1")));
    sim.serve_always("i", Reply::status(500).directive_for(60));
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(301));
    assert_eq!(sim.asked_of("v1").len(), 11);
    assert_eq!(sim.running(), Some(SourceId::Fdv1));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 5.4, 3.9: an FDv1 poll that is under way is cut short.
#[test]
fn the_end_cuts_an_fdv1_poll_short() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_in_turn("a", [Reply::status(500).directive_for(35), Reply::hang()]);
    sim.serve_in_turn("v1", [Reply::fdv1([on("f1")]), Reply::head(200).bytes("{\"flags\":{")]);
    sim.start().advance(secs(35));
    assert_eq!(sim.asked_of("a").len(), 2);
    assert_eq!(sim.running(), Some(SourceId::Synchronizer(0)));
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 5.4: a new directive after the end is obeyed anew.
#[test]
fn the_directive_can_come_again() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("a", Reply::status(500).directive_for(45));
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(100));
    let at: Vec<_> = sim.asked_of("a").iter().map(|asked| asked.at.since_epoch()).collect();
    assert_eq!(at, [secs(0), secs(45), secs(90)]);
}

/// B 5.5, cases V09, F06.
#[test]
fn without_an_fdv1_source_the_system_is_off_until_it_ends() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let directive = Reply::stream(full("s1", [on("f1")])).directive_for(600);
    sim.serve_in_turn("a", [directive, Reply::stream(none())]);
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(!sim.status().is_last, "the status goes on after 5.5");
    assert!(sim.last_error().is_some(), "the reason");
    assert_eq!(sim.live(), None);
    assert_eq!(sim.running(), None);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert!(sim.is_ready());
    sim.overlook().advance(secs(599)).expect_quiet();
    sim.advance(secs(1));
    assert_eq!(sim.expect("a").basis(), Some("s1"));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 5.5, 6.4: without data the waiters are told, with the status of the response.
#[test]
fn without_an_fdv1_source_and_data_the_wait_fails() {
    let configured = config().initializer(poll("i")).synchronizer(stream("a"));
    let mut sim = Sim::new(configured);
    sim.serve_always("i", Reply::status(403).directive_for(100));
    sim.start();
    assert_eq!(sim.states(), [SourceState::Initializing, SourceState::Off]);
    let Readiness::Failed(Some(error)) = sim.readiness() else { panic!("{sim:?}") };
    assert_eq!(error.status, Some(403));
    sim.overlook().advance(secs(100));
    sim.expect("a");
    assert_eq!(sim.state(), SourceState::Off, "left only to VALID or INTERRUPTED");
    sim.reply(Reply::stream(full("s1", [on("f1")])));
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 6.4: the directive ends the initializers, so data without a selector is enough to be ready.
#[test]
fn without_an_fdv1_source_what_an_initializer_brought_makes_ready() {
    let configured = config().initializer(poll("i1")).initializer(poll("i2"));
    let mut sim = Sim::new(configured.synchronizer(stream("a")));
    sim.serve_always("i1", Reply::poll(full("s1", [on("f1"), undecodable("f2")])));
    sim.serve_always("i2", Reply::status(503).directive_for(100));
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.is_ready(), "{sim:?}");
}

/// B 5.4, 5.5, cases V05: one deadline at most.
#[test]
fn without_an_fdv1_source_the_return_is_not_put_off() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.serve_always("a", Reply::status(500).directive_for(10));
    sim.start().advance(secs(35));
    let at: Vec<_> = sim.asked_of("a").iter().map(|asked| asked.at.since_epoch()).collect();
    assert_eq!(at, [secs(0), secs(10), secs(20), secs(30)]);
}

/// B 5.6, cases V04: a removed FDv1 source does not cancel the return, and is gone for good.
#[test]
fn a_removed_fdv1_source_leaves_the_system_off_until_the_return() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    let directive = Reply::stream(full("s1", [on("f1")])).directive_for(60);
    sim.serve_in_turn("a", [directive, Reply::stream(none())]);
    sim.serve_always("v1", Reply::status(401));
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert_eq!(sim.last_error().unwrap().status, Some(401));
    assert!(!sim.status().is_last);
    assert_eq!(sim.is_on("f1"), Some(true));
    sim.overlook().advance(secs(59)).expect_quiet();
    sim.advance(secs(1));
    sim.expect("a");
    assert_eq!(sim.state(), SourceState::Valid);
    // Later directives find no FDv1 source.
    sim.send([goodbye_to_fdv1(json!(30))]);
    assert_eq!(sim.state(), SourceState::Off);
    sim.advance(secs(29)).expect_quiet();
    sim.advance(secs(1));
    sim.expect("a");
    assert_eq!(sim.asked_of("v1").len(), 1);
}

/// B 5.6, 3.8: with every synchronizer removed too, it is over.
#[test]
fn without_any_source_left_the_end_of_the_directive_is_the_end() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_in_turn("a", [Reply::status(500).directive_for(60), Reply::status(401)]);
    sim.serve_always("v1", Reply::status(401));
    sim.start().advance(secs(60));
    assert_eq!(sim.asked_of("a").len(), 2);
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.status().is_last, "{sim:?}");
    sim.overlook().advance(secs(7200)).expect_quiet();
}

/// B 5.6, 3.8: where there never was a synchronizer, the end of FDv1 is the end of all.
#[test]
fn without_a_synchronizer_a_removed_fdv1_source_is_the_end() {
    let mut sim = Sim::new(config().initializer(poll("i")).fdv1(poll("v1")));
    sim.serve_always("i", Reply::status(500).directive_for(60));
    sim.serve_always("v1", Reply::status(401));
    sim.start();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.status().is_last, "{sim:?}");
    sim.overlook().advance(secs(7200)).expect_quiet();
}

/// B 5.5, 6.8: with initializers only there is nothing to resume: they are through when it ends.
#[test]
fn without_a_synchronizer_the_end_of_the_directive_is_the_end_of_the_initializers() {
    for (events, state) in [
        (vec![], SourceState::Off),
        (full("s1", [on("f1")]).into_iter().collect(), SourceState::Valid),
    ] {
        let mut sim = Sim::new(config().initializer(poll("i"))).idle_is_fine();
        sim.serve_always("i", Reply::poll(events).directive_for(60));
        sim.start();
        assert_eq!(sim.state(), SourceState::Off);
        assert!(!sim.status().is_last, "{sim:?}");
        sim.overlook().advance(secs(60));
        assert_eq!(sim.state(), state);
        assert_eq!(sim.status().is_last, state == SourceState::Off);
        assert_eq!(sim.system().next_deadline(), None);
    }
}

/// B 3.11, 5.3: no fallback, no recovery while FDv1 runs.
#[test]
fn fdv1_knows_no_fallback_and_no_recovery() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::status(500).directive_for(3000));
    sim.serve_in_turn("v1", [Reply::fdv1([on("f1")]), Reply::status(503)]);
    sim.start().advance(secs(2999));
    assert_eq!(sim.asked_of("a").len(), 1);
    assert_eq!(sim.asked_of("b").len(), 0);
    assert_eq!(sim.state(), SourceState::Interrupted);
}

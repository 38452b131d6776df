//! Rules that meet: what one of them is about happens in the midst of another.

use fdv2_core::config::StoreMode;
use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, two_streams};
use serde_json::json;

const A: Option<SourceId> = Some(SourceId::Synchronizer(0));
const B: Option<SourceId> = Some(SourceId::Synchronizer(1));

/// `a` brings data and breaks for good at 0 s; `b` takes over at 120 s and is healthy.
fn on_b() -> Sim {
    let mut sim = Sim::new(two_streams());
    sim.serve_in_turn("a", [Reply::stream(full("s1", [on("f1")])).break_off(), Reply::refuse()]);
    sim.serve_always("b", Reply::stream(none()));
    sim.start().advance(secs(120)).overlook();
    assert_eq!(sim.running(), B);
    sim
}

/// B 3.4, 3.11, 5.2: the trial of a recovery and the wait of a directive end on one instant, and
/// the directive goes first. It survives what it was waiting in.
#[test]
fn a_directive_that_waits_in_the_trial_of_a_recovery_ends_the_trial() {
    let mut sim = on_b();
    sim.serve_always("a", Reply::stream([]).directive_for(60));
    sim.serve_always("v1", Reply::fdv1([off("f1")]));
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(420));
    sim.serve_always("a", Reply::stream(full("s2", [on("f1")])));
    assert_eq!(sim.until_asked("v1").at.since_epoch(), secs(430));
    assert_eq!(sim.is_on("f1"), Some(false));
    sim.until_asked("v1");
    // The poll of the same instant comes after the end of the directive's time.
    assert_eq!(sim.until_asked("a").at.since_epoch(), secs(490));
    assert_eq!((sim.running(), sim.is_on("f1")), (A, Some(true)));
    assert_eq!(sim.asked_of("v1").len(), 2);
}

/// B 4.2, 3.10: a tag outlives a turn of another source, unless that brings other data.
#[test]
fn a_tag_outlives_a_turn_of_another_source_that_brings_nothing_else() {
    for (said, tag, state) in [(none(), Some("1"), "s1"), (changes("s2", [off("f1")]), None, "s2")]
    {
        let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(stream("b")));
        let first = Reply::poll(full("s1", [on("f1")])).header("etag", "1");
        sim.serve_in_turn("a", [first, Reply::refuse()]);
        sim.serve_always("b", Reply::stream(said));
        sim.start().advance(secs(200)).overlook();
        assert_eq!(sim.running(), B);
        sim.serve_always("a", Reply::status(304));
        let asked = sim.until_asked("a");
        assert_eq!((asked.header("if-none-match"), asked.basis()), (tag, Some(state)));
        // Without a tag a 304 is a failure (B 4.2), and the trial fails (B 3.4).
        sim.advance(secs(10));
        assert_eq!(sim.running(), if tag.is_some() { A } else { B });
    }
}

/// B 3.5: with the other one removed, the one that is left is retried for ever.
#[test]
fn the_last_of_two_is_not_left() {
    let mut sim = Sim::new(two_streams());
    sim.serve_always("a", Reply::status(401));
    sim.serve_in_turn("b", [Reply::stream(full("s1", [on("f1")])).break_off(), Reply::stream([])]);
    sim.start().advance(secs(3)).overlook();
    assert_eq!((sim.running(), sim.asked_of("b").len()), (B, 2));
    sim.advance(secs(700));
    assert_eq!((sim.running(), sim.asked_of("a").len()), (B, 1));
    let gaps = sim.gaps_of("b");
    assert!(gaps[1..].iter().all(|gap| (secs(120)..=secs(150)).contains(gap)), "{gaps:?}");
}

/// B 4.5, 5.1: a goodbye in a poll's body counts when the body has ended whole, and not before.
#[test]
fn a_directive_in_a_body_that_breaks_is_none() {
    let events: Vec<_> =
        full("s1", [on("f1")]).into_iter().chain([goodbye_to_fdv1(json!(60))]).collect();
    let body = poll_body(&events);
    let (most, _) = body.split_at(body.len() - 1);
    let mut sim = Sim::new(config().synchronizer(poll("a")).fdv1(poll("v1")));
    sim.start().expect("a");
    sim.reply(Reply::body(most.to_owned()));
    assert_eq!((sim.error_kind(), sim.snapshot().is_none()), (Some(ErrorKind::InvalidData), true));
    sim.until_asked("a");
    sim.reply(Reply::body(body.clone()));
    sim.expect("v1");
    assert_eq!(sim.selector(), Some("s1"));
}

/// B 1.15, 5.2: what is salvaged from a body is applied before its directive takes effect.
#[test]
fn a_salvaged_body_can_carry_a_directive() {
    let events = full("s1", [on("f1"), undecodable("f2")]).into_iter();
    let mut sim = Sim::new(config().synchronizer(poll("a")).fdv1(poll("v1")));
    sim.start().expect("a");
    sim.reply(Reply::poll(events.chain([goodbye_to_fdv1(json!(60))])));
    assert_eq!((sim.is_on("f1"), sim.selector(), sim.is_ready()), (Some(true), None, true));
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    sim.expect("v1");
    assert_eq!(sim.until_asked("v1").at.since_epoch(), secs(30));
    assert_eq!(sim.until_asked("a").basis(), None);
    assert_eq!(sim.elapsed(), secs(60));
}

/// B 1.15, 1.5: once a whole set has followed a salvage, nothing is salvaged any more.
#[test]
fn salvage_then_a_whole_set_then_an_error() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    sim.start().expect("a");
    sim.reply(Reply::stream(full("s1", [on("f1"), undecodable("f2")])));
    sim.until_asked("a");
    sim.reply(Reply::stream(full("s2", [off("f1")])));
    assert_eq!((sim.selector(), sim.state()), (Some("s2"), SourceState::Valid));
    sim.send([intent("xfer-full"), put(on("f3")), error(), put(on("f4")), transferred("s3", 3)]);
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f4".to_owned(), true)]);
    sim.send([intent("xfer-full"), put(undecodable("f1"))]);
    assert_eq!((sim.live(), sim.selector()), (None, Some("s3")));
    assert_eq!(sim.until_asked("a").basis(), Some("s3"));
}

/// B 6.6: the newest response with valid data counts, whichever source it is of.
#[test]
fn the_environment_id_follows_valid_data_alone() {
    let id = |reply: Reply, id| reply.header("x-ld-envid", id);
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    let salvaged = Reply::stream(full("s1", [on("f1"), undecodable("f2")]));
    sim.serve_in_turn(
        "a",
        [
            id(Reply::status(503), "failed"),
            id(salvaged, "salvaged"),
            id(Reply::stream(full("s1", [on("f1")])), "a")
                .then_after(secs(5), [goodbye_to_fdv1(json!(60))]),
            Reply::stream(full("s2", [on("f1")])),
        ],
    );
    sim.serve_in_turn("v1", [id(Reply::fdv1([on("f1")]), "v1"), id(Reply::status(500), "no")]);
    sim.start();
    while sim.snapshot().is_none_or(|data| data.selector().is_none()) {
        assert_eq!(sim.environment_id(), None);
        sim.advance_to_next();
    }
    assert_eq!(sim.environment_id(), Some("a"));
    sim.advance(secs(40));
    assert_eq!((sim.environment_id(), sim.asked_of("v1").len()), (Some("v1"), 2));
    sim.advance(secs(60));
    assert_eq!((sim.environment_id(), sim.selector()), (Some("v1"), Some("s2")));
}

/// B 5.4, 3.11: a process that slept through a directive's time goes back to the synchronizer; what
/// else was overdue is given up at once.
#[test]
fn a_sleep_through_the_time_of_a_directive_ends_it() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_in_turn("a", [Reply::status(500).directive_for(3600), Reply::hang()]);
    sim.serve_always("v1", Reply::fdv1([on("f1")]));
    sim.start().advance(secs(10));
    sim.sleep_through(secs(100_000));
    assert_eq!((sim.running(), sim.asked_of("a").len()), (A, 2));
    assert_eq!(sim.switches().last().unwrap().why, SwitchReason::DirectiveEnded);
    assert!(sim.asked_of("v1").len() <= 2, "{sim:?}");
}

/// B 3.11, 10.2, 5.4: the end of a directive's time asks nobody while closing waits for the store,
/// also on the instant on which that wait is over.
#[test]
fn nothing_is_asked_while_closing_waits_for_the_store() {
    let configured = config().synchronizer(stream("a")).fdv1(poll("v1"));
    let mut sim = Sim::new(configured.store(StoreMode::ReadWrite));
    sim.store_mut().take(secs(100));
    sim.serve_always("a", Reply::stream(full("s1", [on("f1")])).directive_for(3));
    sim.serve_always("v1", Reply::fdv1([off("f1")]));
    sim.start().advance(secs(1)).overlook();
    sim.close();
    assert!(!sim.is_stopped(), "the write is under way");
    sim.advance(secs(2)).expect_quiet();
    assert!(sim.is_stopped());
}

//! B 4.1, 4.2: when polls go out, and their ETags.

use fdv2_core::effect::Update;
use fdv2_core::status::{ErrorKind, SourceState};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, millis, poll, polling, secs, stream};

/// The times of the polls of `a`, in milliseconds.
fn times(sim: &Sim) -> Vec<u128> {
    sim.asked_of("a").iter().map(|asked| asked.at.since_epoch().as_millis()).collect()
}

fn good() -> Reply {
    Reply::poll(full("s1", [on("f1")]))
}

fn tagged(tag: &str, items: [Item; 1]) -> Reply {
    Reply::poll(full("s1", items)).header("etag", tag)
}

/// The `If-None-Match` of every poll of `a`.
fn tags(sim: &Sim) -> Vec<Option<String>> {
    let asked = sim.asked_of("a");
    asked.iter().map(|asked| asked.header("if-none-match").map(str::to_owned)).collect()
}

/// B 4.1.
#[test]
fn the_first_poll_is_immediate_and_later_ones_keep_the_interval() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", good());
    sim.start().advance(secs(95));
    assert_eq!(times(&sim), [0, 30_000, 60_000, 90_000]);
}

/// B 4.1.
#[test]
fn polls_are_timed_from_the_start_of_the_one_before() {
    let mut sim = Sim::new(config().synchronizer(poll("a").interval(secs(45))));
    let slow = Reply::head(200).late(secs(7)).bytes_after(secs(7), poll_body(&full("s1", [])));
    sim.serve_always("a", slow.end_after(secs(6)));
    sim.start().advance(secs(100));
    assert_eq!(times(&sim), [0, 45_000, 90_000]);
}

/// B 4.1: polls never overlap, and one that took longer than the interval is followed at once.
#[test]
fn polls_never_overlap() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let slow = Reply::head(200).repeat(secs(20), 2, " ").bytes(poll_body(&full("s1", [])));
    sim.serve_always("a", slow.end());
    sim.start().advance(secs(130));
    assert_eq!(times(&sim), [0, 40_000, 80_000, 120_000]);
}

/// B 4.1.
#[test]
fn a_smaller_interval_is_raised_to_thirty_seconds() {
    for interval in [millis(1), secs(15), secs(29)] {
        let mut sim = Sim::new(config().synchronizer(poll("a").interval(interval)));
        sim.serve_always("a", good());
        sim.start().advance(secs(31));
        assert_eq!(times(&sim), [0, 30_000]);
    }
}

/// B 4.1.
#[test]
fn the_least_interval_can_be_lowered() {
    let configured = config()
        .synchronizer(poll("a").interval(millis(1)))
        .adjust_timing(|timing| timing.min_poll_interval = secs(5));
    let mut sim = Sim::new(configured);
    sim.serve_always("a", good());
    sim.start().advance(secs(11));
    assert_eq!(times(&sim), [0, 5000, 10_000]);
}

/// B 4.1, cases E06.
#[test]
fn a_failed_poll_waits_for_the_next_interval() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let html = Reply::head(200).header("content-type", "text/html").bytes("<html>").end();
    let cut = Reply::head(200).bytes("{\"events\":[").break_off();
    let bad = [Reply::refuse(), Reply::status(500), html, cut, Reply::status(304)];
    let last = Reply::poll(full("s2", [off("f1")]));
    sim.serve_in_turn("a", [good()].into_iter().chain(bad).chain([last]));
    sim.start().advance(secs(181));
    assert_eq!(times(&sim), [0, 30_000, 60_000, 90_000, 120_000, 150_000, 180_000]);
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 4.1: a poll that hangs is ended in time for the next.
#[test]
fn a_hanging_poll_waits_for_the_next_interval() {
    let mut sim = polling(full("s1", [on("f1")]));
    sim.serve_always("a", Reply::hang());
    sim.advance(secs(61));
    assert_eq!(times(&sim), [0, 30_000, 60_000]);
}

/// B 4.1.
#[test]
fn a_goodbye_in_a_poll_waits_for_the_next_interval() {
    let mut events = full("s1", [on("f1")]);
    events.push(goodbye());
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", Reply::poll(events));
    sim.start().advance(secs(61));
    assert_eq!(times(&sim), [0, 30_000, 60_000]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Interrupted, "it was the last that was said");
    assert_eq!(sim.last_error(), None);
}

/// B 4.1: also before the first data, for it is no failure.
#[test]
fn before_the_first_data_a_goodbye_waits_for_the_next_interval() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", Reply::poll([goodbye()]));
    sim.start().advance(secs(61));
    assert_eq!(times(&sim), [0, 30_000, 60_000]);
    assert_eq!(sim.last_error(), None);
}

/// B 4.1: while no data is held the back-off goes first where it is shorter.
#[test]
fn before_the_first_data_a_failed_poll_is_retried_sooner() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_always("a", Reply::status(503));
    sim.start().advance(secs(200));
    let gaps = sim.gaps_of("a");
    for (n, gap) in gaps.iter().enumerate() {
        let most = secs(1 << n.min(6)).min(secs(30));
        assert!(*gap >= most / 2 && *gap <= most, "{n}: {gaps:?}");
    }
    assert!(gaps.len() >= 8);
}

/// B 4.1: the interval is the longest wait before the first data too.
#[test]
fn a_short_interval_bounds_the_wait_before_the_first_data() {
    let configured = config()
        .synchronizer(poll("a").interval(secs(3)))
        .adjust_timing(|timing| timing.min_poll_interval = secs(3));
    let mut sim = Sim::new(configured);
    sim.serve_always("a", Reply::status(503));
    sim.start().advance(secs(60));
    let gaps = sim.gaps_of("a");
    assert!(gaps.iter().all(|gap| *gap <= secs(3)), "{gaps:?}");
}

/// B 4.1, cases E11.
#[test]
fn polling_goes_on_after_switching_away_and_back() {
    let mut sim = Sim::new(config().synchronizer(stream("a")).synchronizer(poll("b")));
    sim.serve_always("a", Reply::hang()).serve_always("b", good());
    sim.start().advance(secs(700));
    let polls: Vec<u64> =
        sim.asked_of("b").iter().map(|asked| asked.at.since_epoch().as_secs()).collect();
    assert_eq!(polls[..3], [10, 40, 70]);
    assert!(polls.windows(2).all(|pair| pair[1] - pair[0] <= 41), "{polls:?}");
    assert_eq!(sim.asked_of("a").len(), 3, "{sim:?}");
}

/// B 4.2, cases E01.
#[test]
fn a_304_to_a_tag_means_that_the_data_is_current() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", [tagged("\"v1\"", [on("f1")]), Reply::status(304)]);
    sim.start();
    sim.announced();
    let snapshots = sim.snapshots();
    sim.advance(secs(100));
    assert_eq!(
        tags(&sim),
        [None, Some("\"v1\"".into()), Some("\"v1\"".into()), Some("\"v1\"".into())]
    );
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.last_error(), None);
    assert_eq!(sim.snapshots(), snapshots);
    assert!(sim.announced().is_empty());
}

/// B 4.2: also after a failure between.
#[test]
fn a_304_ends_an_interruption() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", [tagged("1", [on("f1")]), Reply::status(503), Reply::status(304)]);
    sim.start().advance(secs(30));
    assert_eq!(sim.state(), SourceState::Interrupted);
    sim.advance(secs(30));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 4.2, cases E02.
#[test]
fn tags_are_sent_back_verbatim_and_an_empty_one_is_none() {
    for (tag, sent) in [
        ("", None),
        ("  ", None),
        ("W/\"a\"", Some("W/\"a\"")),
        ("bare", Some("bare")),
        ("\"\"", Some("\"\"")),
    ] {
        let mut sim = Sim::new(config().synchronizer(poll("a")));
        sim.serve_always("a", tagged(tag, [on("f1")]));
        sim.start().advance(secs(31));
        assert_eq!(tags(&sim)[1].as_deref(), sent, "{tag:?}");
    }
}

/// B 4.2, cases E02: after a 304 the data is that which came with the tag.
#[test]
fn a_200_without_a_tag_drops_the_old_tag() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    let mut turn = 0;
    sim.serve("a", move |asked| {
        turn += 1;
        match turn {
            1 => tagged("\"v1\"", [off("f1")]),
            2 => Reply::poll(full("s2", [on("f1")])),
            _ if asked.header("if-none-match") == Some("\"v1\"") => Reply::status(304),
            _ => tagged("\"v1\"", [off("f1")]),
        }
    });
    sim.start().advance(secs(31));
    assert_eq!(sim.is_on("f1"), Some(true));
    sim.advance(secs(30));
    assert_eq!(sim.is_on("f1"), Some(false));
}

/// B 4.2, cases E04.
#[test]
fn the_tag_is_always_the_newest() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", ["v1", "v2", "v3"].map(|tag| tagged(tag, [on("f1")])));
    sim.start().advance(secs(95));
    let sent: Vec<Option<String>> =
        [None, Some("v1"), Some("v2"), Some("v3")].map(|tag| tag.map(str::to_owned)).to_vec();
    assert_eq!(tags(&sim), sent);
}

/// B 4.2: the tag of a 200 with `none` counts too.
#[test]
fn the_tag_of_a_200_with_none_is_remembered() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", [tagged("v1", [on("f1")]), Reply::poll(none()).header("etag", "v2")]);
    sim.start().advance(secs(61));
    assert_eq!(tags(&sim), [None, Some("v1".into()), Some("v2".into())]);
}

/// B 4.2: only after the payload was applied.
#[test]
fn the_tag_of_a_payload_that_was_not_applied_is_not_remembered() {
    for bad in [
        Reply::body("{").header("etag", "bad"),
        Reply::poll(changes("s2", [undecodable("f1")])).header("etag", "bad"),
        Reply::status(503).header("etag", "bad"),
        Reply::head(200).header("etag", "bad").bytes("{\"events\":[").break_off(),
    ] {
        let mut sim = Sim::new(config().synchronizer(poll("a")));
        sim.serve_in_turn("a", [tagged("v1", [on("f1")]), bad, Reply::status(304)]);
        sim.start().advance(secs(61));
        assert_eq!(tags(&sim), [None, Some("v1".into()), Some("v1".into())]);
    }
}

/// B 4.2: any other change set drops the tag.
#[test]
fn a_change_set_of_another_source_drops_the_tag() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(stream("b")));
    sim.serve_in_turn("a", [tagged("v1", [on("f1")]), Reply::status(503)]);
    sim.serve_always("b", Reply::stream(changes("s2", [off("f1")])));
    sim.start().advance(secs(160));
    assert_eq!(sim.is_on("f1"), Some(false));
    sim.overlook();
    let asked = sim.until_asked("a");
    assert_eq!((asked.header("if-none-match"), asked.basis()), (None, Some("s2")));
}

/// B 4.2: an initializer is a source of its own.
#[test]
fn an_initializers_tag_is_not_the_synchronizers() {
    let mut sim = Sim::new(config().initializer(poll("i")).synchronizer(poll("a")));
    sim.serve_always("i", tagged("v1", [on("f1")]));
    sim.start();
    assert_eq!(tags(&sim), [None]);
}

/// B 4.2, cases E05.
#[test]
fn a_304_to_no_tag_is_a_failure() {
    let mut sim = Sim::new(config().synchronizer(poll("a")));
    sim.serve_in_turn("a", [Reply::status(304), good()]);
    sim.start();
    assert_eq!(sim.state(), SourceState::Initializing);
    assert!(!sim.is_ready());
    assert!(sim.last_error().is_some());
    assert_ne!(sim.error_kind(), Some(ErrorKind::Network));
    sim.advance(secs(30));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(tags(&sim)[1], None);
}

/// Cases V12, B 4.2: FDv1 has a tag of its own.
#[test]
fn fdv1_has_a_tag_of_its_own() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).fdv1(poll("v1")));
    sim.serve_in_turn("a", [tagged("v1", [on("f1")]), Reply::status(500).directive_for(100)]);
    let first = Reply::fdv1([on("f1")]).header("etag", "old");
    sim.serve_in_turn("v1", [first, Reply::status(304)]);
    sim.start().advance(secs(125));
    let sent: Vec<_> =
        sim.asked_of("v1").iter().map(|asked| asked.header("if-none-match")).collect();
    assert_eq!(sent, [None, Some("old"), Some("old"), Some("old")]);
    assert_eq!(sim.state(), SourceState::Valid);
    sim.advance(secs(10));
    assert_eq!(tags(&sim)[2], None, "FDv1 data dropped it");
}

/// B 4.2: a stream asks for everything that changed, so it has no use for a tag.
#[test]
fn a_stream_sends_no_tag() {
    let mut sim = Sim::new(config().synchronizer(stream("a")));
    let tagged = Reply::stream(full("s1", [on("f1")])).header("etag", "\"1\"");
    sim.serve_always("a", tagged.break_off());
    sim.start().advance(secs(2));
    assert_eq!(tags(&sim)[..2], [None, None]);
}

/// B 6.1: a poll that confirms is told to nobody.
#[test]
fn a_poll_that_brings_the_same_announces_nothing() {
    let mut sim = polling(full("s1", [on("f1")]));
    sim.serve_always("a", Reply::poll(full("s1", [on("f1")])));
    sim.announced();
    sim.advance(secs(100));
    assert!(sim.announced().is_empty());
    let statuses = sim.updates().filter(|told| matches!(told, Update::SourceStatus(_))).count();
    assert!(statuses <= 2);
}

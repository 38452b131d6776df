//! B 3.12, 4.6: sources of the application's own.

use std::sync::Arc;

use fdv2_core::config::{Custom, StoreMode};
use fdv2_core::effect::{CustomError, SourceId, SourceUpdate, SwitchReason};
use fdv2_core::model::Kind;
use fdv2_core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_core::status::{Availability, ErrorKind, SourceState};
use fdv2_core::{ConfigBuilder, Limits, Selector};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream};

fn fill(mut builder: ChangeSetBuilder, state: Option<&str>, items: &[Item]) -> ChangeSet {
    for item in items {
        let kind = if item.kind == "flag" { Kind::Flag } else { Kind::Segment };
        builder.put(kind, &item.key, item.version, &item.object).expect("a good item");
    }
    builder.finish(state.map(|state| Selector::new(state, 1)))
}

/// A full change set as an update.
fn all(state: Option<&str>, items: &[Item]) -> SourceUpdate {
    SourceUpdate::ChangeSet(Box::new(fill(ChangeSetBuilder::full(), state, items)))
}

/// A change set of changes as an update.
fn some(state: Option<&str>, items: &[Item]) -> SourceUpdate {
    SourceUpdate::ChangeSet(Box::new(fill(ChangeSetBuilder::changes(), state, items)))
}

fn error(kind: ErrorKind) -> CustomError {
    CustomError { kind, message: "the custom source's own words".into() }
}

fn failed(kind: ErrorKind) -> SourceUpdate {
    SourceUpdate::Failed(error(kind))
}

/// The custom synchronizer `c`, and behind it the stream `b`.
fn with_a_stream() -> ConfigBuilder {
    config().synchronizer(Custom::new("c")).synchronizer(stream("b")).fdv1(poll("v1"))
}

/// Only the custom synchronizer `c`, started, which has told this.
fn telling(updates: impl IntoIterator<Item = SourceUpdate>) -> Sim {
    let mut sim = Sim::new(config().synchronizer(Custom::new("c")));
    sim.start();
    sim.expect("c");
    sim.reply(Reply::custom(updates));
    sim
}

/// B 3.12.
#[test]
fn change_sets_are_applied() {
    let mut sim = telling([all(Some("s1"), &[on("f1"), off("f2"), segment("g", &[])])]);
    assert_eq!(sim.flags(), [("f1".to_owned(), true), ("f2".to_owned(), false)]);
    assert!(sim.has_segment("g"));
    assert_eq!(sim.state(), SourceState::Valid);
    assert!(sim.is_ready());
    assert_eq!(sim.availability(), Availability::Refreshed);
    sim.announced();
    sim.reply(Reply::custom([some(Some("s2"), &[off("f1")])]));
    assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f2".to_owned(), false)]);
    assert_eq!(sim.selector(), Some("s2"));
    assert_eq!(sim.announced(), [["f1"]]);
}

/// B 2.1, 2.2 for custom sources: what is held goes out, and a set without selector empties it.
#[test]
fn a_custom_source_is_told_what_is_held() {
    let mut sim = telling([all(Some("s1"), &[on("f1")]), failed(ErrorKind::Network)]);
    assert_eq!(sim.until_asked("c").basis(), Some("s1"));
    sim.reply(Reply::custom([all(None, &[on("f1")]), failed(ErrorKind::Network)]));
    assert_eq!(sim.until_asked("c").basis(), None);
    assert_eq!(sim.availability(), Availability::Cached);
}

/// B 3.12, 1.14: changes and `none` need data that is held.
#[test]
fn changes_and_none_without_a_base_are_invalid_data() {
    for update in [some(Some("s1"), &[on("f1")]), SourceUpdate::Unchanged] {
        let mut sim = telling([update]);
        assert_eq!(sim.flags(), []);
        assert_eq!(sim.selector(), None);
        assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
        assert_eq!(sim.state(), SourceState::Initializing);
        assert_eq!(sim.live(), None);
        sim.until_asked("c");
    }
}

/// B 3.12, 3.2: an accepted `none` is health.
#[test]
fn an_accepted_none_is_health() {
    let mut sim = telling([all(Some("s1"), &[on("f1")]), failed(ErrorKind::Network)]);
    assert_eq!(sim.state(), SourceState::Interrupted);
    sim.until_asked("c");
    sim.reply(Reply::custom([SourceUpdate::Unchanged]));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 3.12, 8.1: a failure is retried, paced, with its own kind of error.
#[test]
fn a_failure_is_retried() {
    for kind in [ErrorKind::Network, ErrorKind::InvalidData, ErrorKind::Unknown] {
        let mut sim = Sim::new(config().synchronizer(Custom::new("c")));
        sim.serve_always("c", Reply::custom([failed(kind)]));
        sim.start().advance(secs(100));
        assert_eq!(sim.error_kind(), Some(kind));
        assert_eq!(&*sim.last_error().unwrap().message, "the custom source's own words");
        let gaps = sim.gaps_of("c");
        assert!(gaps.len() >= 6 && gaps.len() < 12, "{gaps:?}");
    }
}

/// B 3.12, 3.6: a final failure and an end by itself remove a synchronizer.
#[test]
fn a_final_failure_and_an_end_remove_it() {
    for last in [SourceUpdate::FailedFinally(error(ErrorKind::Unknown)), SourceUpdate::Ended] {
        let mut sim = Sim::new(with_a_stream());
        sim.serve_always("c", Reply::custom([all(Some("s1"), &[on("f1")]), last]));
        sim.serve_always("b", Reply::stream(none()));
        sim.start();
        assert_eq!(sim.running(), Some(SourceId::Synchronizer(1)));
        assert_eq!(sim.switches().last().unwrap().why, SwitchReason::Removed);
        assert_eq!(sim.asked_of("b")[0].basis(), Some("s1"));
        assert!(sim.last_error().is_some());
        sim.advance(secs(3600));
        assert_eq!(sim.asked_of("c").len(), 1);
    }
}

/// B 3.8: the only one removed is the end.
#[test]
fn the_end_of_the_only_source_is_off() {
    let sim = telling([all(None, &[on("f1")]), SourceUpdate::Ended]);
    assert_eq!(sim.state(), SourceState::Off);
    assert!(sim.status().is_last);
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 3.3 for custom sources.
#[test]
fn a_silent_custom_source_is_left() {
    let mut sim = Sim::new(with_a_stream());
    sim.serve_always("c", Reply::hang());
    sim.serve_always("b", Reply::stream(full("s1", [on("f1")])));
    sim.start().advance(secs(10));
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.error_kind(), Some(ErrorKind::Network));
}

/// B 3.3: while bytes flow both deadlines wait.
#[test]
fn progress_keeps_a_custom_source() {
    let slow = |reply: Reply| {
        (0..40).fold(reply, |reply, _| reply.tell_after(secs(4), SourceUpdate::Progress))
    };
    let mut sim = Sim::new(with_a_stream());
    let reply = slow(Reply::default()).tell(all(Some("s1"), &[on("f1")]));
    sim.serve_always("c", reply);
    sim.start().advance(secs(161));
    assert_eq!(sim.asked_of("b").len(), 0);
    assert_eq!(sim.is_on("f1"), Some(true));

    // Data is held, so it is the 120 s that wait.
    let mut sim = Sim::new(with_a_stream().initializer(poll("i")));
    sim.serve_always("i", Reply::poll(full("s1", [off("f1")])));
    sim.serve_always("c", slow(Reply::default()).tell(all(Some("s2"), &[on("f1")])));
    sim.start().advance(secs(161));
    assert_eq!(sim.asked_of("b").len(), 0, "{sim:?}");
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 3.3: bytes that have stopped to flow hold nothing up.
#[test]
fn progress_that_stopped_holds_nothing_up() {
    let mut sim = Sim::new(with_a_stream().initializer(poll("i")));
    sim.serve_always("i", Reply::poll(full("s1", [off("f1")])));
    sim.serve_always("c", Reply::default().tell_after(secs(118), SourceUpdate::Progress));
    sim.start().advance(secs(130));
    assert_eq!(sim.asked_of("b")[0].at.since_epoch(), secs(123));
}

/// B 3.12, 6.6.
#[test]
fn the_environment_id_counts_with_the_data_that_follows() {
    let id = |id: &str| SourceUpdate::EnvironmentId(Arc::from(id));
    let mut sim = telling([id("env-1")]);
    assert_eq!(sim.environment_id(), None);
    sim.reply(Reply::custom([all(None, &[]), id("env-2"), id("")]));
    assert_eq!(sim.environment_id(), Some("env-1"));
    sim.reply(Reply::custom([id("env-2"), SourceUpdate::Unchanged]));
    assert_eq!(sim.environment_id(), Some("env-2"));
}

/// B 3.12, 5.2: a directive takes effect with the next change set, after ten seconds, or at the
/// end of the attempt.
#[test]
fn a_directive_is_obeyed() {
    let directive = || SourceUpdate::Directive(Some(secs(60)));
    let after = |reply: Reply| {
        let mut sim = Sim::new(with_a_stream());
        sim.serve_always("c", reply);
        sim.serve_always("v1", Reply::hang());
        sim.start().advance(secs(30));
        assert_eq!(sim.asked_of("b").len(), 0, "{sim:?}");
        let at = sim.asked_of("v1")[0].at.since_epoch();
        sim.advance(secs(50));
        let back = sim.asked_of("c")[1].at.since_epoch();
        assert_eq!(back, at + secs(60));
        (sim, at)
    };
    let (_, at) = after(Reply::custom([directive()]));
    assert_eq!(at, secs(10));
    let (_, at) = after(Reply::custom([directive()]).tell_after(secs(5), directive()));
    assert_eq!(at, secs(10), "a second one puts nothing off");
    let change_set = all(Some("s1"), &[on("f1")]);
    let (sim, at) = after(Reply::custom([directive()]).tell_after(secs(3), change_set));
    assert_eq!(at, secs(3));
    assert_eq!(sim.is_on("f1"), Some(true));
    let end = failed(ErrorKind::Network);
    let (_, at) = after(Reply::custom([directive()]).tell_after(secs(3), end));
    assert_eq!(at, secs(3));
    let (_, at) =
        after(Reply::custom([directive(), SourceUpdate::FailedFinally(error(ErrorKind::Unknown))]));
    assert_eq!(at, secs(0), "it does not remove the source");
}

/// B 3.1: custom initializers.
#[test]
fn custom_initializers_follow_the_rules() {
    let first = |update: Option<SourceUpdate>| {
        let configured = config()
            .initializer(Custom::new("i1"))
            .initializer(poll("i2"))
            .synchronizer(stream("a"));
        let mut sim = Sim::new(configured);
        sim.serve_always("i1", Reply::custom(update));
        sim.start().advance(secs(10));
        let hosts: Vec<String> = sim.asked().iter().map(|asked| asked.host.clone()).collect();
        (sim, hosts)
    };
    let (sim, hosts) = first(Some(all(Some("s1"), &[on("f1")])));
    assert_eq!(hosts[..2], ["i1", "a"]);
    assert!(sim.is_ready());
    let (sim, hosts) = first(Some(all(None, &[on("f1")])));
    assert_eq!(hosts[..2], ["i1", "i2"]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert!(!sim.states().contains(&SourceState::Valid), "it has no selector (B 6.1)");
    for update in [
        SourceUpdate::Ended,
        SourceUpdate::Unchanged,
        failed(ErrorKind::InvalidData),
        SourceUpdate::FailedFinally(error(ErrorKind::Unknown)),
    ] {
        assert_eq!(first(Some(update)).1[..2], ["i1", "i2"]);
    }
    let (sim, hosts) = first(None);
    assert_eq!(hosts, ["i1", "i2"]);
    assert_eq!(sim.asked()[1].at.since_epoch(), secs(10));
}

/// B 4.6, 6.5, 6.8, cases I04: a file as the only source.
#[test]
fn a_file_as_initializer_makes_ready_and_cached() {
    let file = Custom::new("file").file();
    let mut sim = Sim::new(config().initializer(file)).idle_is_fine();
    sim.serve_always("file", Reply::custom([all(None, &[on("f1")])]));
    sim.start();
    assert!(sim.is_ready());
    assert_eq!(sim.state(), SourceState::Valid);
    assert_eq!(sim.availability(), Availability::Cached);
}

/// B 9.4: what a custom source brings is persisted unless it says otherwise, what files bring never.
#[test]
fn a_custom_source_says_whether_it_is_persisted() {
    for (custom, is_persisted) in [
        (Custom::new("c"), true),
        (Custom::new("c").persist(false), false),
        (Custom::new("c").file(), false),
    ] {
        let configured = config().synchronizer(custom).store(StoreMode::ReadWrite);
        let mut sim = Sim::new(configured).store_is_apart();
        sim.serve_always("c", Reply::custom([all(None, &[on("f1")])]));
        sim.start();
        assert_eq!(sim.is_on("f1"), Some(true));
        assert_eq!(sim.store().is_initialized, is_persisted, "{sim:?}");
    }
}

/// Cases I04: a file first, then the poll that brings a selector.
#[test]
fn a_file_before_a_poll_lets_the_poll_run() {
    let configured = config().initializer(Custom::new("file").file()).initializer(poll("i"));
    let mut sim = Sim::new(configured.synchronizer(stream("a")));
    sim.serve_always("file", Reply::custom([all(None, &[off("f1")])]));
    sim.start();
    assert!(!sim.is_ready());
    sim.reply(Reply::poll(full("s1", [on("f1")])));
    assert!(sim.is_ready());
    assert_eq!(sim.is_on("f1"), Some(true));
}

/// B 4.6: a file that cannot be read changes nothing, and is read again.
#[test]
fn a_bad_file_changes_nothing() {
    let mut sim = telling([all(None, &[on("f1")]), failed(ErrorKind::InvalidData)]);
    assert_eq!(sim.is_on("f1"), Some(true));
    assert_eq!(sim.state(), SourceState::Interrupted);
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
    sim.until_asked("c");
    sim.reply(Reply::custom([all(None, &[off("f1")])]));
    assert_eq!(sim.is_on("f1"), Some(false));
    assert_eq!(sim.state(), SourceState::Valid);
}

/// B 4.6: a file that stays bad is looked at again just as soon.
#[test]
fn a_bad_file_is_read_again_without_growing_pauses() {
    let file = Custom::new("file").file();
    let mut sim = Sim::new(config().synchronizer(file)).requests_per_minute(120);
    sim.serve_always("file", Reply::custom([failed(ErrorKind::InvalidData)]));
    sim.start().advance(secs(100));
    let gaps = sim.gaps_of("file");
    let pause = secs(1) / 2..=secs(1);
    assert!(gaps.len() >= 99 && gaps.iter().all(|gap| pause.contains(gap)), "{gaps:?}");
}

/// B 1.13 for custom sources: the limits on what is held are the system's.
#[test]
fn a_change_set_over_the_limits_is_refused() {
    let limits = Limits { held_objects: 2, ..Limits::default() };
    let mut sim = Sim::new(config().synchronizer(Custom::new("c")).limits(limits));
    sim.start().reply(Reply::custom([all(Some("s1"), &[on("f1"), on("f2")])]));
    assert_eq!(sim.flags().len(), 2);
    sim.reply(Reply::custom([some(Some("s2"), &[on("f3")])]));
    assert_eq!(sim.flags().len(), 2);
    assert_eq!(sim.selector(), Some("s1"));
    assert_eq!(sim.error_kind(), Some(ErrorKind::InvalidData));
}

/// B 4.2: a custom source's change set drops the ETag of a poll.
#[test]
fn a_change_set_drops_the_etags() {
    let mut sim = Sim::new(config().synchronizer(poll("a")).synchronizer(Custom::new("c")));
    let tagged = Reply::poll(full("s1", [on("f1")])).header("etag", "v1");
    sim.serve_in_turn("a", [tagged, Reply::status(503)]);
    sim.serve_always("c", Reply::custom([all(Some("s2"), &[on("f1")])]));
    sim.start().advance(secs(160)).overlook();
    let asked = sim.until_asked("a");
    assert_eq!((asked.header("if-none-match"), asked.basis()), (None, Some("s2")));
}

/// B 1.2: a builder that failed at one item is still usable, and nothing of the bad one is in it.
#[test]
fn the_builder_refuses_what_cannot_be_decoded() {
    let mut builder = ChangeSetBuilder::full();
    assert!(builder.put(Kind::Flag, "bad", 1, "[1]").is_err());
    assert!(builder.put(Kind::Flag, "bad", 1, "{").is_err());
    builder.put(Kind::Flag, "good", 1, &on("good").object).expect("a good flag");
    let change_set = builder.finish(None);
    let sim = telling([SourceUpdate::ChangeSet(Box::new(change_set))]);
    assert_eq!(sim.flags(), [("good".to_owned(), true)]);
}

//! B 10.1 and 10.4, as far as the core decides them: what closing does in every state.

use fdv2_core::effect::Update;
use fdv2_core::status::SourceState;
use fdv2_core::{Command, Event};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, secs, stream, streaming, two_streams};

/// A system in each of its states, by name.
fn in_every_state() -> Vec<(&'static str, Sim)> {
    let idle = || Sim::new(two_streams());
    let mut connecting = idle();
    connecting.start();
    let mut receiving = idle();
    receiving.start().reply(Reply::stream([intent("xfer-full"), put(on("f1"))]));
    let streaming = streaming(full("s1", [on("f1")]));
    let mut backing_off = idle();
    backing_off.start().reply(Reply::refuse());
    let mut between_polls = Sim::new(config().synchronizer(poll("a")));
    between_polls.start().reply(Reply::poll(full("s1", [on("f1")])));
    let mut in_a_poll = Sim::new(config().initializer(poll("a")));
    in_a_poll.start().reply(Reply::head(200).bytes("{\"events\":["));
    let mut between_rounds = idle();
    between_rounds.start().advance(secs(20));
    let mut on_fdv1 = idle();
    on_fdv1.start().reply(Reply::status(500).directive());
    let mut off_for_a_while = Sim::new(config().synchronizer(stream("a")));
    off_for_a_while.start().reply(Reply::status(500).directive());
    let mut off = Sim::new(config().synchronizer(stream("a")));
    off.start().reply(Reply::status(401));
    vec![
        ("not started", idle()),
        ("connecting", connecting),
        ("receiving", receiving),
        ("streaming", streaming),
        ("backing off", backing_off),
        ("between polls", between_polls),
        ("in a poll", in_a_poll),
        ("between rounds", between_rounds),
        ("on FDv1", on_fdv1),
        ("off for a while", off_for_a_while),
        ("off", off),
    ]
}

/// B 10.1, cases C01, C06: the invariants check that nothing follows.
#[test]
fn closing_in_any_state_ends_everything() {
    for (name, mut sim) in in_every_state() {
        sim.overlook().close();
        assert!(sim.is_stopped(), "{name}");
        assert_eq!(sim.state(), SourceState::Off, "{name}");
        assert!(sim.status().is_last, "{name}");
        assert_eq!(sim.live(), None, "{name}");
        sim.advance(secs(100_000)).expect_quiet();
    }
}

/// B 10.1, cases C04: a second time is nothing.
#[test]
fn closing_twice_is_nothing() {
    for (name, mut sim) in in_every_state() {
        sim.close();
        let told = sim.updates().count();
        sim.close().start();
        assert_eq!(sim.updates().count(), told, "{name}");
    }
}

/// B 10.4.
#[test]
fn the_last_data_stays_readable() {
    let mut sim = streaming(full("s1", [on("f1")]));
    let error = sim.last_error().cloned();
    sim.close();
    assert_eq!(sim.is_on("f1"), Some(true));
    assert!(sim.is_ready());
    assert_eq!(sim.last_error().cloned(), error, "closing is no error");
}

/// B 10.4, cases C01: nothing but OFF is told after the shutdown.
#[test]
fn no_state_follows_off() {
    let mut sim = streaming(full("s1", [on("f1")]));
    sim.close();
    assert_eq!(sim.states(), [SourceState::Initializing, SourceState::Valid, SourceState::Off]);
    assert!(matches!(sim.updates().last(), Some(Update::Stopped)));
}

/// B 3.11: closing goes before whatever else is due on the same instant.
#[test]
fn closing_goes_before_what_is_due() {
    let mut sim = Sim::new(two_streams());
    sim.start();
    let mut system = sim.system().clone();
    let due = sim.now() + secs(1000);
    let commands: Vec<Command> = system.handle(due, Event::Shutdown { grace: secs(2) }).collect();
    assert!(!commands.iter().any(|command| matches!(command, Command::Start { .. })));
    assert_eq!(commands.last(), Some(&Command::Emit(Update::Stopped)));
    assert_eq!(system.next_deadline(), None);
}

/// A second `Start` is ignored, and nothing happens before the first.
#[test]
fn only_the_first_start_counts() {
    let mut sim = Sim::new(two_streams());
    sim.tell(Event::Tick).advance(secs(1000)).expect_quiet();
    assert_eq!(sim.system().next_deadline(), None);
    sim.start().start();
    assert_eq!(sim.asked().len(), 1);
}

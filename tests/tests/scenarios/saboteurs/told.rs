//! What the application sees: data, announcements, statuses and their order.

use bytes::Bytes;
use fdv2_core::effect::SourceUpdate;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Command, Event, Outcome, Selector, Update};
use fdv2_tests::model::Thing;
use fdv2_tests::sim::Reply;
use fdv2_tests::sim::wire::*;
use fdv2_tests::steps::{Life, Step};

use super::{Act, a_flag, honest, one_stream, sabotaged, saboteur};

#[test]
#[should_panic(expected = "invariant 3: other items")]
fn invariant_3_catches_a_change_set_that_is_lost() {
    let act: Act = |saboteur, now, mut event| {
        if let Event::Effect { outcome: Outcome::SourceUpdate(update), .. } = &mut event
            && matches!(update, SourceUpdate::ChangeSet(_))
        {
            let nothing = ChangeSetBuilder::full().finish(None);
            *update = SourceUpdate::ChangeSet(Box::new(nothing));
        }
        saboteur.pass(now, event)
    };
    // Its first synchronizer is a custom source.
    let mut life = Life::driving(4, vec![], |config| saboteur(config, act, honest));
    life.step(&Step::Deliver(vec![a_flag()], 1));
}

/// Nobody is told of a segment: what is held says it.
#[test]
#[should_panic(expected = "invariant 3: other items")]
fn invariant_3_catches_a_segment_that_is_lost() {
    let act: Act = |saboteur, now, mut event| {
        if let Event::Effect { outcome: Outcome::SourceUpdate(update), .. } = &mut event
            && matches!(update, SourceUpdate::ChangeSet(_))
        {
            let mut builder = ChangeSetBuilder::full();
            let Item { key, version, object, .. } = a_flag().item();
            builder.put(Kind::Flag, &key, version, &object).expect("a flag");
            let selector = Some(Selector::new("s1", 1));
            *update = SourceUpdate::ChangeSet(Box::new(builder.finish(selector)));
        }
        saboteur.pass(now, event)
    };
    let mut life = Life::driving(4, vec![], |config| saboteur(config, act, honest));
    let segment = Thing { is_flag: false, is_on: false, ..a_flag() };
    life.step(&Step::Deliver(vec![a_flag(), segment], 1));
}

#[test]
#[should_panic(expected = "invariant 4: 1 snapshots of 0 complete transfers")]
fn invariant_4_catches_a_transfer_that_is_taken_for_complete() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        let id = match &event {
            Event::Effect { id, outcome: Outcome::ResponseChunk(_) } => Some(*id),
            _ => None,
        };
        let mut commands = saboteur.pass(now, event);
        if let Some(id) = id {
            let end = Outcome::ResponseChunk(Bytes::from(sse(&[transferred("s1", 1)])));
            commands.extend(saboteur.pass(now, Event::Effect { id, outcome: end }));
        }
        commands
    });
    sim.start().reply(Reply::stream([intent("xfer-full"), put(on("f1"))]));
}

#[test]
#[should_panic(expected = "invariant 5: not announced")]
fn invariant_5_catches_changes_that_nobody_is_told_of() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match command {
            Command::Emit(Update::FlagsChanged(_)) => vec![],
            other => vec![other],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
}

/// The first announcement again in the place of every later one.
#[test]
#[should_panic(expected = "invariant 5: other flags were announced")]
fn invariant_5_catches_that_the_wrong_flags_are_announced() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        let old = saboteur.system.snapshot().clone();
        saboteur.change(now, event, |command| match command {
            Command::Emit(Update::FlagsChanged(changed)) if old.objects() > 0 => {
                // Of what was known before: nothing differs from itself.
                let mut again = ChangeSetBuilder::full();
                for flag in changed.old().flags() {
                    let (kind, key) = (Kind::Flag, flag.key());
                    again.put(kind, key, flag.version(), flag.text()).expect("a flag");
                }
                let limits = fdv2_core::Limits::default();
                let again = again.finish(None);
                let commit = fdv2_core::Snapshot::apply(changed.old(), again, &limits);
                let changes = commit.expect("within the limits").changes.expect("announced");
                vec![Command::Emit(Update::FlagsChanged(changes))]
            }
            other => vec![other],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
    sim.send([put(off("f1").version(2)), transferred("s2", 2)]);
}

#[test]
#[should_panic(expected = "invariant 6: the same status twice")]
fn invariant_6_catches_a_status_that_is_told_twice() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match &command {
            Command::Emit(Update::SourceStatus(_)) => vec![command.clone(), command],
            _ => vec![command],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
}

#[test]
#[should_panic(expected = "invariant 6: Valid became Initializing")]
fn invariant_6_catches_a_state_that_is_entered_again() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match command {
            Command::Emit(Update::SourceStatus(mut status)) if status.last_error.is_some() => {
                status.state = fdv2_core::status::SourceState::Initializing;
                vec![Command::Emit(Update::SourceStatus(status))]
            }
            other => vec![other],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")]))).break_off();
}

#[test]
#[should_panic(expected = "invariant 6: the same readiness twice")]
fn invariant_6_catches_readiness_that_is_told_twice() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match &command {
            Command::Emit(Update::Readiness(_)) => vec![command.clone(), command],
            _ => vec![command],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
}

/// B 6.3.
#[test]
#[should_panic(expected = "came too late")]
fn what_is_told_in_another_order_is_caught() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        let mut commands = saboteur.pass(now, event);
        let of_status =
            |command: &Command| matches!(command, Command::Emit(Update::SourceStatus(_)));
        let of_readiness =
            |command: &Command| matches!(command, Command::Emit(Update::Readiness(_)));
        let places =
            commands.iter().position(of_status).zip(commands.iter().position(of_readiness));
        if let Some((status, readiness)) = places {
            commands.swap(status, readiness);
        }
        commands
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
}

//! Each invariant catches what it is there for: between the core and the simulator stands a saboteur
//! that drops, repeats, reorders or alters something, and the run ends in that invariant's words.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use fdv2_core::config::StoreMode;
use fdv2_core::effect::SourceUpdate;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{
    Command, ConfigBuilder, DataSystem, Deadline, Effect, EffectId, Event, Instant, Lane, Outcome,
    Request, Update,
};
use fdv2_tests::model::Thing;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Core, Reply, Sim, StoreHealth, config, poll, secs, stream};
use fdv2_tests::steps::{Life, Step};

type Act = fn(&mut Saboteur, Instant, Event) -> Vec<Command>;
type Hint = fn(&Saboteur) -> Option<Deadline>;

/// A system in bad hands.
#[derive(Clone)]
struct Saboteur {
    system: DataSystem,
    act: Act,
    hint: Hint,
    live: Option<EffectId>,
    /// How far the system's clock is ahead.
    ahead: Duration,
    /// Shared by all clones, which must not know of each other.
    calls: Rc<Cell<u32>>,
}

impl Saboteur {
    fn pass(&mut self, now: Instant, event: Event) -> Vec<Command> {
        self.system.handle(now, event).collect()
    }

    /// Passes what goes in, and changes what comes out.
    fn change(
        &mut self,
        now: Instant,
        event: Event,
        change: impl Fn(Command) -> Vec<Command>,
    ) -> Vec<Command> {
        self.pass(now, event).into_iter().flat_map(change).collect()
    }
}

impl Core for Saboteur {
    fn handle(&mut self, now: Instant, event: Event) -> Vec<Command> {
        (self.act)(self, now, event)
    }

    fn next_deadline(&self) -> Option<Deadline> {
        (self.hint)(self)
    }

    fn system(&self) -> &DataSystem {
        &self.system
    }
}

impl fmt::Debug for Saboteur {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Saboteur")
    }
}

fn honest(saboteur: &Saboteur) -> Option<Deadline> {
    saboteur.system.next_deadline()
}

fn saboteur(config: fdv2_core::Config, act: Act, hint: Hint) -> Saboteur {
    let system = DataSystem::new(config, 1);
    let calls = Rc::default();
    Saboteur { system, act, hint, live: None, ahead: Duration::ZERO, calls }
}

/// A simulator of a saboteur that lies about no deadline.
fn sabotaged(config: ConfigBuilder, act: Act) -> Sim<Saboteur> {
    Sim::driving(config, |config| saboteur(config, act, honest))
}

fn one_stream() -> ConfigBuilder {
    config().synchronizer(stream("a"))
}

fn is_for_source(command: &Command) -> bool {
    matches!(command, Command::Start { id, .. } if id.lane == Lane::Source)
}

/// Without a saboteur all of this is fine.
#[test]
fn honest_hands_are_not_accused() {
    let mut sim = sabotaged(one_stream().store(StoreMode::ReadWrite), Saboteur::pass);
    sim.start().reply(Reply::stream(full("s1", [on("f1")]))).end();
    sim.advance(secs(100)).close().tell(Event::Tick);
    let mut life = Life::driving(8, vec![], |config| saboteur(config, Saboteur::pass, honest));
    life.step(&Step::Deliver(vec![a_flag()], 1));
    life.recover();
}

#[test]
#[should_panic(expected = "invariant 1: EffectId { lane: Source, generation: 1 } was started over")]
fn invariant_1_catches_an_effect_that_is_started_twice() {
    sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match is_for_source(&command) {
            true => vec![command.clone(), command],
            false => vec![command],
        })
    })
    .start();
}

#[test]
#[should_panic(expected = "invariant 1: EffectId { lane: Source, generation: 1 } is not newer")]
fn invariant_1_catches_an_id_that_is_given_again() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match command {
            Command::Start { mut id, effect } => {
                id.generation = 1;
                vec![Command::Start { id, effect }]
            }
            other => vec![other],
        })
    });
    sim.start().reply(Reply::refuse()).advance(secs(10));
}

#[test]
#[should_panic(expected = "invariant 2: ")]
fn invariant_2_catches_what_is_late_and_counts_for_the_next() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, mut event| {
        if let (Event::Effect { id, .. }, Some(live)) = (&mut event, saboteur.live) {
            *id = live;
        }
        let commands = saboteur.pass(now, event);
        for command in &commands {
            if let Command::Start { id, .. } = command {
                saboteur.live = Some(*id);
            }
        }
        commands
    });
    sim.start().reply(Reply::refuse()).advance(secs(10));
}

fn a_flag() -> Thing {
    Thing { is_flag: true, key: 1, version: 1, is_on: true, needs: None, uses: None }
}

#[test]
#[should_panic(expected = "invariant 3: other flags")]
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
                    let (kind, key) = (fdv2_core::model::Kind::Flag, flag.key());
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

#[test]
#[should_panic(expected = "invariant 7: nothing runs and no timer is armed")]
fn invariant_7_catches_a_deadline_that_is_lost() {
    let hint: Hint =
        |saboteur| honest(saboteur).filter(|deadline| deadline.what != "the next attempt");
    let mut sim = Sim::driving(one_stream(), |config| saboteur(config, Saboteur::pass, hint));
    sim.start().reply(Reply::refuse());
}

/// A deadline that stays where it is when it has been reached.
#[test]
#[should_panic(expected = "does not clear")]
fn a_hot_loop_is_caught() {
    let act: Act = |saboteur, now, event| match event {
        Event::Tick => vec![],
        event => saboteur.pass(now, event),
    };
    let mut sim = sabotaged(one_stream(), act);
    sim.start().advance(secs(100));
}

#[test]
#[should_panic(expected = "invariant 8: a command after `Stopped`")]
fn invariant_8_catches_a_command_after_the_end() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        let is_tick = event == Event::Tick;
        let mut commands = saboteur.pass(now, event);
        commands.extend(is_tick.then_some(Command::Emit(Update::Stopped)));
        commands
    });
    sim.start().close().tell(Event::Tick);
}

#[test]
#[should_panic(expected = "invariant 8: an effect is live after `Stopped`")]
fn invariant_8_catches_an_effect_that_is_not_cancelled() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match command {
            Command::Cancel { .. } => vec![],
            other => vec![other],
        })
    });
    sim.start().close();
}

#[test]
#[should_panic(expected = "invariant 9: in other pieces")]
fn invariant_9_catches_a_short_chunk_that_is_lost() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| match event {
        Event::Effect { outcome: Outcome::ResponseChunk(bytes), .. } if bytes.len() == 1 => vec![],
        event => saboteur.pass(now, event),
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
}

#[test]
#[should_panic(expected = "invariant 10: ")]
fn invariant_10_catches_what_depends_on_more_than_seed_and_events() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.calls.set(saboteur.calls.get() + 1);
        let is_even = saboteur.calls.get().is_multiple_of(2);
        match event {
            Event::Effect { outcome: Outcome::ResponseEnd(_), .. } if is_even => vec![],
            event => saboteur.pass(now, event),
        }
    });
    sim.start().reply(Reply::refuse());
    sim.advance(secs(10)).reply(Reply::refuse());
}

#[test]
#[should_panic(expected = "invariant 11: data is held and the store has no marker")]
fn invariant_11_catches_a_failed_write_that_is_taken_for_done() {
    let act: Act = |saboteur, now, mut event| {
        if let Event::Effect { outcome: Outcome::StoreWritten(written), .. } = &mut event
            && written.is_err()
        {
            *written = Ok(fdv2_core::persistence::Upserted::Written);
        }
        saboteur.pass(now, event)
    };
    let mut sim = sabotaged(one_stream().store(StoreMode::ReadWrite), act);
    sim.start().store_fares(StoreHealth::Down);
    sim.reply(Reply::stream(full("s1", [on("f1")])));
}

#[test]
#[should_panic(expected = "invariant 12: ")]
fn invariant_12_catches_a_request_without_its_basis() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, event| {
        saboteur.change(now, event, |command| match command {
            Command::Start { id, effect: Effect::Request(Request(mut request)) } => {
                let uri = request.uri().to_string();
                let bare = uri.split('?').next().expect("an address").parse();
                *request.uri_mut() = bare.expect("an address");
                vec![Command::Start { id, effect: Effect::Request(Request(request)) }]
            }
            other => vec![other],
        })
    });
    sim.start().reply(Reply::stream(full("s1", [on("f1")]))).end();
    sim.advance(secs(10));
}

/// Its clock jumps to the next poll each time one has ended.
#[test]
#[should_panic(expected = "invariant 13: 31 requests to a within a minute")]
fn invariant_13_catches_requests_without_a_pause() {
    let act: Act = |saboteur, now, event| {
        let is_end = matches!(event, Event::Effect { outcome: Outcome::ResponseEnd(_), .. });
        let mut commands = saboteur.pass(now + saboteur.ahead, event);
        let next = saboteur.system.next_deadline().filter(|next| next.what == "the next attempt");
        if let Some(deadline) = next.filter(|_| is_end) {
            saboteur.ahead = deadline.at.saturating_since(now);
            commands.extend(saboteur.pass(deadline.at, Event::Tick));
        }
        commands
    };
    let hint: Hint = |saboteur| {
        let deadline = honest(saboteur)?;
        Some(Deadline { at: deadline.at - saboteur.ahead, ..deadline })
    };
    let polled = config().synchronizer(poll("a"));
    let mut sim = Sim::driving(polled, |config| saboteur(config, act, hint));
    sim.serve_always("a", Reply::poll(full("s1", [on("f1")])));
    sim.start();
}

#[test]
#[should_panic(expected = "invariant 14: not valid")]
fn invariant_14_catches_responses_that_never_count() {
    let act: Act = |saboteur, now, event| match event {
        Event::Effect { outcome: Outcome::ResponseHead(_), .. } => vec![],
        event => saboteur.pass(now, event),
    };
    Life::driving(1, vec![], |config| saboteur(config, act, honest)).recover();
}

/// What the first synchronizer says is lost: the second one runs for ever.
#[test]
#[should_panic(expected = "invariant 14: another source runs")]
fn invariant_14_catches_that_the_first_source_is_never_reached() {
    let act: Act = |saboteur, now, event| {
        let commands = match event {
            Event::Effect { id, outcome: Outcome::ResponseHead(_) }
                if saboteur.live == Some(id) =>
            {
                vec![]
            }
            event => saboteur.pass(now, event),
        };
        for command in &commands {
            if let Command::Start { id, effect: Effect::Request(request) } = command {
                let is_first = request.0.uri().host() == Some("a");
                saboteur.live = is_first.then_some(*id).or(saboteur.live);
            }
        }
        commands
    };
    Life::driving(1, vec![], |config| saboteur(config, act, honest)).recover();
}

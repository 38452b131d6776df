//! What the core orders and waits for: effects, deadlines, requests and the way back to health.

use bytes::Bytes;
use fdv2_core::config::StoreMode;
use fdv2_core::{Command, Deadline, Effect, Event, Lane, Outcome, Request, Update};
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, StoreHealth, config, poll, secs};
use fdv2_tests::steps::Life;

use super::{Act, Hint, Saboteur, honest, one_stream, sabotaged, saboteur};

fn is_for_source(command: &Command) -> bool {
    matches!(command, Command::Start { id, .. } if id.lane == Lane::Source)
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

/// What is late becomes the beginning of a line of the attempt that is live.
#[test]
#[should_panic(expected = "invariant 2: a dead effect changed the state")]
fn invariant_2_catches_what_is_late_and_only_remembered() {
    let mut sim = sabotaged(one_stream(), |saboteur, now, mut event| {
        if let (Event::Effect { id, outcome }, Some(live)) = (&mut event, saboteur.live)
            && *id != live
        {
            *id = live;
            *outcome = Outcome::ResponseChunk(Bytes::from_static(b":"));
        }
        let commands = saboteur.pass(now, event);
        for command in &commands {
            if let Command::Start { id, .. } = command {
                saboteur.live = Some(*id);
            }
        }
        commands
    });
    sim.start().reply(Reply::refuse()).advance(secs(10)).reply(Reply::stream([]));
    for _ in 0..8 {
        sim.tell(Event::Tick);
    }
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

/// A store that is down, and whose failed writes are taken for done.
fn forgetful() -> Sim<Saboteur> {
    let act: Act = |saboteur, now, mut event| {
        if let Event::Effect { outcome: Outcome::StoreWritten(written), .. } = &mut event
            && written.is_err()
        {
            *written = Ok(fdv2_core::persistence::Upserted::Written);
        }
        saboteur.pass(now, event)
    };
    sabotaged(one_stream().store(StoreMode::ReadWrite), act)
}

/// One that was up for the first data.
fn forgetful_since_then() -> Sim<Saboteur> {
    let mut sim = forgetful();
    sim.start().reply(Reply::stream(full("s1", [on("f1")])));
    sim.store_fares(StoreHealth::Down);
    sim
}

#[test]
#[should_panic(expected = "invariant 11: data is held and the store has no marker")]
fn invariant_11_catches_a_failed_write_that_is_taken_for_done() {
    let mut sim = forgetful();
    sim.start().store_fares(StoreHealth::Down);
    sim.reply(Reply::stream(full("s1", [on("f1")])));
}

#[test]
#[should_panic(expected = "invariant 11: (Flag, \"f2\") is missing")]
fn invariant_11_catches_an_item_that_was_not_written() {
    forgetful_since_then().send(changes("s2", [on("f2")]));
}

#[test]
#[should_panic(expected = "is old")]
fn invariant_11_catches_an_item_that_was_not_written_anew() {
    forgetful_since_then().send(changes("s2", [off("f1").version(2)]));
}

#[test]
#[should_panic(expected = "is not in memory")]
fn invariant_11_catches_an_item_that_was_not_deleted() {
    forgetful_since_then().send([delete("f1", 2), transferred("s2", 2)]);
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

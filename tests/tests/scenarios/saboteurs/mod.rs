//! Each invariant catches what it is there for: between the core and the simulator stands a saboteur
//! that drops, repeats, reorders or alters something, and the run ends in that invariant's words.

mod ordered;
mod told;

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::time::Duration;

use fdv2_core::config::StoreMode;
use fdv2_core::{Command, ConfigBuilder, DataSystem, Deadline, EffectId, Event, Instant};
use fdv2_tests::model::Thing;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Core, Reply, Sim, config, secs, stream};
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

fn a_flag() -> Thing {
    Thing { is_flag: true, key: 1, version: 1, is_on: true, needs: None, uses: None }
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

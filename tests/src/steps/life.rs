//! A system with its model, going through steps.

use std::sync::Arc;
use std::time::Duration;

use fdv2_core::effect::{SourceId, SourceUpdate, StoreRead, TransportErrorKind};
use fdv2_core::model::Kind;
use fdv2_core::persistence::StoreError;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::status::SourceState;
use fdv2_core::{Config, DataSystem, EffectId, Event, Outcome, Selector, Snapshot};

use super::{Head, Step, configuration, synchronizers};
use crate::invariants;
use crate::model::{Model, Speech, Thing};
use crate::sim::{Core, Reply, Sim, StoreHealth, wire};

/// So many deadlines can lie before the next attempt: between two polls a store that is down is probed
/// 60 times.
const DEADLINES: usize = 80;

/// A system with its model, going through steps.
#[derive(Debug)]
pub struct Life<C: Core = DataSystem> {
    pub(super) sim: Sim<C>,
    pub(super) model: Model,
    /// The attempt that the model follows.
    pub(super) known: Option<EffectId>,
    pub(super) speech: Speech,
    has_head: bool,
    carries_tag: bool,
    /// A redirect is followed: the request's own basis counts on.
    redirected: Option<bool>,
    has_base: bool,
    synchronizers: usize,
    /// The data, and the model's, that invariant 3 was last found to hold for.
    compared: (Option<Arc<Snapshot>>, u64),
}

impl Life {
    /// Starts a system.
    pub fn start(which: u8, seed: u64, cuts: Vec<usize>) -> Self {
        Self::driving(which, cuts, |config| DataSystem::new(config, seed))
    }
}

impl<C: Core> Life<C> {
    /// Starts what `core` makes of a configuration.
    pub fn driving(which: u8, cuts: Vec<usize>, core: impl FnOnce(Config) -> C) -> Self {
        let sim = Sim::driving(configuration(which), core).requests_per_minute(150).cut_into(cuts);
        let mut life = Self {
            synchronizers: synchronizers(which),
            sim,
            model: Model::default(),
            known: None,
            speech: Speech::Stream,
            has_head: false,
            carries_tag: false,
            redirected: None,
            has_base: false,
            compared: (None, 0),
        };
        life.sim.start();
        life.follow();
        life
    }

    /// As [`Sim::lightly`].
    pub fn lightly(mut self) -> Self {
        self.sim.go_lightly();
        self
    }

    /// Another one in the same state.
    pub fn fork(&self) -> Self {
        let compared = self.compared.clone();
        Self { sim: self.sim.fork(), model: self.model.clone(), compared, ..*self }
    }

    /// The simulator.
    pub fn sim(&self) -> &Sim<C> {
        &self.sim
    }

    /// Lets time pass until an attempt is live, if one comes soon.
    pub fn wait_for_an_attempt(&mut self) {
        for _ in 0..DEADLINES {
            if self.sim.live().is_some() {
                return;
            }
            self.step(&Step::Deadline);
        }
    }

    /// Does one step, and checks the data against the model.
    pub fn step(&mut self, step: &Step) {
        let time = |milliseconds: &u32| Duration::from_millis((*milliseconds).into());
        match step {
            Step::Advance(by) => {
                self.sim.advance(time(by));
            }
            Step::Deadline => {
                self.sim.advance_to_next();
            }
            Step::Sleep(by) => {
                self.sim.sleep_through(time(by));
            }
            Step::StoreFares(health) => {
                self.sim.store_fares(*health);
            }
            Step::StoreTakes(by) => self.sim.store_mut().take(time(by)),
            Step::WipeStore => self.sim.store_mut().wipe(),
            Step::StoreReadFailed => {
                let error = StoreError::new("words");
                self.sim.tell(Event::StoreRead(StoreRead::Failed(error)));
            }
            Step::Start => {
                self.sim.start();
            }
            Step::Close(grace) => {
                self.sim.tell(Event::Shutdown { grace: time(grace) });
            }
            Step::Late(which) => self.late(*which),
            _ if self.sim.live().is_none() => {}
            Step::Refuse => self.refuse(),
            Step::Head(head) => self.head(head),
            Step::Say(says) => self.say(says),
            Step::Deliver(things, state) => self.deliver(things, *state),
            Step::Cut { says, keep, is_clean } => self.cut(says, (*keep).into(), *is_clean),
            Step::Drip { says, pause, closes } => self.drip(says, time(pause), *closes),
            Step::Bytes(bytes) => self.bytes(bytes),
            Step::End => self.end(),
            Step::Break => self.break_off(),
        }
        self.follow();
        self.compare();
    }

    /// Invariant 3, if there is something new to compare.
    fn compare(&mut self) {
        let (known, commits) = &self.compared;
        let (data, now) = (self.sim.snapshot(), self.model.commits());
        let is_known = known.as_ref().map(Arc::as_ptr) == data.map(Arc::as_ptr) && *commits == now;
        if !is_known {
            self.compared = (data.cloned(), now);
            invariants::the_snapshot_equals_the_model(&mut self.sim, &mut self.model);
        }
    }

    /// All peers are good from now on: the system becomes healthy within a quarter of an hour, but for
    /// a directive, which can last an hour more, and stays so, if it is not over (invariant 14).
    pub fn recover(&mut self) {
        for host in ["a", "b", "i", "v1", "c"] {
            self.sim.serve(host, |asked| match asked.path() {
                "/sdk/stream" => Reply::stream(wire::full("good", [wire::on("good")])).repeat(
                    Duration::from_secs(100),
                    50,
                    ":\n",
                ),
                "/sdk/poll" => Reply::poll(wire::full("good", [wire::on("good")])),
                "/sdk/latest-all" => Reply::fdv1([wire::on("good")]),
                "" => Reply::custom([custom_change_set(true, &[], Some("good"))]),
                _ => Reply::status(500),
            });
        }
        self.sim.store_mut().take(Duration::ZERO);
        self.sim.store_fares(StoreHealth::Up).advance(Duration::from_secs(900));
        let is_directed = self.sim.running() == Some(SourceId::Fdv1)
            || self.sim.state() == SourceState::Off && !self.sim.is_over();
        if !is_directed {
            invariants::the_first_healthy_source_is_reached(&self.sim, self.synchronizers);
        }
        self.sim.advance(Duration::from_secs(3600));
        invariants::the_first_healthy_source_is_reached(&self.sim, self.synchronizers);
        assert!(self.sim.is_closing() || self.sim.is_store_quiet(), "{self:?}");
    }

    /// The model's connection is the system's.
    pub(super) fn follow(&mut self) {
        let live = self.sim.live();
        if live == self.known {
            let is_connected = self.model.is_connected();
            assert_eq!(is_connected, live.is_some(), "invariant 3: {self:?}");
            return;
        }
        self.known = live;
        self.model.disconnect();
        let Some(asked) = self.sim.asked().last().filter(|_| live.is_some()).cloned() else {
            return;
        };
        self.has_head = false;
        self.has_base = self.redirected.take().unwrap_or(asked.basis().is_some());
        self.carries_tag = asked.header("if-none-match").is_some();
        self.speech = match asked.path() {
            "/sdk/stream" => Speech::Stream,
            "/sdk/poll" => Speech::Poll,
            "/sdk/latest-all" => Speech::Fdv1,
            "" => Speech::Custom,
            _ => self.speech,
        };
        self.model.connect(self.speech, self.has_base);
    }

    /// Whether the attempt that the model follows is live still.
    pub(super) fn is_known_live(&self) -> bool {
        self.known.is_some() && self.sim.live() == self.known
    }

    /// An effect that is over tells something, or one tells what it may not tell any more.
    fn late(&mut self, which: u8) {
        let outcome = match which % 6 {
            0 => Outcome::ResponseEnd(Ok(())),
            1 => Outcome::ResponseChunk(wire::sse(&wire::full("late", [wire::on("f0")])).into()),
            2 => Outcome::SourceUpdate(custom_change_set(true, &[], Some("late"))),
            3 => Outcome::SourceUpdate(SourceUpdate::Ended),
            4 => Outcome::StoreWritten(Err(StoreError::new("late"))),
            _ if self.has_head && self.sim.live().is_some() => {
                self.sim.reply(Reply::head(500));
                return;
            }
            _ => Outcome::StoreProbed(Ok(())),
        };
        if let Some(id) = self.sim.dead() {
            self.sim.tell(Event::Effect { id, outcome });
        }
    }

    /// The connection is refused, or fails where it stands.
    fn refuse(&mut self) {
        if self.speech == Speech::Custom {
            return;
        }
        self.model.disconnect();
        self.sim.reply(Reply::default().fail(TransportErrorKind::Connect));
    }

    fn head(&mut self, head: &Head) {
        if self.has_head || self.speech == Speech::Custom {
            return;
        }
        self.has_head = true;
        let Head { status, is_typed, is_tagged, directive } = *head;
        let mut reply = Reply::head(status).header("location", "/moved").header("x-ld-envid", "e");
        if is_typed {
            reply = reply.header("content-type", "text/event-stream");
        }
        if is_tagged {
            reply = reply.header("etag", "tag");
        }
        if let Some(ttl) = directive {
            reply = reply.directive_for(ttl.into());
        }
        let is_directive = directive.is_some() && self.speech != Speech::Fdv1;
        let is_stream = self.speech == Speech::Stream;
        if status == 302 && !is_directive {
            self.redirected = Some(self.has_base);
        }
        if is_directive && is_stream {
            self.model.direct();
        }
        if status != 200 || is_stream && !is_typed {
            self.model.disconnect();
        }
        self.sim.reply(reply);
        if self.sim.live().is_none() {
            self.redirected = None;
        }
    }

    pub(super) fn good_head(&mut self) {
        let head = Head { status: 200, is_typed: true, is_tagged: true, directive: None };
        self.head(&head);
    }

    fn end(&mut self) {
        if self.speech == Speech::Custom {
            return;
        }
        self.model.disconnect();
        self.sim.end();
    }

    fn break_off(&mut self) {
        if self.speech == Speech::Custom {
            return;
        }
        self.model.disconnect();
        self.sim.break_off();
    }
}

/// What a custom source tells of these things.
pub(super) fn custom_change_set(
    is_full: bool,
    things: &[Thing],
    selector: Option<&str>,
) -> SourceUpdate {
    let mut builder = if is_full { ChangeSetBuilder::full() } else { ChangeSetBuilder::changes() };
    for thing in things {
        let item = thing.item();
        let kind = if thing.is_flag { Kind::Flag } else { Kind::Segment };
        builder.put(kind, &item.key, item.version, &item.object).expect("a good thing");
    }
    let selector = selector.map(|state| Selector::new(state, 1));
    SourceUpdate::ChangeSet(Box::new(builder.finish(selector)))
}

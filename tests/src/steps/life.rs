//! A system with its model, going through steps.

use std::time::Duration;

use fdv2_core::effect::{CustomError, SourceId, SourceUpdate, StoreRead};
use fdv2_core::model::Kind;
use fdv2_core::persistence::StoreError;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::status::ErrorKind;
use fdv2_core::{EffectId, Event, Selector};

use super::{Head, Step, configuration};
use crate::invariants;
use crate::model::{Change, Model, Say, Speech, Thing};
use crate::sim::wire::{self, Item};
use crate::sim::{Reply, Sim, StoreHealth};

/// A system with its model, going through steps.
#[derive(Debug)]
pub struct Life {
    sim: Sim,
    model: Model,
    /// The attempt that the model follows.
    known: Option<EffectId>,
    speech: Speech,
    has_head: bool,
    carries_tag: bool,
    /// A redirect is followed: the request's own basis counts on.
    redirected: Option<bool>,
    has_base: bool,
    synchronizers: usize,
}

impl Life {
    /// Starts a system.
    pub fn start(which: u8, seed: u64, cuts: Vec<usize>) -> Self {
        let sim = Sim::seeded(configuration(which), seed).requests_per_minute(150).cut_into(cuts);
        let mut life = Self {
            sim,
            model: Model::default(),
            known: None,
            speech: Speech::Stream,
            has_head: false,
            carries_tag: false,
            redirected: None,
            has_base: false,
            synchronizers: [1, 2, 2, 2, 2, 1].get(usize::from(which % 6)).copied().unwrap_or(0),
        };
        life.sim.start();
        life.follow();
        life
    }

    /// Does one step, and checks the data against the model.
    pub fn step(&mut self, step: &Step) {
        let time = |milliseconds: &u32| Duration::from_millis((*milliseconds).into());
        match step {
            Step::Advance(by) => {
                self.sim.advance(time(by));
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
            Step::Close => {
                self.sim.close();
            }
            _ if self.sim.live().is_none() => {}
            Step::Head(head) => self.head(head),
            Step::Say(says) => self.say(says),
            Step::Deliver(things, state) => self.deliver(things, *state),
            Step::Bytes(bytes) => self.bytes(bytes),
            Step::End => self.end(),
            Step::Break => self.break_off(),
        }
        self.follow();
        invariants::the_snapshot_equals_the_model(&mut self.sim, &mut self.model);
    }

    /// All peers are good from now on: the system becomes healthy within an hour and a quarter (a directive can last an hour), if it is not
    /// over (invariant 14).
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
        self.sim.store_fares(StoreHealth::Up).advance(Duration::from_secs(4500));
        invariants::the_first_healthy_source_is_reached(&self.sim, self.synchronizers);
        assert!(self.sim.is_over() || self.sim.is_store_quiet(), "{self:?}");
    }

    /// The model's connection is the system's.
    fn follow(&mut self) {
        let live = self.sim.live();
        if live == self.known {
            assert_eq!(self.model.is_connected(), live.is_some(), "{self:?}");
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

    fn good_head(&mut self) {
        let head = Head { status: 200, is_typed: true, is_tagged: true, directive: None };
        self.head(&head);
    }

    fn say(&mut self, says: &[Say]) {
        self.good_head();
        let events: Vec<_> = says.iter().map(Say::wire).collect();
        match self.speech {
            Speech::Stream => {
                says.iter().for_each(|say| self.model.hear(say));
                self.sim.reply(Reply::default().bytes(wire::sse(&events)));
            }
            Speech::Poll => {
                says.iter().for_each(|say| self.model.hear(say));
                self.model.end_of_poll();
                self.sim.reply(Reply::default().bytes(wire::poll_body(&events)).end());
            }
            Speech::Fdv1 => self.say_fdv1(says),
            Speech::Custom => self.say_custom(says),
        }
    }

    fn say_fdv1(&mut self, says: &[Say]) {
        let mut items: Vec<Item> = Vec::new();
        let mut things = Vec::new();
        let is_spoiled = says.iter().any(|say| matches!(say, Say::PutBad(_)));
        for say in says {
            match say {
                Say::Put(thing) => {
                    items.push(thing.item());
                    things.push(thing.clone());
                }
                Say::PutBad(_) => items.push(wire::undecodable("bad")),
                _ => {}
            }
        }
        self.model.replace(Change::of(true, &things, None).spoiled(is_spoiled));
        self.model.disconnect();
        self.sim.reply(Reply::default().bytes(wire::fdv1_body(items)).end());
    }

    fn say_custom(&mut self, says: &[Say]) {
        for say in says {
            let is_live = self.sim.live().is_some() && self.sim.live() == self.known;
            if !is_live || self.speech != Speech::Custom {
                return;
            }
            self.say_custom_one(say);
            self.follow();
        }
    }

    fn say_custom_one(&mut self, say: &Say) {
        let error = || CustomError { kind: ErrorKind::Unknown, message: "words".into() };
        let update = match say {
            Say::Put(thing) => {
                let things = [thing.clone()];
                return self.tell_change_set(false, &things, Some(format!("s{}", thing.version)));
            }
            Say::Noise(_) | Say::Transferred(_) => SourceUpdate::Progress,
            Say::GoodbyeToFdv1(ttl) => {
                self.model.direct();
                SourceUpdate::Directive(Some(Duration::from_secs((*ttl).into())))
            }
            Say::Error => SourceUpdate::Failed(error()),
            Say::Goodbye => SourceUpdate::Ended,
            Say::Nonsense(_) => SourceUpdate::FailedFinally(error()),
            _ => return,
        };
        if matches!(say, Say::Error | Say::Goodbye | Say::Nonsense(_)) {
            self.model.disconnect();
        }
        self.sim.reply(Reply::custom([update]));
    }

    fn deliver(&mut self, things: &[Thing], state: u8) {
        match self.speech {
            Speech::Custom => self.tell_change_set(true, things, Some(format!("s{state}"))),
            Speech::Stream | Speech::Poll | Speech::Fdv1 => {
                let puts = things.iter().cloned().map(Say::Put);
                let says = [Say::Full].into_iter().chain(puts).chain([Say::Transferred(state)]);
                self.say(&says.collect::<Vec<_>>());
            }
        }
    }

    fn tell_change_set(&mut self, is_full: bool, things: &[Thing], selector: Option<String>) {
        let update = custom_change_set(is_full, things, selector.as_deref());
        self.model.replace(Change::of(is_full, things, selector));
        // An initializer is through with its first change set.
        let is_initializer =
            self.sim.running().is_some_and(|running| matches!(running, SourceId::Initializer(_)));
        if is_initializer {
            self.model.disconnect();
        }
        self.sim.reply(Reply::custom([update]));
    }

    /// No event and no JSON begins so: a stream skips the line, a body is broken for good.
    fn bytes(&mut self, bytes: &[u8]) {
        if self.speech == Speech::Custom {
            return;
        }
        self.good_head();
        if self.speech != Speech::Stream {
            self.model.disconnect();
        }
        let letters: String = bytes.iter().map(|byte| char::from(b'a' + byte % 26)).collect();
        self.sim.reply(Reply::default().bytes(format!("}}{letters}\n\n")));
        if self.speech != Speech::Stream && self.sim.live() == self.known {
            self.sim.end();
        }
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

fn custom_change_set(is_full: bool, things: &[Thing], selector: Option<&str>) -> SourceUpdate {
    let mut builder = if is_full { ChangeSetBuilder::full() } else { ChangeSetBuilder::changes() };
    for thing in things {
        let item = thing.item();
        let kind = if thing.is_flag { Kind::Flag } else { Kind::Segment };
        builder.put(kind, &item.key, item.version, &item.object).expect("a good thing");
    }
    let selector = selector.map(|state| Selector::new(state, 1));
    SourceUpdate::ChangeSet(Box::new(builder.finish(selector)))
}

//! What the peers of a [`Life`] say, to the system and to the model.

use std::time::Duration;

use fdv2_core::EffectId;
use fdv2_core::effect::{CustomError, SourceId, SourceUpdate};
use fdv2_core::status::ErrorKind;

use super::Life;
use super::life::custom_change_set;
use crate::model::{Change, Say, Speech, Thing};
use crate::sim::wire::{self, Item, Wire};
use crate::sim::{Core, Reply};

impl<C: Core> Life<C> {
    /// The live attempt gets these events, a body ends with them.
    pub(super) fn say(&mut self, says: &[Say]) {
        self.good_head();
        match self.speech {
            Speech::Stream => {
                says.iter().for_each(|say| self.model.hear(say));
                self.sim.reply(Reply::default().bytes(wire::sse(&wires(says))));
            }
            Speech::Poll => {
                self.hear_body(says);
                self.sim.reply(Reply::default().bytes(wire::poll_body(&wires(says))).end());
            }
            Speech::Fdv1 => {
                self.hear_body(says);
                self.sim.reply(Reply::default().bytes(wire::fdv1_body(items(says))).end());
            }
            Speech::Custom => self.say_custom(says),
        }
    }

    /// The live attempt gets one whole transfer.
    pub(super) fn deliver(&mut self, things: &[Thing], state: u8) {
        if self.speech == Speech::Custom {
            return self.tell_change_set(true, things, Some(format!("s{state}")));
        }
        let puts = things.iter().cloned().map(Say::Put);
        let says = [Say::Full].into_iter().chain(puts).chain([Say::Transferred(state)]);
        self.say(&says.collect::<Vec<_>>());
    }

    /// Of what these events take only the first `keep` bytes come, round and round; then the body
    /// ends, as if it were whole or not.
    pub(super) fn cut(&mut self, says: &[Say], keep: usize, is_clean: bool) {
        if self.speech == Speech::Custom {
            return;
        }
        self.good_head();
        let bytes = self.body_of(says).into_bytes();
        let keep = keep % bytes.len().max(1);
        if self.speech == Speech::Stream {
            let mut whole = 0;
            for say in says {
                whole += wire::sse(&[say.wire()]).len();
                if whole <= keep {
                    self.model.hear(say);
                }
            }
        }
        self.model.disconnect();
        let kept = bytes.get(..keep).unwrap_or_default().to_vec();
        let reply = Reply::default().bytes(kept);
        self.sim.reply(if is_clean { reply.end() } else { reply.break_off() });
    }

    /// These events come in pieces with a pause before each. `closes`: in the midst of it the
    /// system is closed.
    pub(super) fn drip(&mut self, says: &[Say], pause: Duration, closes: bool) {
        if self.speech == Speech::Custom {
            return self.say(says);
        }
        self.good_head();
        let attempt = self.known;
        match self.speech {
            Speech::Stream => {
                for (place, say) in says.iter().enumerate() {
                    let bytes = wire::sse(&[say.wire()]);
                    let (first, second) = bytes.split_at(bytes.len() / 2);
                    if !self.drip_bytes(attempt, first, (pause, closes && place == says.len() / 2))
                    {
                        return;
                    }
                    self.model.hear(say);
                    self.sim.reply(Reply::default().bytes(second.to_owned()));
                    self.follow();
                }
            }
            Speech::Poll | Speech::Fdv1 | Speech::Custom => {
                let bytes = self.body_of(says);
                let (first, second) = bytes.split_at(bytes.len() / 2);
                // Nothing of a body counts before its end: one that breaks early leaves nothing.
                if !self.drip_bytes(attempt, first, (pause, closes)) {
                    return;
                }
                self.hear_body(says);
                self.sim.reply(Reply::default().bytes(second.to_owned()).end());
            }
        }
    }

    /// Whether the attempt lives on after these bytes, a close perhaps, and a pause.
    fn drip_bytes(
        &mut self,
        attempt: Option<EffectId>,
        bytes: &str,
        (pause, closes): (Duration, bool),
    ) -> bool {
        let is_live = |life: &Self| attempt.is_some() && life.sim.live() == attempt;
        if !is_live(self) {
            return false;
        }
        self.sim.reply(Reply::default().bytes(bytes.to_owned()));
        if closes {
            self.sim.close();
        }
        if is_live(self) {
            self.sim.advance(pause);
        }
        let is_alive = is_live(self);
        self.follow();
        is_alive
    }

    fn body_of(&self, says: &[Say]) -> String {
        match self.speech {
            Speech::Poll => wire::poll_body(&wires(says)),
            Speech::Fdv1 => wire::fdv1_body(items(says)),
            Speech::Stream | Speech::Custom => wire::sse(&wires(says)),
        }
    }

    /// The model hears a whole body.
    fn hear_body(&mut self, says: &[Say]) {
        if self.speech == Speech::Poll {
            says.iter().for_each(|say| self.model.hear(say));
            return self.model.end_of_poll();
        }
        let things = says.iter().filter_map(|say| match say {
            Say::Put(thing) => Some(thing.clone()),
            _ => None,
        });
        let is_spoiled = says.iter().any(|say| matches!(say, Say::PutBad(_)));
        let change = Change::of(true, &things.collect::<Vec<_>>(), None);
        self.model.replace(change.spoiled(is_spoiled));
        self.model.disconnect();
    }

    fn say_custom(&mut self, says: &[Say]) {
        for say in says {
            if !self.is_known_live() || self.speech != Speech::Custom {
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
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
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
}

fn wires(says: &[Say]) -> Vec<Wire> {
    says.iter().map(Say::wire).collect()
}

/// What an FDv1 body holds of it.
fn items(says: &[Say]) -> Vec<Item> {
    let items = says.iter().filter_map(|say| match say {
        Say::Put(thing) => Some(thing.item()),
        Say::PutBad(_) => Some(wire::undecodable("bad")),
        _ => None,
    });
    items.collect()
}

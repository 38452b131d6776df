//! A naive reference for the data: what sections 1 and 7 of the rules say, word by word, with no
//! regard to speed.

mod say;

pub use say::{Say, Thing};

use std::collections::{BTreeMap, BTreeSet};

use say::name_of_flag;

use crate::sim::wire::Item;

/// How much is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Held {
    #[default]
    Nothing,
    Salvaged,
    Whole,
}

/// What the data must be.
#[derive(Clone, Debug, Default)]
pub struct Model {
    things: BTreeMap<(bool, u8), Thing>,
    selector: Option<String>,
    held: Held,
    connection: Option<Connection>,
    announced: Vec<Vec<String>>,
    commits: u64,
}

/// What is spoken on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speech {
    /// The FDv2 stream.
    Stream,
    /// An FDv2 poll.
    Poll,
    /// An FDv1 poll.
    Fdv1,
    /// A custom source.
    Custom,
}

#[derive(Clone, Debug)]
struct Connection {
    speech: Speech,
    has_base: bool,
    /// Its first transfer is the last: the head carried the directive (B 5.2).
    is_directed: bool,
    phase: Phase,
    /// Of a poll: what counts when its body has ended, if anything does.
    settled: Option<Option<Change>>,
    /// Of a poll: a goodbye came.
    is_leaving: bool,
}

#[derive(Clone, Debug)]
enum Phase {
    Before,
    Open(Change),
    After { change: Option<Change>, error: bool },
}

/// A change set.
#[derive(Clone, Debug, Default)]
pub struct Change {
    is_full: bool,
    is_spoiled: bool,
    parts: Vec<((bool, u8), Option<Thing>)>,
    selector: Option<String>,
}

impl Change {
    /// One that holds these things.
    pub fn of(is_full: bool, things: &[Thing], selector: Option<String>) -> Self {
        let parts = things.iter().map(|thing| ((thing.is_flag, thing.key), Some(thing.clone())));
        Self { is_full, is_spoiled: false, parts: parts.collect(), selector }
    }

    /// The same with objects that cannot be decoded.
    pub fn spoiled(self, is_spoiled: bool) -> Self {
        Self { is_spoiled, ..self }
    }
}

impl Model {
    /// All segments and flags, as they were put.
    pub fn items(&self) -> Vec<Item> {
        self.things.values().map(Thing::item).collect()
    }

    /// How many change sets it has taken in.
    pub fn commits(&self) -> u64 {
        self.commits
    }

    /// The state of the selector.
    pub fn selector(&self) -> Option<&str> {
        self.selector.as_deref()
    }

    /// Whether the connection is open.
    pub fn is_connected(&self) -> bool {
        self.connection.is_some()
    }

    /// What was announced since the last call.
    pub fn take_announced(&mut self) -> Vec<Vec<String>> {
        std::mem::take(&mut self.announced)
    }

    /// A connection begins.
    pub fn connect(&mut self, speech: Speech, has_base: bool) {
        self.connection = Some(Connection {
            speech,
            has_base,
            is_directed: false,
            phase: Phase::Before,
            settled: None,
            is_leaving: false,
        });
    }

    /// The connection is over, and with it what it had collected.
    pub fn disconnect(&mut self) {
        self.connection = None;
    }

    /// The connection's head carried the directive.
    pub fn direct(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.is_directed = true;
        }
    }

    /// One event on a stream or in a poll's body.
    pub fn hear(&mut self, say: &Say) {
        let Some(mut connection) = self.connection.take() else { return };
        let is_broken = *say == Say::BadJson && connection.speech == Speech::Poll;
        if connection.speech == Speech::Poll
            && !is_broken
            && (connection.settled.is_some() || connection.is_leaving)
        {
            self.connection = Some(connection);
            return;
        }
        if self.hear_on(&mut connection, say) {
            self.connection = Some(connection);
        }
    }

    /// A poll's body has ended whole.
    pub fn end_of_poll(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if let Some(Some(change)) = connection.settled {
            self.commit(change);
        }
    }

    /// A change set that is complete in itself: from FDv1, or from a custom source.
    pub fn replace(&mut self, change: Change) {
        let Some(mut connection) = self.connection.take() else { return };
        let has_base = change.is_full || self.has_base(&connection);
        let may_salvage = self.held != Held::Whole;
        if !has_base || change.is_spoiled && !may_salvage {
            return;
        }
        let is_spoiled = change.is_spoiled;
        self.commit(change);
        connection.has_base = true;
        let stays = connection.speech == Speech::Custom && !connection.is_directed && !is_spoiled;
        self.connection = stays.then_some(connection);
    }

    /// Whether the connection stays.
    fn hear_on(&mut self, connection: &mut Connection, say: &Say) -> bool {
        match say {
            Say::Noise(_) => true,
            Say::Nonsense(_) | Say::BadJson => false,
            Say::Full => {
                connection.phase = Phase::Open(Change { is_full: true, ..Change::default() });
                true
            }
            Say::Changes => {
                connection.phase = Phase::Open(Change::default());
                self.has_base(connection)
            }
            Say::None => self.has_base(connection) && self.complete(connection, None),
            Say::Put(thing) => {
                self.collect(connection, (thing.is_flag, thing.key), Some(Some(thing.clone())))
            }
            Say::PutDeleted(thing) => {
                self.collect(connection, (thing.is_flag, thing.key), Some(None))
            }
            Say::Delete(is_flag, key) => self.collect(connection, (*is_flag, *key), Some(None)),
            Say::PutBad(key) => self.collect(connection, (true, *key), None),
            Say::Transferred(state) => self.transferred(connection, format!("s{state}")),
            Say::Error if connection.speech == Speech::Poll => false,
            Say::Error => {
                if !matches!(connection.phase, Phase::Before) {
                    connection.phase = Phase::After { change: None, error: true };
                }
                !connection.is_directed
            }
            Say::Goodbye | Say::GoodbyeToFdv1(_) => {
                connection.is_leaving = true;
                connection.speech == Speech::Poll
            }
        }
    }

    fn has_base(&self, connection: &Connection) -> bool {
        connection.has_base && self.held == Held::Whole
    }

    /// `part`: the thing, its deletion, or `None` for one that cannot be decoded.
    fn collect(
        &self,
        connection: &mut Connection,
        key: (bool, u8),
        part: Option<Option<Thing>>,
    ) -> bool {
        let has_base = self.has_base(connection);
        let change = match &mut connection.phase {
            Phase::Before => return true,
            Phase::Open(change) => change,
            Phase::After { change: None, .. } if !has_base => return false,
            Phase::After { change, .. } => change.get_or_insert_default(),
        };
        match part {
            Some(part) => change.parts.push((key, part)),
            None => {
                change.is_spoiled = true;
                return change.is_full && self.held != Held::Whole;
            }
        }
        true
    }

    fn transferred(&mut self, connection: &mut Connection, state: String) -> bool {
        let mut change = match &connection.phase {
            Phase::Before => return false,
            Phase::Open(change) | Phase::After { change: Some(change), .. } => change.clone(),
            Phase::After { change: None, error: true } => return true,
            Phase::After { change: None, error: false } => Change::default(),
        };
        change.selector = Some(state);
        let stays = !change.is_spoiled || connection.speech == Speech::Poll;
        self.complete(connection, Some(change)) && stays
    }

    /// Whether the connection stays.
    fn complete(&mut self, connection: &mut Connection, change: Option<Change>) -> bool {
        connection.phase = Phase::After { change: None, error: false };
        connection.has_base = true;
        if connection.speech == Speech::Poll {
            connection.settled = Some(change);
            return true;
        }
        if let Some(change) = change {
            self.commit(change);
        }
        !connection.is_directed
    }

    fn commit(&mut self, change: Change) {
        self.commits += 1;
        let old = self.things.clone();
        if change.is_full {
            self.things.clear();
        }
        for (key, part) in change.parts {
            match part {
                Some(thing) => self.things.insert(key, thing),
                None => self.things.remove(&key),
            };
        }
        self.held = match (change.is_spoiled, self.held) {
            (true, _) => Held::Salvaged,
            (false, _) if change.is_full => Held::Whole,
            (false, held) => held,
        };
        self.selector = change.selector.filter(|_| !change.is_spoiled);
        let announced = self.closure(&old);
        if !announced.is_empty() {
            self.announced.push(announced);
        }
    }

    /// The flags that changed, and those that depend on what changed (B 7.1).
    fn closure(&self, old: &BTreeMap<(bool, u8), Thing>) -> Vec<String> {
        let keys: BTreeSet<_> = old.keys().chain(self.things.keys()).copied().collect();
        let mut changed: BTreeSet<(bool, u8)> =
            keys.into_iter().filter(|key| old.get(key) != self.things.get(key)).collect();
        loop {
            let before = changed.len();
            for (key, thing) in self.things.iter().filter(|(key, _)| key.0) {
                let needs = thing.needs.is_some_and(|needs| changed.contains(&(true, needs)));
                let uses = thing.uses.is_some_and(|uses| changed.contains(&(false, uses)));
                if needs || uses {
                    changed.insert(*key);
                }
            }
            if changed.len() == before {
                break;
            }
        }
        changed.iter().filter(|key| key.0).map(|key| name_of_flag(key.1)).collect()
    }
}

//! The store's lane through the one entry point. Everything else has its scenarios in `tests/`.

use std::time::Duration;

use bytes::Bytes;

use super::*;
use crate::config::{Custom, Polling, StoreMode};
use crate::effect::{Command, Effect, Outcome, ResponseHead, SourceUpdate, StoreRead, Update};
use crate::model::Kind;
use crate::persistence::{Scope, StoreError, Upserted};
use crate::snapshot::ChangeSetBuilder;
use crate::status::{Availability, Readiness, SourceState};

const FULL: &str = r#"{"events":[
    {"event":"server-intent","data":{"payloads":[{"intentCode":"xfer-full"}]}},
    {"event":"put-object","data":{"kind":"flag","key":"a","version":1,"object":{"variations":[1]}}},
    {"event":"payload-transferred","data":{"state":"s1","version":1}}]}"#;
const BAD: &str = r#"{"events":[
    {"event":"server-intent","data":{"payloads":[{"intentCode":"xfer-full"}]}},
    {"event":"put-object","data":{"kind":"flag","key":"a","version":1,"object":{"variations":[1]}}},
    {"event":"put-object","data":{"kind":"flag","key":"b","version":1,"object":[]}},
    {"event":"payload-transferred","data":{"state":"s1","version":1}}]}"#;

/// A system, its clock, and the commands of the last event.
struct Case {
    system: DataSystem,
    now: Instant,
    commands: Vec<Command>,
}

impl Case {
    fn start(builder: crate::config::ConfigBuilder) -> Self {
        let system = DataSystem::new(builder.build().unwrap(), 1);
        let mut case = Self { system, now: Instant::EPOCH, commands: Vec::new() };
        case.handle(Event::Start);
        case
    }

    fn polling(mode: StoreMode) -> Self {
        Self::start(Config::custom("k").synchronizer(Polling::new()).store(mode))
    }

    fn handle(&mut self, event: Event) {
        self.commands = self.system.handle(self.now, event).collect();
    }

    fn advance(&mut self, seconds: u64) {
        self.now = self.now + Duration::from_secs(seconds);
        self.handle(Event::Tick);
    }

    fn source(&mut self, outcome: Outcome) {
        let id = self.system.live.as_ref().unwrap().id;
        self.handle(Event::Effect { id, outcome });
    }

    fn store(&mut self, outcome: Outcome) {
        let id = self.system.live_store.unwrap();
        self.handle(Event::Effect { id, outcome });
    }

    /// The poll is answered with `body`, to its end or to where the attempt is over.
    fn answer(&mut self, body: &'static str) {
        let headers = http::HeaderMap::new();
        self.source(Outcome::ResponseHead(ResponseHead { status: 200, headers }));
        self.source(Outcome::ResponseChunk(Bytes::from_static(body.as_bytes())));
        if self.system.live.is_some() {
            self.source(Outcome::ResponseEnd(Ok(())));
        }
    }

    /// A word for each command, in order.
    fn words(&self) -> Vec<&'static str> {
        let word = |command: &Command| match command {
            Command::Emit(Update::Snapshot(_)) => "snapshot",
            Command::Emit(Update::SourceStatus(_)) => "status",
            Command::Emit(Update::Readiness(_)) => "readiness",
            Command::Emit(Update::FlagsChanged(_)) => "changes",
            Command::Emit(Update::StoreStatus(_)) => "store status",
            Command::Emit(Update::Stopped) => "stopped",
            Command::Emit(_) => "other",
            Command::Start { effect: Effect::WriteStore(write), .. } => match write.scope() {
                Scope::Everything => "write everything",
                Scope::Items(_) => "write items",
            },
            Command::Start { effect: Effect::ProbeStore, .. } => "probe",
            Command::Start { .. } => "start",
            Command::Cancel { .. } => "cancel",
            Command::Discard(_) => "discard",
        };
        self.commands.iter().map(word).filter(|word| *word != "discard").collect()
    }
}

fn written() -> Outcome {
    Outcome::StoreWritten(Ok(Upserted::Written))
}

/// B 6.3: readers are told first, the store last.
#[test]
fn b_6_3_the_store_is_written_after_everybody_is_told() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(FULL);
    let words = case.words();
    assert_eq!(words, ["snapshot", "status", "readiness", "changes", "write everything"]);
}

/// B 9.1: nothing is written to a read-only store; B 9.3: and nothing read by the core.
#[test]
fn b_9_1_a_read_only_store_is_left_alone() {
    let mut case = Case::polling(StoreMode::ReadOnly);
    assert_eq!(case.words(), ["other", "start"]);
    case.answer(FULL);
    assert_eq!(case.words(), ["snapshot", "status", "readiness", "changes"]);
}

/// B 9.4: salvage is not persisted.
#[test]
fn b_9_4_what_was_salvaged_is_not_persisted() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(BAD);
    assert!(case.system.snapshot().flag("a").is_some());
    assert!(!case.words().contains(&"write everything"), "{:?}", case.words());
}

/// B 1.15: nothing is salvaged once an initialized store stands behind.
#[test]
fn b_1_15_with_an_initialized_store_nothing_is_salvaged() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.handle(Event::StoreRead(StoreRead::Initialized));
    case.answer(BAD);
    assert!(!case.system.snapshot().is_held());
    assert_eq!(case.words(), ["status", "cancel"]);
}

/// B 1.15: also when the marker is found while the transfer comes in.
#[test]
fn b_1_15_a_store_that_proves_to_be_initialized_is_not_replaced_by_salvage() {
    let (before, after) = BAD.split_at(BAD.len() / 2);
    let chunk = |text: &'static str| Outcome::ResponseChunk(Bytes::from_static(text.as_bytes()));
    let headers = http::HeaderMap::new();
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.source(Outcome::ResponseHead(ResponseHead { status: 200, headers }));
    case.source(chunk(before));
    case.handle(Event::StoreRead(StoreRead::Initialized));
    case.source(chunk(after));
    case.source(Outcome::ResponseEnd(Ok(())));
    assert!(!case.system.snapshot().is_held());
    assert_eq!(case.words(), ["status"]);
}

/// B 9.4: custom sources say for themselves, files never are persisted.
#[test]
fn b_9_4_custom_sources_say_whether_they_are_persisted() {
    let sources = [
        (Custom::new("c"), true),
        (Custom::new("c").persist(false), false),
        (Custom::new("c").file(), false),
    ];
    for (custom, is_persisted) in sources {
        let builder = Config::custom("k").synchronizer(custom).store(StoreMode::ReadWrite);
        let mut case = Case::start(builder);
        let mut change_set = ChangeSetBuilder::full();
        change_set.put(Kind::Flag, "a", 1, "{}").unwrap();
        let update = SourceUpdate::ChangeSet(Box::new(change_set.finish(None)));
        case.source(Outcome::SourceUpdate(update));
        assert_eq!(case.words().contains(&"write everything"), is_persisted);
    }
}

/// B 6.8: a store and no sources is ready, valid, and nothing is asked for.
#[test]
fn b_6_8_daemon_mode_is_ready_at_once() {
    let case = Case::start(Config::daemon());
    assert!(case.system.config().is_daemon());
    assert_eq!(case.words(), ["status", "readiness"]);
    assert_eq!(case.system.next_deadline(), None);
}

/// B 9.10: also in daemon mode a failed read starts probes until one is answered.
#[test]
fn b_9_10_a_failed_read_is_an_outage_until_a_probe_is_answered() {
    let mut case = Case::start(Config::daemon());
    case.handle(Event::StoreRead(StoreRead::Failed(StoreError::new("down"))));
    assert_eq!(case.words(), ["store status"]);
    case.advance(1);
    assert_eq!(case.words(), ["probe"]);
    case.store(Outcome::StoreProbed(Ok(())));
    assert_eq!(case.words(), ["store status"]);
    assert_eq!(case.system.next_deadline(), None);
}

/// B 9.5: a write that hangs is given up, whatever the source does meanwhile.
#[test]
fn b_9_5_a_hanging_write_is_given_up_after_30_s() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(FULL);
    let id = case.system.live_store.unwrap();
    case.advance(30);
    let words = case.words();
    assert!(words.contains(&"cancel") && words.contains(&"store status"), "{words:?}");
    case.handle(Event::Effect { id, outcome: written() });
    assert_eq!(case.words(), [""; 0], "the late answer changes nothing");
}

/// B 10.2, 3.8: the store may end its work after the status is OFF.
#[test]
fn b_10_2_closing_lets_the_write_end_within_its_grace() {
    let grace = Duration::from_secs(2);
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(FULL);
    case.handle(Event::Shutdown { grace });
    assert_eq!(case.words(), ["status"]);
    case.store(written());
    assert_eq!(case.words(), ["stopped"]);
    assert_eq!(case.system.next_deadline(), None);

    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(FULL);
    case.handle(Event::Shutdown { grace });
    case.advance(2);
    assert_eq!(case.words(), ["cancel", "stopped"]);
    assert_eq!(case.system.next_deadline(), None);
}

/// B 3.8: with every source removed, the store goes on with its work.
#[test]
fn b_3_8_the_store_goes_on_without_sources() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.answer(FULL);
    case.advance(30);
    case.store_is_down_for(1);
    let headers = http::HeaderMap::new();
    case.source(Outcome::ResponseHead(ResponseHead { status: 401, headers }));
    case.advance(1);
    assert_eq!(case.words(), ["probe"]);
    case.store(Outcome::StoreProbed(Ok(())));
    assert_eq!(case.words(), ["write everything"]);
    case.store(written());
    assert_eq!(case.words(), ["store status"]);
    assert_eq!(case.system.next_deadline(), None);
}

impl Case {
    /// The probes of an outage are refused for so long.
    fn store_is_down_for(&mut self, seconds: u64) {
        for _ in 0..seconds {
            self.advance(1);
            if self.system.live_store.is_some() {
                self.store(Outcome::StoreProbed(Err(StoreError::new("down"))));
            }
        }
    }
}

/// B 6.7, 9.2: what the store holds does not count as data held.
#[test]
fn b_6_4_cached_data_does_not_make_ready() {
    let mut case = Case::polling(StoreMode::ReadWrite);
    case.handle(Event::StoreRead(StoreRead::Initialized));
    assert_eq!(case.words(), [""; 0]);
    assert_eq!(case.system.snapshot().availability(), Availability::Defaults);
    case.answer(FULL);
    let is_ready =
        |command: &Command| matches!(command, Command::Emit(Update::Readiness(Readiness::Ready)));
    let is_valid = |command: &Command| {
        matches!(command, Command::Emit(Update::SourceStatus(status))
            if status.state == SourceState::Valid)
    };
    assert!(case.commands.iter().any(is_ready) && case.commands.iter().any(is_valid));
}

/// B 6.8, 5.5: with initializers only, the data counts again once a directive has ended.
#[test]
fn b_6_8_initializers_only_are_valid_again_after_a_directive() {
    let builder = Config::custom("k").initializer(Polling::new());
    let mut case = Case::start(builder);
    let mut headers = http::HeaderMap::new();
    headers.insert("x-ld-fd-fallback", "true".parse().unwrap());
    headers.insert("x-ld-fd-fallback-ttl", "60".parse().unwrap());
    case.source(Outcome::ResponseHead(ResponseHead { status: 200, headers }));
    case.source(Outcome::ResponseChunk(Bytes::from_static(FULL.as_bytes())));
    case.source(Outcome::ResponseEnd(Ok(())));
    case.advance(60);
    let status = case.commands.iter().find_map(|command| match command {
        Command::Emit(Update::SourceStatus(status)) => Some(status),
        _ => None,
    });
    let status = status.unwrap();
    assert_eq!((status.state, status.is_last), (SourceState::Valid, false));
    assert_eq!(case.system.next_deadline(), None);
}

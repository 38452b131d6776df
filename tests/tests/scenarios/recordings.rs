//! A simulated run, recorded and replayed.

use std::{fs, thread};

use fdv2_core::config::{Custom, StoreMode};
use fdv2_core::effect::SourceUpdate;
use fdv2_core::model::Kind;
use fdv2_core::persistence::{CorruptRecord, StoreError};
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::status::ErrorKind;
use fdv2_core::{Command, DataSystem, Event, Selector, Snapshot, StoreRead};
use fdv2_recording::{
    Damage, Ending, Entry, Options, Recorder, Recording, Replay, ReplayError, Replayed, replay,
};
use fdv2_tests::sim::wire::{changes, full, off, on, segment};
use fdv2_tests::sim::{Reply, Sim, StoreHealth, config, millis, poll, recordings, secs, stream};
use fdv2_tests::steps::{self, Life};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

fn replayed(recording: &[u8]) -> Replayed {
    match replay(recording) {
        Ok(replayed) => replayed,
        Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(recording)),
    }
}

/// Streams, a fallback, a store with an outage, a directive, and the end.
fn eventful() -> Sim {
    let builder = config().initializer(poll("i")).synchronizer(stream("a")).synchronizer(poll("b"));
    let builder = builder.fdv1(poll("v1")).store(StoreMode::ReadWrite).filter("f");
    let builder = builder.application_id("app").wrapper("w", "1").header("x-token", "s3cret");
    let mut sim = Sim::seeded(builder, 7).cut_into([1, 7, 100]);
    sim.serve_in_turn("i", [Reply::poll(full("s1", [on("a"), segment("s", &["u"])]))]);
    sim.serve_in_turn(
        "a",
        [
            Reply::stream(changes("s2", [off("a").version(2), on("b").uses(&["s"])]))
                .header("set-cookie", "s3cret")
                .header("x-ld-envid", "env-1"),
            Reply::refuse(),
            Reply::status(503),
        ],
    );
    sim.serve_always("b", Reply::poll(changes("s3", [on("c").version(3)])));
    sim.start().advance(secs(5));
    sim.store_fares(StoreHealth::Down);
    sim.send(changes("s4", [on("d")]));
    sim.advance(secs(5)).store_fares(StoreHealth::Up);
    sim.tell(Event::StoreRead(StoreRead::Initialized));
    let unreadable = CorruptRecord::Key { kind: Kind::Flag };
    sim.tell(Event::StoreRead(StoreRead::Unreadable(unreadable)));
    sim.tell(Event::StoreRead(StoreRead::Failed(StoreError::new("away"))));
    sim.break_off();
    sim.advance(secs(200));
    sim.serve_always("b", Reply::status(500).directive());
    sim.serve_always("v1", Reply::fdv1([on("e")]));
    sim.advance(secs(100)).close();
    sim
}

/// A failing property prints its seed and where this file is.
#[test]
fn a_run_that_fails_leaves_a_recording_that_replays() {
    const NAME: &str = "a failure on purpose";
    let fail = || {
        let sim = eventful();
        assert!(sim.recording().is_empty(), "on purpose");
    };
    let failing = thread::Builder::new().name(NAME.into()).spawn(fail).unwrap();
    assert!(failing.join().is_err());
    let recording = fs::read(recordings().join(format!("{NAME}.fdv2"))).unwrap();
    assert_eq!(recording, eventful().recording());
    replayed(&recording);
}

#[test]
fn a_simulated_run_replays_bit_for_bit() {
    let sim = eventful();
    let recording = sim.recording();
    let replayed = replayed(&recording);
    assert!(replayed.events > 100, "{}", replayed.events);
    assert_eq!(&replayed.snapshot, sim.system().snapshot());
    assert_eq!((replayed.until, replayed.ending), (sim.now(), Ending::Closed));
    let text = String::from_utf8(recording).unwrap();
    assert!(!text.contains("s3cret") && !text.contains("sdk-key"), "{text}");
}

/// All that a custom source can tell, change sets above all, which are written down item by item.
#[test]
fn a_run_of_a_custom_source_replays_bit_for_bit() {
    let builder =
        config().synchronizer(Custom::new("c")).synchronizer(Custom::new("d")).fdv1(poll("v1"));
    let mut sim = Sim::new(builder);
    let error = || fdv2_core::effect::CustomError {
        kind: ErrorKind::Unknown,
        message: "the custom source's \"own\" error\n".into(),
    };
    let mut whole = ChangeSetBuilder::full();
    whole
        .put(Kind::Flag, "a\"é", 3, r#"{"key":"other", "variations":["ß", 1e4], "new":1e400}"#)
        .unwrap();
    whole.put(Kind::Flag, "gone", 3, "{}").unwrap();
    whole.delete(Kind::Flag, "gone", 4).unwrap();
    whole.put(Kind::Segment, "s", 3, r#"{"version":null}"#).unwrap();
    let mut more = ChangeSetBuilder::changes();
    more.put(Kind::Flag, "b", 3, "{ }").unwrap();
    more.delete(Kind::Segment, "s", 9).unwrap();
    let updates = [
        SourceUpdate::EnvironmentId("env".into()),
        SourceUpdate::Progress,
        SourceUpdate::ChangeSet(Box::new(whole.finish(Some(Selector::new("s1", 5))))),
        SourceUpdate::ChangeSet(Box::new(more.finish(None))),
        SourceUpdate::Unchanged,
        SourceUpdate::Failed(error()),
    ];
    sim.start();
    for update in updates {
        sim.reply(Reply::custom([update])).advance(millis(10));
    }
    sim.advance(secs(40));
    sim.reply(Reply::custom([SourceUpdate::Directive(Some(secs(60)))]));
    sim.advance(secs(100));
    sim.reply(Reply::custom([SourceUpdate::FailedFinally(error())])).advance(secs(1));
    sim.reply(Reply::custom([SourceUpdate::Ended])).advance(secs(1));
    let replayed = replayed(&sim.recording());
    assert_eq!(&replayed.snapshot, sim.system().snapshot());
}

#[test]
fn every_random_life_replays_bit_for_bit() {
    let mut runner = TestRunner::deterministic();
    let lives = prop::collection::vec(steps::step(), 1..80);
    for which in 0..steps::CONFIGURATIONS * 4 {
        let steps = lives.new_tree(&mut runner).unwrap().current();
        let mut life = Life::start(which, u64::from(which), Vec::new());
        steps.iter().for_each(|step| life.step(step));
        replayed(&life.sim().recording());
    }
}

/// The same run, recorded once more with its texts hidden, and why that ended.
fn redacted(recording: &[u8]) -> (Vec<u8>, Ending) {
    let recording = Recording::open(recording).unwrap();
    let (config, seed) = (recording.config().clone(), recording.seed());
    let options = Options::default().redact(true);
    let mut recorder = Recorder::begin(Vec::new(), &config, seed, &options).unwrap();
    let mut system = DataSystem::new(config, seed);
    for entry in recording {
        let Entry { at, event, .. } = entry.unwrap();
        let commands: Vec<Command> = system.handle(at, event.clone()).collect();
        recorder.record(at, &event, &commands).unwrap();
    }
    let ending = recorder.ended().unwrap_or(Ending::Closed);
    (recorder.end(Ending::Closed).unwrap(), ending)
}

#[test]
fn a_redacted_recording_makes_the_same_decisions_and_replays_bit_for_bit() {
    let sim = eventful();
    let (recording, ending) = redacted(&sim.recording());
    assert_eq!(ending, Ending::Closed);
    let replayed = replayed(&recording);
    let keys = |snapshot: &Snapshot| {
        snapshot.flags().map(|flag| (flag.key().clone(), flag.version())).collect::<Vec<_>>()
    };
    assert_eq!(keys(&replayed.snapshot), keys(sim.system().snapshot()));
    assert_eq!(replayed.snapshot.selector(), sim.system().snapshot().selector());
    assert_eq!(replayed.snapshot.revision(), sim.system().snapshot().revision());
}

/// Whatever peers send, a redacted recording replays; and hardly ever does what is hidden decide.
#[test]
fn every_random_life_can_be_redacted() {
    let mut runner = TestRunner::deterministic();
    let lives = prop::collection::vec(steps::step(), 1..60);
    let mut ended_early = 0;
    for which in 0..steps::CONFIGURATIONS * 4 {
        let steps = lives.new_tree(&mut runner).unwrap().current();
        let mut life = Life::start(which, u64::from(which), Vec::new());
        steps.iter().for_each(|step| life.step(step));
        let (recording, ending) = redacted(&life.sim().recording());
        assert_eq!(replayed(&recording).ending, ending);
        ended_early += u8::from(ending != Ending::Closed);
    }
    assert!(ended_early <= steps::CONFIGURATIONS / 4, "{ended_early} ended early");
}

fn damage_of(recording: &[u8]) -> Damage {
    match replay(recording) {
        Err(ReplayError::Damage(damage)) => damage,
        other => panic!("{other:?}"),
    }
}

/// A line of the recording with another text in it, and the checksum that goes with that.
fn forged(recording: &[u8], line: usize, change: impl Fn(&str) -> String) -> Vec<u8> {
    let text = std::str::from_utf8(recording).unwrap();
    let lines = text.lines().enumerate().map(|(index, text)| match index + 1 == line {
        true => {
            let json = change(&text[9..]);
            format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
        }
        false => format!("{text}\n"),
    });
    lines.collect::<String>().into_bytes()
}

#[test]
fn a_damaged_recording_is_named_by_its_line() {
    let whole = eventful().recording();
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let without = |left_out: usize| {
        let kept = lines.iter().enumerate().filter(|(index, _)| index + 1 != left_out);
        kept.map(|(_, line)| *line).collect::<Vec<_>>().concat()
    };
    // Lines that are missing, or the end.
    assert_eq!(damage_of(&without(9)), Damage::Order { line: 9, says: 10 });
    let last = lines.len() as u64;
    assert_eq!(damage_of(&without(lines.len())), Damage::NoEnd { line: last - 1 });
    let twice = [&whole[..], lines.last().unwrap()].concat();
    assert_eq!(damage_of(&twice), Damage::BehindTheEnd { line: last + 1 });
    // Cut off anywhere.
    for cut in [lines[0].len() + 5, whole.len() - 1] {
        assert!(matches!(damage_of(&whole[..cut]), Damage::CutOff { .. }));
    }
    assert!(matches!(damage_of(&whole[..lines[0].len() - 1]), Damage::CutOff { line: 1 }));
    // Other formats and versions.
    for other in [&b""[..], b"{}\n", b"\n", &[0xff; 99], b"00000000 {}\n", &without(1)] {
        assert_eq!(damage_of(other), Damage::NotOne);
    }
    for version in [0, 2] {
        let other = format!("\"version\":{version}");
        let other = forged(&whole, 1, |json| json.replacen("\"version\":1", &other, 1));
        assert_eq!(damage_of(&other), Damage::Version { version, known: 1 });
    }
    // A line that is whole and makes no sense.
    let nonsense = forged(&whole, 5, |json| json.replacen("\"event\"", "\"evening\"", 1));
    assert!(matches!(damage_of(&nonsense), Damage::Nonsense { line: 5, .. }));
    let hot = forged(&whole, 1, |json| json.replacen("\"0.500000000\"", "\"0.000000000\"", 1));
    assert!(matches!(damage_of(&hot), Damage::Config(_)));
}

#[test]
fn every_changed_byte_is_noticed() {
    let whole = eventful().recording();
    for at in (0..whole.len()).step_by(whole.len() / 50) {
        let mut changed = whole.clone();
        changed[at] ^= 1;
        let damage = damage_of(&changed);
        let line = 1 + whole[..at].iter().filter(|byte| **byte == b'\n').count() as u64;
        assert!(
            matches!(damage, Damage::Checksum { line: said } if said == line)
                || line == 1
                || whole[at] == b'\n',
            "byte {at}: {damage}"
        );
    }
}

/// An event that is another, under a checksum that fits: the first one that differs is named.
#[test]
fn the_first_event_that_differs_is_named() {
    let whole = eventful().recording();
    let text = String::from_utf8(whole.clone()).unwrap();
    let head = text.lines().position(|line| line.contains("\"status\":503")).unwrap() + 1;
    let forged = forged(&whole, head, |json| json.replacen("503", "502", 1));
    let Err(ReplayError::Differs(step)) = replay(forged.as_slice()) else { panic!("the same") };
    assert_eq!(step.line, head as u64);
    assert!(step.commands.iter().any(|command| command.contains("502")), "{:?}", step.commands);
}

/// For a test of a bug report: what the core should do instead.
#[test]
fn the_events_of_a_recording_can_be_let_in_one_by_one() {
    let whole = eventful().recording();
    let mut recording = Recording::open(whole.as_slice()).unwrap();
    let mut replay = Replay::new(recording.config().clone(), recording.seed());
    let until_b = |replay: &Replay| replay.system().snapshot().flag("b").is_some();
    for entry in recording.by_ref() {
        assert!(replay.step(entry.unwrap()).is_same());
        if until_b(&replay) {
            break;
        }
    }
    assert_eq!(replay.system().snapshot().flag("a").unwrap().version(), 2);
    assert!(recording.next().is_some());
}

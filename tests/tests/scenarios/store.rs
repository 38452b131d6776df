//! B 9.4 to 9.6 and 10.2, as far as the core decides them: a store that is slow, down, torn, hanging
//! or emptied, and what it holds in the end. (Random life holds it to invariant 11.)

use fdv2_core::Event;
use fdv2_core::config::StoreMode;
use fdv2_core::effect::StoreRead;
use fdv2_core::model::Kind;
use fdv2_core::persistence::{Scope, StoreError};
use fdv2_core::status::SourceState;
use fdv2_tests::invariants::the_store_holds_what_memory_holds;
use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, StoreHealth, config, millis, poll, secs, stream};

/// The stream `a` with a store of this mode, started and open.
fn with_store(mode: StoreMode) -> Sim {
    let mut sim = Sim::new(config().synchronizer(stream("a")).store(mode));
    sim.start().reply(Reply::stream([]));
    sim
}

fn read_write() -> Sim {
    with_store(StoreMode::ReadWrite)
}

#[track_caller]
fn assert_mirrored(sim: &Sim) {
    assert!(sim.is_store_quiet(), "{sim:?}");
    the_store_holds_what_memory_holds(sim.store(), sim.system().snapshot());
}

fn text_of(sim: &Sim, key: &str) -> Option<String> {
    let record = sim.store().records.get(&(Kind::Flag, key.into()));
    record.map(|record| record.text().to_string())
}

fn read_failed() -> Event {
    Event::StoreRead(StoreRead::Failed(StoreError::new("a read failed")))
}

/// B 9.4.
#[test]
fn a_full_change_set_replaces_and_changes_are_upserted() {
    let mut sim = read_write();
    sim.send(full("s1", [on("f1"), on("f2"), segment("g", &[])]));
    assert!(sim.store().is_initialized);
    assert_eq!(sim.store().records.len(), 3);
    sim.send([
        intent("xfer-changes"),
        put(off("f1").version(2)),
        delete("f2", 2),
        transferred("s2", 2),
    ]);
    assert_eq!(text_of(&sim, "f1").as_deref(), Some(off("f1").version(2).object.as_str()));
    assert!(text_of(&sim, "f2").unwrap().contains("\"deleted\":true"));
    assert!(
        matches!(sim.store().writes(), [Scope::Everything, Scope::Items(items)] if items.len() == 2)
    );
    sim.send(full("s3", [on("f3")]));
    assert_eq!(sim.store().records.len(), 1);
    assert_mirrored(&sim);
}

/// B 9.4: what comes by a poll and from FDv1 is persisted too.
#[test]
fn polls_and_fdv1_are_persisted() {
    let configured = config().initializer(poll("i")).synchronizer(stream("a")).fdv1(poll("v1"));
    let mut sim = Sim::new(configured.store(StoreMode::ReadWrite));
    sim.serve_always("i", Reply::poll(full("s1", [on("f1")])));
    sim.serve_always("v1", Reply::fdv1([on("f1"), on("f2")]));
    sim.start();
    assert_eq!(sim.store().records.len(), 1);
    sim.reply(Reply::status(500).directive());
    assert_eq!(sim.store().records.len(), 2);
    assert_mirrored(&sim);
}

/// B 9.1.
#[test]
fn a_read_only_store_is_never_written() {
    let mut sim = with_store(StoreMode::ReadOnly);
    sim.send(full("s1", [on("f1")])).send(changes("s2", [off("f1")])).advance(secs(100));
    assert!(sim.store().writes().is_empty());
}

/// B 9.5: while one write runs, what arrives merges into one.
#[test]
fn a_slow_store_gets_what_arrived_meanwhile_at_once() {
    let mut sim = read_write();
    sim.store_mut().take(secs(20));
    sim.send(full("s1", [on("f1"), on("f2")]));
    sim.send([delete("f2", 2), transferred("s2", 1)]);
    for version in 2..500 {
        let state = format!("s{version}");
        sim.send([put(on("f1").version(version)), transferred(&state, 1)]);
    }
    sim.advance(secs(60));
    assert_eq!(sim.store().writes().len(), 2);
    assert_mirrored(&sim);
    assert!(text_of(&sim, "f2").unwrap().contains("\"deleted\":true"), "a deletion stays one");
}

/// B 9.6.
#[test]
fn after_an_outage_one_write_brings_the_whole() {
    for bad in [StoreHealth::Down, StoreHealth::Torn, StoreHealth::Hanging] {
        let mut sim = read_write();
        sim.send(full("s1", [on("f1"), on("f2"), on("f3")]));
        sim.store_fares(bad);
        sim.send([put(off("f1").version(2)), delete("f2", 2), transferred("s2", 2)]);
        sim.advance(secs(31));
        assert!(!sim.is_store_available() && sim.is_store_stale(), "{bad:?}");
        sim.send([put(off("f3").version(3)), transferred("s3", 3)]);
        assert_eq!(sim.flags(), [("f1".to_owned(), false), ("f3".to_owned(), false)]);
        assert_eq!(sim.state(), SourceState::Valid, "evaluation and source never notice");
        sim.store_fares(StoreHealth::Up).advance(millis(500));
        assert_eq!(sim.store().writes().last(), Some(&Scope::Everything), "{bad:?}");
        assert_mirrored(&sim);
        assert!(!sim.is_store_stale(), "{bad:?}");
        assert!(text_of(&sim, "f2").unwrap().contains("\"deleted\":true"), "tombstones too");
    }
}

/// B 9.6: a write from before the outage that is answered in it does not end it.
#[test]
fn an_older_write_that_succeeds_makes_up_for_nothing() {
    let mut sim = read_write();
    sim.store_mut().take(millis(100));
    sim.send(full("s1", [on("f1")]));
    sim.tell(read_failed());
    assert!(!sim.is_store_available());
    sim.send([put(on("f2")), transferred("s2", 2)]).advance(millis(100));
    assert!(!sim.is_store_available(), "`f2` is missing in it");
    sim.advance(secs(2));
    assert_mirrored(&sim);
    assert!(text_of(&sim, "f2").is_some());
}

/// B 9.6, 9.5: the same for a write that waited when the read failed.
#[test]
fn a_write_that_waited_when_a_read_failed_is_not_lost() {
    let mut sim = read_write();
    sim.store_mut().take(millis(100));
    sim.send(full("s1", [on("f1")])).send([put(on("f2")), transferred("s2", 2)]);
    sim.tell(read_failed());
    assert!(sim.is_store_stale(), "`f2` is missing in it");
    sim.advance(secs(2));
    assert_mirrored(&sim);
    assert!(text_of(&sim, "f2").is_some());
}

/// B 9.10: a failed read with nothing missed rewrites nothing. A selector that moves alone (B 1.3)
/// brings nothing to write.
#[test]
fn a_failed_read_alone_rewrites_nothing() {
    let mut sim = read_write();
    sim.send(full("s1", [on("f1")]));
    sim.tell(read_failed());
    assert!(!sim.is_store_available());
    sim.send([transferred("s2", 2)]);
    assert!(!sim.is_store_stale());
    sim.advance(millis(500));
    assert!(sim.is_store_available());
    assert_eq!(sim.store().writes().len(), 1);
}

/// B 9.4, cases D02: an upsert that finds no marker becomes a write of everything.
#[test]
fn an_emptied_store_is_filled_with_everything() {
    let mut sim = read_write();
    sim.send(full("s1", [on("f1"), on("f2")]));
    sim.store_mut().wipe();
    sim.send([put(on("f3")), transferred("s2", 2)]).advance(secs(1));
    assert_eq!(sim.store().records.len(), 3);
    assert_mirrored(&sim);
}

/// B 9.5, 10.2: within the grace the write ends and the one that waits follows.
#[test]
fn closing_waits_for_the_writes() {
    let mut sim = read_write();
    sim.store_mut().take(millis(900));
    sim.send(full("s1", [on("f1")])).send([put(on("f2")), transferred("s2", 2)]);
    sim.close();
    assert_eq!(sim.state(), SourceState::Off);
    assert!(!sim.is_stopped());
    assert_eq!(sim.live(), None, "the sources end at once");
    sim.advance(secs(2));
    assert!(sim.is_stopped());
    assert_eq!(sim.store().records.len(), 2);
}

/// B 10.2: and no longer.
#[test]
fn closing_waits_no_longer_than_its_grace() {
    let mut sim = read_write();
    sim.store_fares(StoreHealth::Hanging);
    sim.send(full("s1", [on("f1")])).close();
    sim.advance(millis(1999));
    assert!(!sim.is_stopped());
    sim.advance(millis(1));
    assert!(sim.is_stopped());
    let writes = sim.store().writes().len();
    sim.store_fares(StoreHealth::Up).advance(secs(100));
    assert_eq!(sim.store().writes().len(), writes, "no store call begins after closing");
}

/// B 3.8: without sources the store goes on with its work.
#[test]
fn the_store_goes_on_when_all_sources_are_gone() {
    let mut sim = read_write();
    sim.store_fares(StoreHealth::Down);
    sim.send(full("s1", [on("f1")])).break_off();
    sim.serve_always("a", Reply::status(401));
    sim.advance(secs(2));
    assert!(sim.is_over());
    sim.store_fares(StoreHealth::Up).advance(secs(1));
    assert!(sim.store().is_initialized);
    assert_mirrored(&sim);
}

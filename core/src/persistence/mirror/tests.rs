use super::*;
use crate::limits::Limits;
use crate::model::Kind;
use crate::snapshot::{ChangeSet, ChangeSetBuilder, Commit};

const FLAG: &str = r#"{"variations":[true]}"#;

/// A mirror, the data it is to follow, and a clock.
struct Case {
    mirror: Mirror,
    held: Arc<Snapshot>,
    now: Instant,
}

impl Case {
    fn new(mode: StoreMode) -> Self {
        Self { mirror: Mirror::new(Some(mode)), held: Arc::default(), now: Instant::EPOCH }
    }

    fn advance(&mut self, milliseconds: u64) {
        self.now = self.now + Duration::from_millis(milliseconds);
    }

    fn apply(&mut self, change_set: ChangeSet) -> Option<StoreStatus> {
        let commit: Commit = Snapshot::apply(&self.held, change_set, &Limits::default()).unwrap();
        self.held = Arc::clone(&commit.snapshot);
        self.mirror.on_commit(&commit.snapshot, commit.scope)
    }

    fn full(&mut self, keys: &[&str]) -> Option<StoreStatus> {
        let mut builder = ChangeSetBuilder::full();
        for key in keys {
            builder.put(Kind::Flag, key, 1, FLAG).unwrap();
        }
        self.apply(builder.finish(None))
    }

    fn put(&mut self, key: &str, version: u64) -> Option<StoreStatus> {
        let mut builder = ChangeSetBuilder::changes();
        builder.put(Kind::Flag, key, version, FLAG).unwrap();
        self.apply(builder.finish(None))
    }

    fn delete(&mut self, key: &str, version: u64) -> Option<StoreStatus> {
        let mut builder = ChangeSetBuilder::changes();
        builder.delete(Kind::Flag, key, version).unwrap();
        self.apply(builder.finish(None))
    }

    /// What begins now: the keys and versions of a write, `*` before those of a whole one.
    fn work(&mut self) -> Option<String> {
        Some(match self.mirror.next_work(self.now)? {
            Work::Probe => "probe".to_owned(),
            Work::Write(write) => {
                let mut text = String::new();
                if write.scope() == &Scope::Everything {
                    text.push('*');
                }
                for record in write.records() {
                    let mark = if record.text().contains("deleted") { "-" } else { "" };
                    text.push_str(&format!(" {mark}{}{}", record.key(), record.version()));
                }
                text
            }
        })
    }

    fn written(&mut self, result: Result<Upserted, StoreError>) -> Option<StoreStatus> {
        self.mirror.on_written(self.now, result, &Timing::default())
    }

    fn ok(&mut self) -> Option<StoreStatus> {
        self.written(Ok(Upserted::Written))
    }

    fn fail(&mut self) -> Option<StoreStatus> {
        self.written(Err(StoreError::new("down")))
    }

    fn probed(&mut self, result: Result<(), StoreError>) -> Option<StoreStatus> {
        self.mirror.on_probed(self.now, result, &Timing::default())
    }

    fn deadline(&self) -> Option<(Instant, Timer)> {
        let mut earliest = Earliest::default();
        self.mirror.offer_deadlines(&Timing::default(), &mut earliest);
        earliest.first()
    }
}

/// B 9.4: full sets replace, changes are upserted, deletes leave tombstones.
#[test]
fn b_9_4_full_sets_replace_and_changes_are_upserted() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a", "b"]);
    assert_eq!(case.work().as_deref(), Some("* a1 b1"));
    case.ok();
    case.put("b", 2);
    assert_eq!(case.work().as_deref(), Some(" b2"));
    case.ok();
    case.delete("a", 3);
    assert_eq!(case.work().as_deref(), Some(" -a3"));
    case.ok();
    assert_eq!(case.work(), None);
    assert_eq!(case.deadline(), None);
}

/// B 9.1: a read-only store is never written.
#[test]
fn b_9_1_read_only_means_no_write() {
    let mut case = Case::new(StoreMode::ReadOnly);
    case.full(&["a"]);
    case.put("a", 2);
    assert_eq!(case.work(), None);
}

/// B 9.5: one write at a time; what arrives meanwhile merges, deletions stay tombstones.
#[test]
fn b_9_5_what_arrives_during_a_write_waits_and_merges() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a", "b"]);
    case.work();
    case.put("a", 2);
    case.put("a", 3);
    case.delete("b", 4);
    assert_eq!(case.work(), None, "the first write has not ended");
    case.ok();
    assert_eq!(case.work().as_deref(), Some(" a3 -b4"));
    case.full(&["c"]);
    case.put("d", 5);
    case.ok();
    assert_eq!(case.work().as_deref(), Some("* c1 d5"));
}

/// B 9.4: an upsert that finds no marker becomes a write of the whole snapshot.
#[test]
fn b_9_4_an_upsert_without_marker_becomes_a_whole_write() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a", "b"]);
    case.work();
    case.ok();
    case.put("b", 2);
    case.work();
    assert_eq!(case.written(Ok(Upserted::NotInitialized)), None);
    assert_eq!(case.work().as_deref(), Some("* a1 b2"));
}

/// B 9.6: unavailable, probes every 500 ms, one whole write with tombstones; only its success
/// makes the store available.
#[test]
fn b_9_6_an_outage_ends_with_one_whole_write() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a", "b"]);
    case.work();
    let status = case.fail().unwrap();
    assert!(!status.is_available && status.is_stale);
    assert_eq!(case.put("a", 2), None);
    assert_eq!(case.delete("b", 3), None);
    assert_eq!(case.work(), None, "the probe is not due");
    for _ in 0..3 {
        let probe = case.now + Duration::from_millis(500);
        assert_eq!(case.deadline(), Some((probe, Timer::StoreProbe)));
        case.advance(500);
        assert_eq!(case.work().as_deref(), Some("probe"));
        assert_eq!(case.deadline(), None);
        assert_eq!(case.probed(Err(StoreError::new("down"))), None);
    }
    case.advance(500);
    case.work();
    assert_eq!(case.probed(Ok(())), None);
    assert_eq!(case.work().as_deref(), Some("* a2 -b3"));
    case.put("c", 4);
    let status = case.ok().unwrap();
    assert!(status.is_available && !status.is_stale);
    assert_eq!(case.work().as_deref(), Some(" c4"), "nothing that came meanwhile is lost");
}

/// B 9.6: a failed write after the probe goes on with the outage.
#[test]
fn b_9_6_a_whole_write_that_fails_is_no_recovery() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    case.fail();
    case.advance(500);
    case.work();
    case.probed(Ok(()));
    case.work();
    case.put("a", 2);
    assert_eq!(case.fail(), None, "it was unavailable before");
    case.advance(500);
    assert_eq!(case.work().as_deref(), Some("probe"));
    case.probed(Ok(()));
    assert_eq!(case.work().as_deref(), Some("* a2"));
}

/// B 9.5: a write without answer for 30 s makes the store unavailable.
#[test]
fn b_9_5_a_write_that_hangs_is_given_up() {
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    let due = case.now + Duration::from_secs(30);
    assert_eq!(case.deadline(), Some((due, Timer::StoreWrite)));
    case.now = due;
    let status = case.mirror.on_timeout(due, &Timing::default()).unwrap();
    assert!(!status.is_available);
    case.advance(500);
    assert_eq!(case.work().as_deref(), Some("probe"));
}

/// B 9.10: after a failed read a probe is enough, if no write was missed.
#[test]
fn b_9_10_after_a_failed_read_nothing_is_rewritten() {
    for mode in [StoreMode::ReadOnly, StoreMode::ReadWrite] {
        let mut case = Case::new(mode);
        let error = StoreError::new("down");
        let status = case.mirror.on_read_failed(case.now, &error, &Timing::default()).unwrap();
        assert!(!status.is_available && !status.is_stale);
        case.advance(500);
        assert_eq!(case.work().as_deref(), Some("probe"));
        assert!(case.probed(Ok(())).unwrap().is_available);
        assert_eq!(case.work(), None);
    }
}

/// B 9.10: a write that was left out in an outage of reads is made up for.
#[test]
fn b_9_10_a_change_set_during_an_outage_of_reads_is_written_when_it_ends() {
    let mut case = Case::new(StoreMode::ReadWrite);
    let error = StoreError::new("down");
    case.mirror.on_read_failed(case.now, &error, &Timing::default());
    assert!(case.full(&["a"]).unwrap().is_stale);
    case.advance(500);
    case.work();
    assert_eq!(case.probed(Ok(())), None);
    assert_eq!(case.work().as_deref(), Some("* a1"));
    assert!(case.ok().unwrap().is_available);
}

/// B 9.10: without a store the status says that nothing is monitored.
#[test]
fn b_9_10_without_a_store_nothing_is_monitored() {
    let mirror = Mirror::new(None);
    assert!(mirror.status.is_available && !mirror.status.is_monitored);
}

/// B 10.2: the write in flight ends and the waiting one follows; in an outage nothing is waited
/// for.
#[test]
fn b_10_2_closing_waits_for_writes_and_not_for_an_outage() {
    let grace = Duration::from_secs(2);
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    case.put("a", 2);
    case.mirror.close(case.now, grace);
    assert!(case.mirror.is_busy());
    assert_eq!(case.deadline(), Some((case.now + grace, Timer::Grace)));
    case.ok();
    assert!(case.mirror.is_busy());
    assert_eq!(case.work().as_deref(), Some(" a2"));
    case.ok();
    assert!(!case.mirror.is_busy());

    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    case.fail();
    case.mirror.close(case.now, grace);
    assert!(!case.mirror.is_busy());
}

/// B 10.2: a write in flight ends, also one that is to end an outage, or that began before one.
#[test]
fn b_10_2_closing_waits_for_a_write_in_flight_in_an_outage() {
    let grace = Duration::from_secs(2);
    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    case.fail();
    case.advance(500);
    case.work();
    case.probed(Ok(()));
    assert_eq!(case.work().as_deref(), Some("* a1"));
    case.put("a", 2);
    case.mirror.close(case.now, grace);
    assert!(case.mirror.is_busy());
    assert!(case.ok().unwrap().is_available);
    assert_eq!(case.work().as_deref(), Some(" a2"));
    assert!(case.mirror.is_busy());
    case.fail();
    assert!(!case.mirror.is_busy());

    let mut case = Case::new(StoreMode::ReadWrite);
    case.full(&["a"]);
    case.work();
    let error = StoreError::new("down");
    case.mirror.on_read_failed(case.now, &error, &Timing::default());
    case.mirror.close(case.now, grace);
    assert!(case.mirror.is_busy());
    case.ok();
    assert!(!case.mirror.is_busy());
}

/// B 9.7: each bad record is told of once, however often it is read.
#[test]
fn b_9_7_bad_records_are_told_of_once_each() {
    let mut case = Case::new(StoreMode::ReadOnly);
    let bad = |key: &str| CorruptRecord::Encoding { kind: Kind::Flag, key: key.into() };
    let told = |case: &mut Case, key: &str| case.mirror.on_unreadable(&bad(key)).is_some();
    assert!(told(&mut case, "a") && told(&mut case, "b"));
    assert!(!told(&mut case, "a") && !told(&mut case, "b"));
    let many = (0..1_000).filter(|key| told(&mut case, &key.to_string())).count();
    assert_eq!(many, UNREADABLE - 2);
}

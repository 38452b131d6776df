use std::fs;

use fdv2_client::core::{Limits, Snapshot};
use futures::FutureExt;
use futures::executor::block_on;
use tempfile::TempDir;

use super::*;

/// A file of this test's own, removed at its end.
struct TestFile(TempDir);

impl TestFile {
    fn new(text: &str) -> Self {
        let file = Self(TempDir::new().unwrap());
        file.write(text);
        file
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("flags.json")
    }

    /// Whole at once, as a rename is.
    fn write(&self, text: &str) {
        let new = self.path().with_extension("new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.path()).unwrap();
    }

    fn source(&self) -> FileSource {
        FileSource::new([self.path()]).check_interval(Duration::from_millis(2))
    }
}

fn open(source: &FileSource) -> BoxStream<'static, SourceUpdate> {
    source.open(OpenSource { name: "files".into(), basis: None })
}

/// The flags of a change set that came, as `key@version`, or the fault.
fn told(update: Option<SourceUpdate>) -> String {
    match update {
        Some(SourceUpdate::ChangeSet(change_set)) => {
            let held = Arc::<Snapshot>::default();
            let commit = Snapshot::apply(&held, *change_set, &Limits::default()).unwrap();
            assert_eq!(commit.snapshot.selector(), None);
            let flags = commit.snapshot.flags();
            let mut flags: Vec<_> =
                flags.map(|flag| format!("{}@{}", flag.key(), flag.version())).collect();
            flags.sort();
            flags.join(" ")
        }
        Some(SourceUpdate::Failed(error)) => {
            assert_eq!(error.kind, ErrorKind::InvalidData);
            error.message.rsplit_once(".json").unwrap().1.to_owned()
        }
        other => format!("{other:?}"),
    }
}

fn next(updates: &mut BoxStream<'static, SourceUpdate>) -> String {
    told(block_on(updates.next()))
}

/// B 4.6.
#[test]
fn an_item_without_version_has_the_number_of_the_load_that_brought_it_as_it_is() {
    let file = TestFile::new(r#"{"flagValues":{"a":1,"b":1},"flags":{"c":{"version":7}}}"#);
    let source = file.source();
    let mut updates = open(&source);
    assert_eq!(next(&mut updates), "a@1 b@1 c@7");
    file.write(r#"{"flagValues":{"a":2,"b":1},"flags":{"c":{"version":7,"on":true}}}"#);
    assert_eq!(next(&mut updates), "a@2 b@1 c@7");
    drop(updates);
    assert_eq!(next(&mut open(&source)), "a@2 b@1 c@7", "another attempt has all of it again");
}

/// B 4.6: told once, then read again when it changes.
#[test]
fn a_fault_ends_the_attempt_and_the_next_one_waits_for_a_change() {
    let file = TestFile::new("{}{");
    let source = file.source();
    let fault = ":1:3: not valid JSON: trailing characters";
    let mut first = open(&source);
    assert_eq!(next(&mut first), fault);
    assert_eq!(next(&mut first), "None");

    let mut second = open(&source);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(second.next().now_or_never().map(told), None);
    file.write(r#"{"flagValues":{"a":1}}"#);
    assert_eq!(next(&mut second), "a@1");
    file.write("{}{");
    assert_eq!(next(&mut second), fault);
}

/// A client that has left meanwhile, and comes back, is told why it gets nothing.
#[test]
fn an_attempt_that_was_given_up_in_silence_leaves_the_fault_to_the_next() {
    let file = TestFile::new("");
    let source = file.source();
    let fault = ": the file is empty";
    assert_eq!(next(&mut open(&source)), fault);
    let mut silent = open(&source);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(silent.next().now_or_never().map(told), None);
    drop(silent);
    assert_eq!(next(&mut open(&source)), fault);
}

#[test]
fn an_attempt_that_is_over_leaves_no_thread_behind() {
    let file = TestFile::new(r#"{"flagValues":{"a":1}}"#);
    let source = FileSource::new([file.path()]).check_interval(Duration::from_secs(3600));
    let known = Arc::downgrade(&source.known);
    let mut updates = open(&source);
    assert_eq!(next(&mut updates), "a@1");
    drop((updates, source));
    let begun = std::time::Instant::now();
    while known.upgrade().is_some() {
        assert!(begun.elapsed() < Duration::from_secs(60), "the thread goes on");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A read that hangs, as on a disk of the network that is gone, holds one thread, and not one more
/// for each attempt after it.
#[test]
fn attempts_that_were_given_up_leave_no_threads_behind_one_that_hangs() {
    let file = TestFile::new(r#"{"flagValues": {"a": 1}}"#);
    let source = file.source();
    let hanging = source.known.lock().unwrap();
    for _ in 0..20 {
        assert!(open(&source).next().now_or_never().is_none());
    }
    let begun = std::time::Instant::now();
    while Arc::strong_count(&source.known) > 1 {
        assert!(begun.elapsed() < Duration::from_secs(30), "threads were left");
        thread::sleep(Duration::from_millis(1));
    }
    let mut waiting = open(&source);
    assert!(waiting.next().now_or_never().is_none());
    drop(hanging);
    assert_eq!(told(block_on(waiting.next())), "a@1");
}

/// Waits for what a source tells, for far less than its interval.
fn soon(updates: &mut BoxStream<'static, SourceUpdate>) -> String {
    let begun = std::time::Instant::now();
    loop {
        if let Some(update) = updates.next().now_or_never() {
            return told(update);
        }
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing was told");
        thread::sleep(Duration::from_millis(5));
    }
}

/// B 4.6, 3.1: an initializer has ten seconds, and the status must say what is wrong.
#[test]
fn what_needs_a_second_look_gets_it_however_long_the_interval() {
    let file = TestFile::new("");
    let seldom = |path| FileSource::new([path]).check_interval(Duration::from_secs(3600));
    assert_eq!(soon(&mut open(&seldom(file.path()))), ": the file is empty");

    let yaml = file.path().with_extension("yaml");
    fs::write(&yaml, "flagValues: {a: 1}").unwrap();
    assert_eq!(soon(&mut open(&seldom(yaml))), "a@1");
}

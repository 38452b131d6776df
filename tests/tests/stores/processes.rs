//! Several processes at one SQLite file (D13).

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use fdv2_client::store::PersistentStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::store_conformance::Contents;
use rusqlite::Connection;

/// How many flags a full set of the other process has.
const FLAGS: usize = 500;

/// Another process. Dropping it kills it, as `kill -9` does.
struct Process(Child);

impl Process {
    /// Returns when it has begun.
    fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_store-process"))
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "begun\n");
        Self(child)
    }

    fn is_over(&mut self) -> bool {
        self.0.try_wait().unwrap().is_some()
    }

    fn succeeds(&mut self) -> bool {
        self.0.wait().unwrap().success()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_sound(file: &Path) -> bool {
    let connection = Connection::open(file).unwrap();
    let check = "PRAGMA integrity_check";
    connection.query_row(check, [], |row| row.get::<_, String>(0)).unwrap() == "ok"
}

#[test]
fn two_processes_write_while_a_third_reads_and_nothing_is_lost() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let path = file.to_str().unwrap();
    let store = SqliteStore::new(&file);
    store.replace_all(&[]).unwrap();

    let mut writers = ["a", "b"].map(|name| Process::start(&["upsert", path, name, "500"]));
    let mut newest = 0;
    while !writers.iter_mut().all(Process::is_over) {
        let held = Contents::read(&store).unwrap();
        let version = held.version("shared").unwrap_or(0);
        assert!(version >= newest, "version {version} after {newest}");
        newest = version;
    }
    assert!(writers.iter_mut().all(Process::succeeds));

    let held = Contents::read(&store).unwrap();
    assert_eq!(held.texts.len(), 1001);
    assert_eq!(held.version("shared"), Some(500));
    drop(store);
    assert!(is_sound(&file));
}

#[test]
fn a_process_killed_in_the_middle_of_a_full_write_leaves_a_whole_set() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    for round in 0..15 {
        let process = Process::start(&["replace", file.to_str().unwrap()]);
        thread::sleep(Duration::from_millis(1 + 7 * round));
        drop(process);

        assert!(is_sound(&file), "round {round}");
        let held = Contents::read(&SqliteStore::new(&file)).unwrap();
        assert!(held.is_initialized);
        assert_eq!(held.texts.len(), FLAGS);
        let versions: BTreeSet<_> = (0..FLAGS).map(|at| held.version(&format!("f{at}"))).collect();
        assert_eq!(versions.len(), 1, "parts of sets {versions:?}");
    }
}

/// The next process works with what the killed one has left.
#[test]
fn a_process_takes_over_from_one_that_was_killed() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file);
    drop(Process::start(&["replace", file.to_str().unwrap()]));
    store.replace_all(&[]).unwrap();
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[])));
}

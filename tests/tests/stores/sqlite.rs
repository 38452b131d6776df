//! What the SQLite store promises beyond the suite.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use fdv2_client::store::{Kind, PersistentStore, Store, Upserted};
use fdv2_core::model::Flag;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::store_conformance::{Contents, flag, padded, segment, tombstone};
use rusqlite::Connection;

use crate::{flags, keys, segments, wait};

fn execute(file: &Path, sql: &str) {
    Connection::open(file).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn nothing_is_opened_before_the_first_call() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file);
    assert!(!file.exists());
    store.probe().unwrap();
    assert!(file.exists());
}

#[test]
fn a_file_that_cannot_be_opened_is_an_error_and_is_tried_again() {
    let scratch = Scratch::new();
    let file = scratch.file("missing/flags.sqlite");
    let store = SqliteStore::new(&file);
    let error = store.probe().unwrap_err();
    assert!(error.message().starts_with("cannot open the SQLite file: "), "{error}");
    fs::create_dir(scratch.file("missing")).unwrap();
    assert_eq!(store.is_initialized(), Ok(false));
}

#[test]
fn a_file_of_a_newer_schema_is_refused_and_left_alone() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    SqliteStore::new(&file).replace_all(&[flag("f1", 1)]).unwrap();
    execute(&file, "PRAGMA user_version = 7");
    let store = SqliteStore::new(&file);
    for error in [
        store.probe().unwrap_err(),
        store.replace_all(&[]).unwrap_err(),
        store.upsert(&flag("f1", 2)).unwrap_err(),
        store.one(Kind::Flag, "f1").unwrap_err(),
    ] {
        assert_eq!(
            error.message(),
            "the SQLite file has schema version 7, this program knows none above 1; \
             update the program, or give it another file"
        );
    }
    execute(&file, "PRAGMA user_version = 1");
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
}

#[test]
fn the_file_of_another_program_is_refused_and_left_alone() {
    let scratch = Scratch::new();
    let file = scratch.file("other.sqlite");
    execute(&file, "CREATE TABLE precious (a)");
    let error = SqliteStore::new(&file).replace_all(&[]).unwrap_err();
    assert!(error.message().contains("belongs to another program"), "{error}");
    let other = Connection::open(&file).unwrap();
    let mode: String = other.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete", "nothing in the file was changed");

    let text = scratch.file("text");
    let poem = "no database ".repeat(200);
    fs::write(&text, &poem).unwrap();
    let error = SqliteStore::new(&text).replace_all(&[]).unwrap_err();
    assert!(error.message().contains("not a SQLite file"), "{error}");
    assert_eq!(fs::read_to_string(&text).unwrap(), poem);
}

#[test]
fn a_name_that_is_no_file_is_refused() {
    for name in ["", ":memory:"] {
        let error = SqliteStore::new(name).probe().unwrap_err();
        assert_eq!(error.message(), "a SQLite store needs the path of a file");
    }
}

/// B 9.7, C 4.5.
#[test]
fn a_corrupt_record_loses_only_itself_and_says_so() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let records =
        [segment("s1", 1), flag("f1", 1), flag("f2", 1), flag("f3", 1), tombstone("f4", 2)];
    SqliteStore::new(&file).replace_all(&records).unwrap();
    execute(&file, "UPDATE features SET item = '{' WHERE key = 'f1'");
    execute(&file, "UPDATE features SET item = CAST(x'7bff7d' AS TEXT) WHERE key = 'f2'");
    let store = Store::new(SqliteStore::new(&file));
    let loaded = flags(&store);
    assert_eq!(keys(&loaded), ["f3"]);
    let corrupt: Vec<_> = loaded.corrupt.iter().map(ToString::to_string).collect();
    assert_eq!(corrupt.len(), 2, "{corrupt:?}");
    assert!(corrupt.iter().any(|error| error.contains("\"f1\"")), "{corrupt:?}");
    assert_eq!(keys(&segments(&store)), ["s1"]);
    assert_eq!(wait(store.upsert(flag("f1", 2))), Ok(Upserted::Written));
    assert_eq!(keys(&flags(&store)), ["f1", "f3"]);
}

#[test]
fn a_damaged_file_is_an_error_that_says_what_to_do_and_that_helps() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let records: Vec<_> = (0..1000).map(|at| flag(&format!("f{at}"), 1)).collect();
    SqliteStore::new(&file).replace_all(&records).unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[3 * 4096..].fill(b'x');
    fs::write(&file, bytes).unwrap();
    let store = SqliteStore::new(&file);
    for error in [Contents::read(&store).unwrap_err(), store.replace_all(&records).unwrap_err()] {
        assert!(error.message().ends_with("remove it, and it is made anew"), "{error}");
    }
    fs::remove_file(&file).unwrap();
    store.replace_all(&records).unwrap();
    assert_eq!(Contents::read(&store), Ok(Contents::of(&records)));
}

/// D02: nothing is written into a file that nobody will find.
#[test]
fn a_file_that_was_removed_is_a_database_that_was_emptied() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file);
    for reads_first in [true, false] {
        store.replace_all(&[flag("f1", 1)]).unwrap();
        assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
        fs::remove_file(&file).unwrap();
        if reads_first {
            assert_eq!(store.is_initialized(), Ok(false));
        }
        assert_eq!(store.upsert(&flag("f1", 2)), Ok(Upserted::NotInitialized));
        assert_eq!(store.is_initialized(), Ok(false));
        store.replace_all(&[flag("f2", 1)]).unwrap();
        let other = SqliteStore::new(&file);
        assert_eq!(Contents::read(&other), Ok(Contents::of(&[flag("f2", 1)])));
    }
}

/// D08, D13.
#[test]
fn a_writer_waits_for_another_process_and_a_reader_does_not() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file);
    store.replace_all(&[flag("f1", 1)]).unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
    thread::scope(|scope| {
        let writing = scope.spawn(|| store.upsert(&flag("f1", 2)));
        thread::sleep(Duration::from_millis(300));
        other.execute_batch("COMMIT").unwrap();
        assert_eq!(writing.join().unwrap(), Ok(Upserted::Written));
    });
}

#[test]
fn a_writer_whose_patience_ends_says_why_and_can_write_later() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file).patience(Duration::from_millis(50));
    store.replace_all(&[flag("f1", 1)]).unwrap();
    let other = Connection::open(&file).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.upsert(&flag("f1", 2)).unwrap_err();
    assert_eq!(
        error.message(),
        "cannot write the SQLite file: another process holds its lock for too long"
    );
    other.execute_batch("ROLLBACK").unwrap();
    assert_eq!(store.upsert(&flag("f1", 2)), Ok(Upserted::Written));
}

#[test]
fn clearing_removes_everything_and_the_marker() {
    let scratch = Scratch::new();
    let store = SqliteStore::new(scratch.file("flags.sqlite"));
    store.replace_all(&[segment("s1", 1), flag("f1", 1)]).unwrap();
    store.clear().unwrap();
    let held = Contents::read(&store).unwrap();
    assert!(held.texts.is_empty() && !held.is_initialized);
    assert_eq!(store.upsert(&flag("f1", 2)), Ok(Upserted::NotInitialized));
}

/// A store that is closed opens its file again if it is used once more.
#[test]
fn closing_leaves_one_whole_file() {
    let scratch = Scratch::new();
    let file = scratch.file("flags.sqlite");
    let store = SqliteStore::new(&file);
    let records: Vec<_> = (0..100).map(|at| padded::<Flag>(&format!("f{at}"), 1, 2000)).collect();
    store.replace_all(&records).unwrap();
    store.close();
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    assert_eq!(Contents::read(&store), Ok(Contents::of(&records)));
}

#[test]
fn stores_that_find_a_new_file_at_the_same_time_share_it() {
    for _ in 0..20 {
        let scratch = Scratch::new();
        thread::scope(|scope| {
            let openings: Vec<_> = (0..4)
                .map(|_| scope.spawn(|| SqliteStore::new(scratch.file("flags.sqlite")).probe()))
                .collect();
            for opening in openings {
                assert_eq!(opening.join().unwrap(), Ok(()));
            }
        });
    }
}

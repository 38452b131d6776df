//! Readers beside a writer of full sets.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fdv2_client::store::{Kind, PersistentStore, Record, Upserted, read_version};

use super::{Contents, Database, flag};

/// How large a set is.
const FLAGS: usize = 300;

fn set(version: u64) -> Vec<Record> {
    (0..FLAGS).map(|at| flag(&format!("f{at}"), version)).collect()
}

fn versions(store: &dyn PersistentStore) -> Vec<u64> {
    let mut versions = Vec::new();
    let found = &mut |_: &[u8], value: &[u8]| versions.extend(read_version(value));
    store.all(Kind::Flag, found).expect("the database can be read");
    versions
}

/// B 9.4: whoever finds the marker finds the set that goes with it.
pub fn a_reader_sees_one_full_set_or_another(database: &dyn Database) {
    let writer = database.open();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let reading = scope.spawn(|| {
            let reader = database.open();
            while !is_over.load(Ordering::Acquire) {
                if reader.is_initialized() == Ok(true) {
                    let versions = versions(&*reader);
                    assert_eq!(versions.len(), FLAGS);
                    assert_eq!(BTreeSet::from_iter(versions).len(), 1);
                }
            }
        });
        for version in 1..=30 {
            writer.replace_all(&set(version)).expect("the database can be written");
        }
        is_over.store(true, Ordering::Release);
        reading.join().expect("the reader saw whole sets");
    });
}

/// Neither is lost within the other.
pub fn a_full_set_and_single_records_do_not_mix(database: &dyn Database) {
    let writer = database.open();
    writer.replace_all(&set(1)).expect("the database can be written");
    thread::scope(|scope| {
        scope.spawn(|| {
            let store = database.open();
            for version in 2..=100 {
                let upserted = store.upsert(&flag("f0", version * 1000));
                assert_eq!(upserted, Ok(Upserted::Written));
            }
        });
        for version in 2..=10 {
            writer.replace_all(&set(version)).expect("the database can be written");
        }
    });
    assert_eq!(writer.upsert(&flag("f0", 1_000_000)), Ok(Upserted::Written));
    let held = Contents::read(&*writer).expect("the database can be read");
    assert_eq!(held.texts.len(), FLAGS);
    assert_eq!((held.version("f0"), held.version("f1")), (Some(1_000_000), Some(10)));
}

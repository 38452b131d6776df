//! Several writers at once, each with a store of its own.

use std::sync::Arc;
use std::thread;

use fdv2_client::store::PersistentStore;

use super::{Contents, Database, flag, tombstone};

const VERSIONS: u64 = 200;

const ROUNDS: usize = 20;

/// D04: two stores write the same record with versions 1 to 200, each in an order of its own.
pub fn of_concurrent_writes_the_newest_version_stays(database: &dyn Database) {
    let stores = [database.open(), database.open()];
    // A step without a divisor in common with the number of versions takes each version once.
    let steps: Vec<u64> = (1..VERSIONS).filter(|step| step % 2 != 0 && step % 5 != 0).collect();
    for (round, (up, down)) in steps.iter().zip(steps.iter().rev()).take(ROUNDS).enumerate() {
        stores[0].replace_all(&[flag("f1", 0)]).expect("the database can be written");
        thread::scope(|scope| {
            for (store, step) in stores.iter().zip([*up, *down]) {
                scope.spawn(move || write_all_versions(store, round as u64, step));
            }
        });
        let expected = Contents::of(&[flag("f1", VERSIONS)]);
        assert_eq!(Contents::read(&*stores[1]), Ok(expected), "round {round}");
    }
    for late in [tombstone("f1", VERSIONS + 1), flag("f1", VERSIONS)] {
        stores[0].upsert(&late).expect("the database can be written");
    }
    let expected = Contents::of(&[tombstone("f1", VERSIONS + 1)]);
    assert_eq!(Contents::read(&*stores[1]), Ok(expected));
}

fn write_all_versions(store: &Arc<dyn PersistentStore>, start: u64, step: u64) {
    for at in 0..VERSIONS {
        let version = 1 + (start + at * step) % VERSIONS;
        store.upsert(&flag("f1", version)).expect("the database can be written");
    }
}

/// None is lost in another.
pub fn concurrent_writes_of_different_keys_all_stay(database: &dyn Database) {
    database.open().replace_all(&[]).expect("the database can be written");
    thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                let store = database.open();
                for at in 0..50 {
                    let record = flag(&format!("f{writer}-{at}"), 1);
                    store.upsert(&record).expect("the database can be written");
                }
            });
        }
    });
    let held = Contents::read(&*database.open()).expect("the database can be read");
    assert_eq!(held.texts.len(), 200);
}

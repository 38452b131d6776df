//! Another process at a store, for the tests to start and to kill.
//!
//! `store-process upsert FILE NAME COUNT` writes so many records and as many versions of a shared
//! one to a SQLite file; `store-process replace FILE` writes full sets to it until it is killed.
//! Both print a line when they begin. `store-process probe URL` asks a Redis server for an answer.
#![allow(clippy::print_stdout, reason = "what the test waits for")]

use std::env;

use fdv2_client::store::PersistentStore;
use fdv2_core::model::Flag;
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::store_conformance::{flag, padded};

/// How many flags a full set has.
const FLAGS: usize = 500;

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["upsert", file, name, count] => upsert(file, name, count.parse().expect("a number")),
        ["replace", file] => replace(file),
        ["probe", url] => {
            let store = RedisStore::new(url).expect("a good URL");
            store.probe().expect("an answer");
        }
        _ => panic!("unknown arguments"),
    }
}

fn upsert(file: &str, name: &str, count: u64) {
    let store = SqliteStore::new(file);
    println!("begun");
    for at in 0..count {
        for record in [flag(&format!("{name}-{at}"), 1), flag("shared", at + 1)] {
            store.upsert(&record).expect("another process does not disturb this one");
        }
    }
}

fn replace(file: &str) {
    let store = SqliteStore::new(file);
    for version in 1.. {
        let records: Vec<_> =
            (0..FLAGS).map(|at| padded::<Flag>(&format!("f{at}"), version, 2000)).collect();
        store.replace_all(&records).expect("the file can be written");
        if version == 1 {
            println!("begun");
        }
    }
}

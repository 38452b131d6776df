//! Clients that keep a database like their memory, whatever happens to it (B 9.4 to 9.6).

use std::thread;
use std::time::Instant;

use fdv2_client::store::{PersistentStore, Record, Store};
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::frail_store::FrailStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::store_conformance::{Contents, flag, tombstone};

use crate::host::{Host, PATIENCE, eventually, holds, on_every_runtime, shows};
use crate::limit_memory;

on_every_runtime!(
    redis_holds_what_memory_holds,
    sqlite_holds_what_memory_holds,
    a_database_that_is_down_at_start_gets_everything_once_it_is_up,
    a_database_that_comes_back_empty_gets_everything_with_tombstones,
    a_database_emptied_while_healthy_gets_everything_with_the_next_change,
    five_clients_bring_one_database_back_whole,
    a_refused_write_is_made_up_for,
    an_outage_loses_nothing_whenever_it_begins_and_ends,
);

fn redis(server: &RedisServer) -> RedisStore {
    RedisStore::new(&server.url()).unwrap()
}

fn twenty() -> Vec<Record> {
    (0..20).map(|at| flag(&format!("f{at:02}"), 1)).collect()
}

fn stays_equal(host: &Host, store: impl PersistentStore, other: &dyn PersistentStore) {
    let (_client, feed) = host.start(Store::new(store));
    feed.full(&[flag("f1", 1), flag("f2", 1)]);
    host.run(holds(other, &[flag("f1", 1), flag("f2", 1)]));
    feed.change(&[flag("f2", 2), flag("f3", 1)]);
    host.run(holds(other, &[flag("f1", 1), flag("f2", 2), flag("f3", 1)]));
    feed.delete("f1", 2);
    host.run(holds(other, &[tombstone("f1", 2), flag("f2", 2), flag("f3", 1)]));
    feed.full(&[flag("f4", 1)]);
    host.run(holds(other, &[flag("f4", 1)]));
}

fn redis_holds_what_memory_holds(host: Host) {
    let server = RedisServer::start();
    stays_equal(&host, redis(&server), &redis(&server));
}

fn sqlite_holds_what_memory_holds(host: Host) {
    let scratch = Scratch::new();
    let store = || SqliteStore::new(scratch.file("flags.sqlite"));
    stays_equal(&host, store(), &store());
}

/// D11.
fn a_database_that_is_down_at_start_gets_everything_once_it_is_up(host: Host) {
    let mut server = RedisServer::start();
    server.stop();
    let (client, feed) = host.start(Store::new(redis(&server)));
    feed.full(&twenty());
    assert_eq!(host.run(client.wait_for_initialization(PATIENCE)), Ok(()));
    host.run(shows(&client, "f19", 1));
    feed.change(&[flag("f00", 2)]);
    host.run(shows(&client, "f00", 2));
    server.restart();
    let mut expected = twenty();
    expected[0] = flag("f00", 2);
    host.run(holds(&redis(&server), &expected));
}

/// D03.
fn a_database_that_comes_back_empty_gets_everything_with_tombstones(host: Host) {
    let mut server = RedisServer::start();
    let (client, feed) = host.start(Store::new(redis(&server)));
    feed.full(&twenty());
    host.run(holds(&redis(&server), &twenty()));
    server.stop();
    feed.delete("f00", 9);
    feed.change(&[flag("f01", 2)]);
    host.run(shows(&client, "f01", 2));
    server.restart();
    let mut expected = twenty();
    expected[0] = tombstone("f00", 9);
    expected[1] = flag("f01", 2);
    host.run(holds(&redis(&server), &expected));
}

/// D02.
fn a_database_emptied_while_healthy_gets_everything_with_the_next_change(host: Host) {
    let server = RedisServer::start();
    let (client, feed) = host.start(Store::new(redis(&server)));
    feed.full(&twenty());
    host.run(holds(&redis(&server), &twenty()));
    redis(&server).clear().unwrap();
    let mut expected = twenty();
    expected[3] = flag("f03", 2);
    thread::scope(|scope| {
        let other = scope.spawn(|| never_reads_a_part(&redis(&server), &expected));
        feed.change(&[flag("f03", 2)]);
        host.run(holds(&redis(&server), &expected));
        other.join().unwrap();
    });
    assert_eq!(client.snapshot().core().flags().count(), 20, "readers of memory saw nothing of it");
}

/// Reads a database that is empty until it has its marker, and then all must be there.
fn never_reads_a_part(store: &dyn PersistentStore, records: &[Record]) {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        let held = Contents::read(store).unwrap();
        if held.is_initialized {
            assert_eq!(held, Contents::of(records));
            return;
        }
    }
}

/// D03: each client of the same database misses the outage, notices it, or hears of the change only
/// when it is over.
fn five_clients_bring_one_database_back_whole(host: Host) {
    for told_during_the_outage in [0, 2, 5] {
        let mut server = RedisServer::start();
        let clients = [(); 5].map(|()| host.start(Store::new(redis(&server))));
        for (client, feed) in &clients {
            feed.full(&twenty());
            host.run(shows(client, "f19", 1));
        }
        host.run(holds(&redis(&server), &twenty()));
        let changed = ["f00", "f01", "f02"].map(|key| flag(key, 2));
        let (during, after) = clients.split_at(told_during_the_outage);
        server.stop();
        for (client, feed) in during {
            feed.change(&changed);
            host.run(shows(client, "f02", 2));
        }
        server.restart();
        for (_, feed) in after {
            feed.change(&changed);
        }
        let mut expected = twenty();
        expected[..3].clone_from_slice(&changed);
        host.run(holds(&redis(&server), &expected));
    }
}

fn a_refused_write_is_made_up_for(host: Host) {
    let server = RedisServer::start();
    let (client, feed) = host.start(Store::new(redis(&server)));
    feed.full(&twenty());
    host.run(holds(&redis(&server), &twenty()));
    limit_memory(&server, "1");
    feed.change(&[flag("f03", 2)]);
    host.run(shows(&client, "f03", 2));
    host.run(holds(&redis(&server), &twenty()));
    limit_memory(&server, "0");
    let mut expected = twenty();
    expected[3] = flag("f03", 2);
    host.run(holds(&redis(&server), &expected));
}

/// D03: every interleaving of three updates with the two ends of an outage, in which the database
/// keeps what it holds or loses it.
fn an_outage_loses_nothing_whenever_it_begins_and_ends(host: Host) {
    for begin in 0..=3 {
        for end in begin..=3 {
            for is_emptied in [false, true] {
                an_outage_loses_nothing(&host, begin, end, is_emptied);
            }
        }
    }
}

/// The outage begins and ends after so many updates.
fn an_outage_loses_nothing(host: &Host, begin: usize, end: usize, is_emptied: bool) {
    let frail = FrailStore::default();
    let (client, feed) = host.start(Store::new(frail.clone()));
    feed.full(&twenty());
    host.run(holds(&frail, &twenty()));
    let updates: [&dyn Fn(); 3] =
        [&|| feed.change(&[flag("f00", 2)]), &|| feed.delete("f01", 2), &|| {
            feed.change(&[flag("f02", 2)])
        }];
    for done in 0..=updates.len() {
        if done == begin {
            frail.goes_down(is_emptied);
        }
        if done == end {
            frail.comes_up();
        }
        if let Some(update) = updates.get(done) {
            let revision = client.snapshot().revision();
            update();
            host.run(eventually("an update", || client.snapshot().revision() > revision));
        }
    }
    // An outage that nothing was written in is found out by the next write.
    feed.change(&[flag("f03", 2)]);
    let mut expected = twenty();
    expected[..4].clone_from_slice(&[
        flag("f00", 2),
        tombstone("f01", 2),
        flag("f02", 2),
        flag("f03", 2),
    ]);
    host.run(holds(&frail, &expected));
}

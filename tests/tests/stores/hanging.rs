//! Databases that do not answer, and what must not wait for them (B 9.8, 10).

use std::time::{Duration, Instant};

use async_io::Timer;
use fdv2_client::config::{StoreMode, Streaming};
use fdv2_client::store::{Kind, Query, Store};
use fdv2_client::{CacheMode, Client, Config, SourceState};
use fdv2_redis::RedisStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::server::{Script, Server};
use fdv2_tests::store_conformance::flag;
use futures::future::join_all;

use crate::gated::Gated;
use crate::host::{GRACE, Host, PATIENCE, eventually, holds, on_every_runtime, shows};

on_every_runtime!(
    a_hanging_write_holds_up_neither_readers_nor_closing,
    a_runtime_that_is_dropped_waits_for_no_hanging_call,
    a_store_that_panics_at_its_end_leaves_no_connection_open,
    a_client_that_is_dropped_leaves_the_store_to_others_in_order,
    a_paused_database_holds_up_nothing_on_the_executor,
    two_thousand_waiting_reads_leave_the_blocking_pool_free,
);

/// B 9.5, 10.1, 10.2.
fn a_hanging_write_holds_up_neither_readers_nor_closing(host: Host) {
    let (gated, gate, begun) = Gated::shut();
    let (client, feed) = host.start(Store::new(gated));
    feed.full(&[flag("f1", 1)]);
    host.run(shows(&client, "f1", 1));
    assert_eq!(begun.next(), "replace f1");
    feed.change(&[flag("f1", 2)]);
    host.run(shows(&client, "f1", 2));
    let began = Instant::now();
    host.run(client.close(GRACE));
    assert!(began.elapsed() < PATIENCE / 4);
    assert_eq!(client.status().state, SourceState::Off);

    gate.open();
    host.run(Timer::after(Duration::from_millis(100)));
    let calls = gate.calls();
    assert!(calls.iter().all(|call| call == "replace f1" || call == "close"), "{calls:?}");
    assert_eq!(client.snapshot().flag("f1").map(|flag| flag.version()), Some(2));
}

/// B 10.5.
fn a_runtime_that_is_dropped_waits_for_no_hanging_call(host: Host) {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let (client, feed) = host.start(store.clone());
    feed.full(&[flag("f1", 1)]);
    host.run(shows(&client, "f1", 1));
    assert_eq!(begun.next(), "replace f1");
    let _hanging_too = store.read(Query::IsInitialized);
    assert_eq!(begun.next(), "is_initialized");
    let began = Instant::now();
    drop(host);
    assert!(began.elapsed() < PATIENCE / 4);
    assert_eq!(client.status().state, SourceState::Off);
    gate.open();
}

/// C04: a store that fails to end keeps nothing else from ending.
fn a_store_that_panics_at_its_end_leaves_no_connection_open(host: Host) {
    let server = Server::always(Script::stream().hang());
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(server.url()))
        .store(StoreMode::ReadWrite)
        .build()
        .unwrap();
    let (gated, gate) = Gated::open();
    let client = host.start_as(config, Store::new(gated), CacheMode::Infinite);
    host.run(eventually("the stream", || server.log().requests().len() == 1));
    host.run(client.close(Client::CLOSE_TIMEOUT));
    assert_eq!(client.status().state, SourceState::Off);
    drop(client);
    gate.wait_for("close");
    host.run(eventually("the end of the connection", || server.log().open() == 0));
    assert_eq!(server.log().requests().len(), 1);
}

/// B 9.5: the next client's write begins when the given up one has returned.
fn a_client_that_is_dropped_leaves_the_store_to_others_in_order(host: Host) {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let (first, feed) = host.start(store.clone());
    feed.full(&[flag("f1", 1)]);
    host.run(shows(&first, "f1", 1));
    assert_eq!(begun.next(), "replace f1");
    host.run(first.close(GRACE));
    drop(first);

    let (second, feed) = host.start(store);
    feed.full(&[flag("f2", 1)]);
    host.run(shows(&second, "f2", 1));
    assert_eq!(gate.calls(), ["replace f1"]);
    gate.open();
    assert_eq!(begun.next(), "replace f2");
}

/// D08.
fn a_paused_database_holds_up_nothing_on_the_executor(host: Host) {
    let server = RedisServer::start();
    let store = || RedisStore::new(&server.url()).unwrap();
    let (client, feed) = host.start(Store::new(store()));
    feed.full(&[flag("f1", 1)]);
    host.run(holds(&store(), &[flag("f1", 1)]));
    server.hang_during(|| {
        feed.change(&[flag("f1", 2)]);
        host.run(async {
            let began = Instant::now();
            let mut ticks = 0;
            while began.elapsed() < Duration::from_secs(3) {
                Timer::after(Duration::from_millis(10)).await;
                ticks += 1;
            }
            // A quiet machine has three hundred.
            assert!(ticks >= 30, "{ticks} ticks");
            shows(&client, "f1", 2).await;
        });
    });
    host.run(holds(&store(), &[flag("f1", 2)]));
}

fn two_thousand_waiting_reads_leave_the_blocking_pool_free(host: Host) {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let key = |at: u32| Query::One(Kind::Flag, format!("f{at}").into());
    let reads: Vec<_> = (0..2000).map(|at| store.read(key(at))).collect();
    begun.next();
    host.run(host.unblock(|| ()));
    gate.open();
    let answers = host.run(join_all(reads));
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(gate.calls().len(), 2000);
}

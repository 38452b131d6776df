//! Clients that read through a database while that is what counts (B 9.1 to 9.3, 9.9, 9.10).

use std::time::Duration;

use fdv2_client::config::{Polling, StoreMode, Streaming};
use fdv2_client::core::model::Flag;
use fdv2_client::eval::{ErrorKind, FlagDetailConfig};
use fdv2_client::store::{PersistentStore, Record, Store};
use fdv2_client::{Availability, CacheMode, Client, Config, Context, ContextBuilder, WaitError};
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::{Script, Server};
use fdv2_tests::store_conformance::{flag, record, tombstone};

use crate::host::{Host, PATIENCE, eventually, on_every_runtime, shows};

on_every_runtime!(
    daemon_mode_reads_redis,
    daemon_mode_reads_sqlite,
    an_outage_serves_what_was_read_until_redis_answers_again,
    redis_counts_with_its_marker_until_the_first_data,
    redis_no_longer_counts_once_fdv1_has_brought_data,
    yesterdays_flags_are_there_without_a_network,
);

fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

/// A flag that is off and gives its version.
fn gives(key: &str, version: u64) -> Record {
    let text = format!(
        r#"{{"key":"{key}","version":{version},"variations":[{version}],"offVariation":0}}"#
    );
    record::<Flag>(key, &text)
}

/// The flag's value through the store, -1 by default.
fn through(host: &Host, client: &Client, key: &str) -> i64 {
    host.run(client.through_store().int_variation(&user(), key, -1))
}

fn error(host: &Host, client: &Client, key: &str) -> Option<ErrorKind> {
    host.run(client.through_store().variation_detail(&user(), key)).reason.error()
}

fn daemon_mode_reads(host: &Host, store: impl PersistentStore, other: &dyn PersistentStore) {
    let client = host.daemon(Store::new(store), CacheMode::Off);
    assert_eq!(host.run(client.wait_for_initialization(PATIENCE)), Ok(()));
    assert_eq!(client.availability(), Availability::Cached);
    assert_eq!(error(host, &client, "f"), Some(ErrorKind::FlagNotFound));
    other.replace_all(&[gives("f", 1), gives("g", 7), tombstone("gone", 3)]).unwrap();
    assert_eq!(through(host, &client, "f"), 1);
    other.upsert(&gives("f", 2)).unwrap();
    assert_eq!(through(host, &client, "f"), 2);
    assert_eq!(error(host, &client, "gone"), Some(ErrorKind::FlagNotFound));
    let all = client.through_store();
    let all = host.run(all.all_flags_detail(&user(), FlagDetailConfig::new()));
    let keys: Vec<_> = all.flags().iter().map(|flag| flag.key()).collect();
    assert_eq!((keys, all.is_valid()), (vec!["f", "g"], true));
}

fn daemon_mode_reads_redis(host: Host) {
    let server = RedisServer::start();
    let store = || RedisStore::new(&server.url()).unwrap();
    daemon_mode_reads(&host, store(), &store());
}

fn daemon_mode_reads_sqlite(host: Host) {
    let scratch = Scratch::new();
    let store = || SqliteStore::new(scratch.file("flags.sqlite"));
    daemon_mode_reads(&host, store(), &store());
}

/// B 9.10.
fn an_outage_serves_what_was_read_until_redis_answers_again(host: Host) {
    let mut server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    store.replace_all(&[gives("f", 1)]).unwrap();
    // What was read expires at once, so that each evaluation asks.
    let at_once = CacheMode::Ttl(Duration::from_nanos(1));
    let client = host.daemon(Store::new(RedisStore::new(&server.url()).unwrap()), at_once);
    assert_eq!(through(&host, &client, "f"), 1);
    server.stop();
    assert_eq!(through(&host, &client, "f"), 1);
    assert_eq!(error(&host, &client, "g"), Some(ErrorKind::Exception));
    host.run(eventually("the outage", || !client.store_status().is_available));
    server.restart();
    host.run(eventually("the end of the outage", || client.store_status().is_available));
    store.replace_all(&[gives("f", 2)]).unwrap();
    assert_eq!(through(&host, &client, "f"), 2);
}

/// B 9.1, 9.2, I06: what is there is served, and both words for ready say the same.
fn redis_counts_with_its_marker_until_the_first_data(host: Host) {
    let server = RedisServer::start();
    let store = RedisStore::new(&server.url()).unwrap();
    let (client, feed) = host.start(Store::new(RedisStore::new(&server.url()).unwrap()));
    assert_eq!(error(&host, &client, "f"), Some(ErrorKind::ClientNotReady));
    drop(client);
    store.replace_all(&[gives("f", 5)]).unwrap();
    drop(feed);

    let (client, feed) = host.start(Store::new(RedisStore::new(&server.url()).unwrap()));
    assert_eq!(through(&host, &client, "f"), 5);
    assert_eq!((client.availability(), client.initialized()), (Availability::Cached, false));
    let waited = host.run(client.wait_for_initialization(Duration::from_millis(10)));
    assert!(matches!(waited, Err(WaitError::TimedOut(_))), "{waited:?}");
    feed.full(&[flag("f", 1)]);
    host.run(shows(&client, "f", 1));
    assert_eq!(error(&host, &client, "other"), Some(ErrorKind::FlagNotFound));
    store.replace_all(&[gives("f", 6)]).unwrap();
    assert_ne!(through(&host, &client, "f"), 6, "memory counts now");
}

/// V10: data of FDv1 has no selector, and memory counts from it on all the same.
fn redis_no_longer_counts_once_fdv1_has_brought_data(host: Host) {
    let redis = RedisServer::start();
    let store = RedisStore::new(&redis.url()).unwrap();
    store.replace_all(&[gives("f", 5), gives("g", 6)]).unwrap();
    let server = Server::new(|_, request| match request.path() {
        "/sdk/latest-all" => {
            Script::json(&format!(r#"{{"flags":{{"f":{}}}}}"#, gives("f", 1).text()))
        }
        _ => Script::response(403, &[("X-LD-FD-Fallback", "true")], b""),
    });
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(server.url()))
        .fdv1(Polling::new().base_url(server.url()))
        .store(StoreMode::ReadOnly)
        .build()
        .unwrap();
    let store = Store::new(store);
    let client = host.start_as(config, store.clone(), CacheMode::Infinite);
    host.run(shows(&client, "f", 1));
    assert_eq!((through(&host, &client, "f"), through(&host, &client, "g")), (1, -1));
    host.run(store.write(|store| store.replace_all(&[]))).unwrap();
    assert_eq!(through(&host, &client, "f"), 1, "what becomes of the database is no matter");
}

/// I06: what one run of an application wrote, the next one reads before it has data of its own.
fn yesterdays_flags_are_there_without_a_network(host: Host) {
    let scratch = Scratch::new();
    let store = || Store::new(SqliteStore::new(scratch.file("flags.sqlite")));
    let (yesterday, feed) = host.start(store());
    feed.full(&[gives("f", 3)]);
    host.run(shows(&yesterday, "f", 3));
    host.run(yesterday.close(Client::CLOSE_TIMEOUT));

    let (today, _silent) = host.start(store());
    assert_eq!(through(&host, &today, "f"), 3);
    assert_eq!(today.availability(), Availability::Cached);
    assert_eq!(today.int_variation(&user(), "f", -1), 3, "what was read is at hand");
}

//! The members of big segments in Redis (C 3.7), and clients on every runtime that ask for them.

use std::time::{Duration, SystemTime};

use fdv2_client::big_segments::{BigSegmentStore, BigSegments, ContextHash, Memberships, Metadata};
use fdv2_client::core::model::{Flag, Segment};
use fdv2_client::eval::BigSegmentsStatus;
use fdv2_client::store::Record;
use fdv2_client::{Client, Context, ContextBuilder};
use fdv2_redis::RedisBigSegmentStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::store_conformance::record;
use futures::StreamExt;
use redis::{Commands, Connection};

use crate::host::{Host, PATIENCE, eventually, on_every_runtime, shows};

on_every_runtime!(
    a_client_asks_redis_for_the_members_of_big_segments,
    an_outage_of_redis_shows_in_reasons_and_in_the_status,
    a_redis_that_hangs_holds_up_neither_evaluation_nor_closing,
);

const SYNCHRONIZED: &str = "launchdarkly:big_segments_synchronized_on";

fn connect(server: &RedisServer) -> Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

fn store(server: &RedisServer) -> RedisBigSegmentStore {
    RedisBigSegmentStore::new(&server.url()).unwrap()
}

/// The name of a context's list.
fn list(prefix: &str, list: &str, key: &str) -> String {
    format!("{prefix}:big_segment_{list}:{}", ContextHash::of(key))
}

fn add(raw: &mut Connection, name: &str, members: &[&[u8]]) {
    let () = raw.sadd(name, members).unwrap();
}

fn memberships(included: &[&str], excluded: &[&str]) -> Memberships {
    let mut memberships = Memberships::new();
    included.iter().for_each(|reference| memberships.include(reference).unwrap());
    excluded.iter().for_each(|reference| memberships.exclude(reference).unwrap());
    memberships
}

fn of(store: &RedisBigSegmentStore, key: &str) -> Memberships {
    store.memberships(&ContextHash::of(key)).unwrap()
}

/// C 3.7: what the Relay Proxy writes. The names are spelled out here once.
#[test]
fn the_layout_is_that_of_launchdarkly() {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    let hash = "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0=";
    add(&mut raw, &format!("launchdarkly:big_segment_include:{hash}"), &[b"a.g1", b"b.g2"]);
    add(&mut raw, &format!("launchdarkly:big_segment_exclude:{hash}"), &[b"b.g2", b"c.g3"]);
    let () = raw.set(SYNCHRONIZED, "1700000000123").unwrap();
    let store = store(&server);
    assert_eq!(of(&store, "user-key"), memberships(&["a.g1", "b.g2"], &["c.g3"]));
    assert_eq!(of(&store, "other"), Memberships::new());
    assert_eq!(store.metadata(), Ok(Metadata { last_up_to_date: Some(1_700_000_000_123) }));
}

#[test]
fn a_store_that_was_never_synchronized_says_so() {
    let server = RedisServer::start();
    assert_eq!(store(&server).metadata(), Ok(Metadata { last_up_to_date: None }));
    assert_eq!(of(&store(&server), "u"), Memberships::new());
}

#[test]
fn stores_of_different_prefixes_do_not_see_each_other() {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    add(&mut raw, &list("one", "include", "u"), &[b"a.g1"]);
    let () = raw.set("one:big_segments_synchronized_on", "5").unwrap();
    let (one, other) = (store(&server).prefix("one"), store(&server).prefix("other"));
    assert_eq!(of(&one, "u"), memberships(&["a.g1"], &[]));
    assert_eq!(one.metadata(), Ok(Metadata { last_up_to_date: Some(5) }));
    assert_eq!(of(&other, "u"), Memberships::new());
    add(&mut raw, &list("launchdarkly", "include", "u"), &[b"b.g1"]);
    assert_eq!(of(&store(&server).prefix(""), "u"), memberships(&["b.g1"], &[]));
}

/// What makes no sense costs itself, or is an error: never a panic, and never another answer.
#[test]
fn hostile_content_is_left_out_or_an_error() {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    let store = store(&server);
    add(
        &mut raw,
        &list("launchdarkly", "include", "u"),
        &[b"", b"\xff.g1", b"a", b"a.gx", b"b.g1"],
    );
    assert_eq!(of(&store, "u"), memberships(&["b.g1"], &[]));

    let text = list("launchdarkly", "exclude", "u");
    let () = raw.set(&text, "text").unwrap();
    let error = store.memberships(&ContextHash::of("u")).unwrap_err();
    assert!(error.message().contains("WRONGTYPE"), "{error}");
    let () = raw.del(&text).unwrap();
    assert_eq!(of(&store, "u"), memberships(&["b.g1"], &[]), "the connection is still good");

    for text in ["", "soon", "-1", "1.5", "99999999999999999999"] {
        let () = raw.set(SYNCHRONIZED, text).unwrap();
        let error = store.metadata().unwrap_err();
        assert!(error.message().contains(SYNCHRONIZED), "{text:?}: {error}");
    }
    let () = raw.set(SYNCHRONIZED, &[0xff_u8][..]).unwrap();
    assert!(store.metadata().is_err());
}

/// One context in more segments than can be remembered of a thousand.
#[test]
fn too_many_segments_for_one_context_are_an_error() {
    let server = RedisServer::start();
    let references: Vec<String> = (0..30_000).map(|number| format!("s{number}.g1")).collect();
    let members: Vec<&[u8]> = references.iter().map(|reference| reference.as_bytes()).collect();
    add(&mut connect(&server), &list("launchdarkly", "include", "u"), &members);
    let error = store(&server).memberships(&ContextHash::of("u")).unwrap_err();
    assert!(error.message().contains("too many"), "{error}");
}

/// B 11.1.
#[test]
fn a_password_shows_nowhere() {
    let server = RedisServer::start_with(&["--requirepass", "right"]);
    let url = format!("redis://:s3cr3t@{}/0", server.address());
    let store = RedisBigSegmentStore::new(&url).unwrap();
    let error = store.metadata().unwrap_err();
    let shown = format!("{store:?} {error:?} {error}");
    let shown = format!("{shown} {:?}", BigSegments::new(store));
    assert!(!shown.contains("s3cr3t"), "{shown}");
    assert!(RedisBigSegmentStore::new("http://:s3cr3t@localhost").is_err());
}

#[test]
fn a_server_that_was_restarted_between_two_calls_is_not_noticed_as_an_outage() {
    let mut server = RedisServer::start();
    let store = store(&server);
    assert!(store.metadata().is_ok());
    server.restart();
    assert_eq!(of(&store, "u"), Memberships::new());
}

fn user(key: &str) -> Context {
    ContextBuilder::new(key).build().unwrap()
}

/// A flag that is true for who is in a big segment.
fn data() -> [Record; 2] {
    let segment = r#"{"key":"s","version":1,"unbounded":true,"generation":1}"#;
    let flag = r#"{"key":"f","version":1,"on":true,"variations":[false,true],
        "fallthrough":{"variation":0},"rules":[{"variation":1,"clauses":[
            {"op":"segmentMatch","attribute":"","values":["s"]}]}]}"#;
    [record::<Segment>("s", segment), record::<Flag>("f", flag)]
}

fn synchronize(raw: &mut Connection) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    let () = raw.set(SYNCHRONIZED, now.as_millis().to_string()).unwrap();
}

fn through(host: &Host, client: &Client, key: &str) -> (bool, Option<BigSegmentsStatus>) {
    let detail = host.run(client.through_store().bool_variation_detail(&user(key), "f", false));
    (detail.value, detail.reason.big_segments_status)
}

fn a_client_asks_redis_for_the_members_of_big_segments(host: Host) {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    synchronize(&mut raw);
    add(&mut raw, &list("launchdarkly", "include", "in"), &[b"s.g1"]);
    let (client, feed) = host.start_with_segments(BigSegments::new(store(&server)));
    feed.full(&data());
    host.run(shows(&client, "f", 1));
    assert_eq!(through(&host, &client, "in"), (true, Some(BigSegmentsStatus::Healthy)));
    assert_eq!(through(&host, &client, "out"), (false, Some(BigSegmentsStatus::Healthy)));
    assert!(client.bool_variation(&user("in"), "f", false), "what was read is at hand");
    assert!(client.big_segment_status().is_available);

    // The synchronous form alone, on a client that remembers nothing yet.
    let (other, feed) = host.start_with_segments(BigSegments::new(store(&server)));
    feed.full(&data());
    let is_in = || other.bool_variation(&user("in"), "f", false);
    host.run(eventually("what is loaded behind the synchronous form", is_in));
}

fn an_outage_of_redis_shows_in_reasons_and_in_the_status(host: Host) {
    let mut server = RedisServer::start();
    synchronize(&mut connect(&server));
    let segments = BigSegments::new(store(&server))
        .cache_time(Duration::from_nanos(1))
        .poll_interval(Duration::from_millis(20));
    let (client, feed) = host.start_with_segments(segments);
    feed.full(&data());
    host.run(shows(&client, "f", 1));
    let mut statuses = client.big_segment_status_stream();
    let mut next =
        || host.run(statuses.next()).map(|status| (status.is_available, status.is_stale));
    assert_eq!(next(), Some((true, false)));
    server.stop();
    assert_eq!(next(), Some((false, false)));
    assert_eq!(through(&host, &client, "u"), (false, Some(BigSegmentsStatus::StoreError)));
    // Empty, and so never synchronized.
    server.restart();
    assert_eq!(next(), Some((true, true)));
    assert_eq!(through(&host, &client, "u"), (false, Some(BigSegmentsStatus::Stale)));
    let mut raw = connect(&server);
    add(&mut raw, &list("launchdarkly", "include", "u"), &[b"s.g1"]);
    synchronize(&mut raw);
    assert_eq!(next(), Some((true, false)));
    assert_eq!(through(&host, &client, "u"), (true, Some(BigSegmentsStatus::Healthy)));
    host.run(client.close(PATIENCE));
    assert_eq!(next(), None);
}

/// B 10.1, 10.5.
fn a_redis_that_hangs_holds_up_neither_evaluation_nor_closing(host: Host) {
    let server = RedisServer::start();
    synchronize(&mut connect(&server));
    // Whoever waits for the store waits for longer than the test does.
    let store = store(&server).command_timeout(PATIENCE * 10);
    let (client, feed) = host.start_with_segments(BigSegments::new(store));
    feed.full(&data());
    host.run(shows(&client, "f", 1));
    host.run(eventually("the first answer", || client.big_segment_status().is_available));
    server.hang_during(|| {
        let waiting = client.clone();
        let waiting = async move {
            let through = waiting.through_store();
            through.bool_variation(&user("u"), "f", true).await
        };
        let closing = async {
            assert!(!client.bool_variation(&user("u"), "f", true));
            client.close(PATIENCE * 10).await;
        };
        let (is_in, ()) = host.run(futures::future::join(waiting, closing));
        assert!(!is_in);
    });
}

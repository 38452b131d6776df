//! The layout in Redis, which other programs share (C 4.1, 4.5).

use std::collections::BTreeMap;

use fdv2_client::store::{Kind, PersistentStore, Store, Upserted};
use fdv2_redis::RedisStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::store_conformance::{Contents, flag, segment, tombstone};
use redis::{Commands, Connection};

use crate::{flags, keys, segments, wait};

fn connect(server: &RedisServer) -> Connection {
    redis::Client::open(server.url()).unwrap().get_connection().unwrap()
}

fn store(server: &RedisServer) -> RedisStore {
    RedisStore::new(&server.url()).unwrap()
}

#[test]
fn the_layout_is_that_of_launchdarkly() {
    let server = RedisServer::start();
    let store = store(&server);
    store.replace_all(&[segment("s1", 1), flag("f1", 2)]).unwrap();
    store.upsert(&tombstone("f2", 3)).unwrap();

    let mut raw = connect(&server);
    let mut names: Vec<String> = raw.keys("*").unwrap();
    names.sort_unstable();
    assert_eq!(names, ["launchdarkly:$inited", "launchdarkly:features", "launchdarkly:segments"]);
    let features: BTreeMap<String, String> = raw.hgetall("launchdarkly:features").unwrap();
    assert_eq!(features["f1"], &**flag("f1", 2).text());
    assert_eq!(features["f2"], r#"{"key":"f2","version":3,"deleted":true}"#);
    let segments: BTreeMap<String, String> = raw.hgetall("launchdarkly:segments").unwrap();
    assert_eq!(segments["s1"], &**segment("s1", 1).text());
}

#[test]
fn stores_of_different_prefixes_do_not_see_each_other() {
    let server = RedisServer::start();
    let (one, other) = (store(&server).prefix("one"), store(&server).prefix("other"));
    one.replace_all(&[flag("f1", 1)]).unwrap();
    assert_eq!(other.is_initialized(), Ok(false));
    other.replace_all(&[flag("f2", 1)]).unwrap();
    one.clear().unwrap();
    assert_eq!(Contents::read(&other), Ok(Contents::of(&[flag("f2", 1)])));
    assert!(Contents::read(&one).unwrap().texts.is_empty());
    assert_eq!(connect(&server).keys::<_, Vec<String>>("one:*").unwrap(), Vec::<String>::new());
}

#[test]
fn an_empty_prefix_is_the_default_one() {
    let server = RedisServer::start();
    store(&server).prefix("").replace_all(&[flag("f1", 1)]).unwrap();
    assert_eq!(store(&server).is_initialized(), Ok(true));
}

/// C 4.1, 4.3: other programs write fields and the marker one by one, and whatever marker.
#[test]
fn what_other_programs_write_is_read() {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    let () = raw.hset("launchdarkly:features", "f1", r#"{"key":"f1","version":100}"#).unwrap();
    let store = Store::new(store(&server));
    assert_eq!(keys(&flags(&store)), ["f1"]);
    assert_eq!(wait(store.upsert(flag("f1", 200))), Ok(Upserted::NotInitialized));
    let () = raw.set("launchdarkly:$inited", "").unwrap();
    assert_eq!(wait(store.upsert(flag("f1", 100))), Ok(Upserted::NotNewer));
    assert_eq!(wait(store.upsert(flag("f1", 101))), Ok(Upserted::Written));
}

/// B 9.7, C 4.5.
#[test]
fn the_tombstones_of_all_programs_are_read() {
    let server = RedisServer::start();
    let mut raw = connect(&server);
    let shapes = [
        r#"{"version":100,"deleted":true}"#,
        r#"{"key":"gone","version":100,"deleted":true}"#,
        r#"{"key":"$deleted","version":100,"deleted":true,"on":true,"variations":[1,2],
            "fallthrough":{"variation":0},"included":["user"],"salt":"","rules":[]}"#,
    ];
    for shape in shapes {
        for collection in ["launchdarkly:features", "launchdarkly:segments"] {
            let () = raw.hset(collection, "gone", shape).unwrap();
            let () = raw.hset(collection, "live", r#"{"key":"live","version":1}"#).unwrap();
        }
        let () = raw.set("launchdarkly:$inited", "1").unwrap();
        let store = Store::new(store(&server));
        let (flags, segments) = (flags(&store), segments(&store));
        assert_eq!((keys(&flags), keys(&segments)), (vec!["live"], vec!["live"]));
        assert!(flags.corrupt.is_empty() && segments.corrupt.is_empty());
        assert_eq!(wait(store.upsert(flag("gone", 100))), Ok(Upserted::NotNewer));
    }
}

/// B 9.7.
#[test]
fn a_corrupt_record_among_good_ones_loses_only_itself_and_says_so() {
    let server = RedisServer::start();
    store(&server).replace_all(&[flag("f1", 1), flag("f2", 1)]).unwrap();
    let mut raw = connect(&server);
    let corrupt: [(&[u8], &[u8]); 4] =
        [(b"f2", b"{"), (b"f3", b""), (b"f4", b"{\"key\":\"\xff\"}"), (b"\xff", b"{}")];
    for (key, value) in corrupt {
        let () = raw.hset("launchdarkly:features", key, value).unwrap();
    }
    let store = Store::new(store(&server));
    let loaded = flags(&store);
    assert_eq!(keys(&loaded), ["f1"]);
    assert_eq!(loaded.corrupt.len(), 4, "{:?}", loaded.corrupt);
    for key in ["f2", "f3", "f4"] {
        assert_eq!(wait(store.upsert(flag(key, 0))), Ok(Upserted::Written), "{key}");
    }
    assert_eq!(keys(&flags(&store)), ["f1", "f2", "f3", "f4"]);
}

/// D02: the next single write finds out, and writes nothing that would pass for all.
#[test]
fn a_database_that_was_emptied_is_found_out_by_the_next_write() {
    let server = RedisServer::start();
    let store = store(&server);
    store.replace_all(&[flag("f1", 1), flag("f2", 1)]).unwrap();
    redis::cmd("FLUSHALL").exec(&mut connect(&server)).unwrap();
    assert_eq!(store.upsert(&flag("f3", 1)), Ok(Upserted::NotInitialized));
    let held = Contents::read(&store).unwrap();
    assert!(held.texts.is_empty() && !held.is_initialized);
}

#[test]
fn keys_of_another_type_are_an_error_until_a_full_write_replaces_them() {
    let server = RedisServer::start();
    let () = connect(&server).set("launchdarkly:features", "text").unwrap();
    let store = store(&server);
    let error = store.all(Kind::Flag, &mut |_, _| {}).unwrap_err();
    assert!(error.message().contains("WRONGTYPE"), "{error}");
    store.replace_all(&[flag("f1", 1)]).unwrap();
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
}

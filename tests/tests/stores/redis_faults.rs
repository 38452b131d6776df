//! A Redis that is down, hangs, answers late, or must not know a secret.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;
use std::time::{Duration, Instant};

use fdv2_client::store::{Kind, PersistentStore, StoreError, Upserted};
use fdv2_redis::RedisStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::store_conformance::{Contents, flag};

use crate::limit_memory;

/// Far more than any timeout set here.
const BOUND: Duration = Duration::from_secs(20);

fn store(server: &RedisServer) -> RedisStore {
    RedisStore::new(&server.url()).unwrap()
}

fn impatient(server: &RedisServer) -> RedisStore {
    store(server)
        .connect_timeout(Duration::from_millis(300))
        .command_timeout(Duration::from_millis(300))
}

/// D11 at the store.
#[test]
fn a_server_that_is_down_is_an_error_and_one_that_is_up_again_is_used() {
    let mut server = RedisServer::start();
    let store = store(&server);
    server.stop();
    let error = store.replace_all(&[flag("f1", 1)]).unwrap_err();
    let expected = format!("cannot connect to Redis at {}: ", server.address());
    assert!(error.message().starts_with(&expected), "{error}");
    server.restart();
    assert_eq!(store.probe(), Ok(()));
    store.replace_all(&[flag("f1", 1)]).unwrap();
}

/// What the server closed while nobody used it is no outage.
#[test]
fn a_server_that_was_restarted_between_two_calls_is_not_noticed_as_an_outage() {
    let mut server = RedisServer::start();
    let store = store(&server);
    store.replace_all(&[flag("f1", 1)]).unwrap();
    server.restart();
    assert_eq!(store.upsert(&flag("f1", 2)), Ok(Upserted::NotInitialized));
    server.restart();
    store.replace_all(&[flag("f1", 1)]).unwrap();
    server.restart();
    assert_eq!(store.all(Kind::Flag, &mut |_, _| panic!("it is empty")), Ok(()));
}

#[test]
fn a_server_that_hangs_costs_no_more_than_the_timeout() {
    let server = RedisServer::start();
    let (used, new) = (impatient(&server), impatient(&server));
    used.replace_all(&[flag("f1", 1)]).unwrap();
    server.hang_during(|| {
        let began = Instant::now();
        let error = used.one(Kind::Flag, "f1").unwrap_err();
        assert!(error.message().ends_with("no answer in time"), "{error}");
        assert!(used.upsert(&flag("f1", 2)).is_err());
        assert!(new.replace_all(&[flag("f1", 3)]).is_err());
        assert!(began.elapsed() < BOUND);
    });
    assert_eq!(used.probe(), Ok(()));
}

/// The reply to a question that was given up is not taken for that to the next one.
#[test]
fn a_late_reply_is_never_taken_for_the_next_one() {
    let server = RedisServer::start();
    let store = impatient(&server);
    for round in 0..5 {
        store.replace_all(&[flag("f1", 1), flag("f2", 2)]).unwrap();
        server.hang_during(|| store.one(Kind::Flag, "f1").unwrap_err());
        let second = flag("f2", 2).text().as_bytes().to_vec();
        assert_eq!(store.one(Kind::Flag, "f2"), Ok(Some(second)), "round {round}");
        assert_eq!(store.is_initialized(), Ok(true), "round {round}");
        assert_eq!(store.one(Kind::Flag, "f3"), Ok(None), "round {round}");
    }
}

/// A full write that is cut off leaves what was there.
#[test]
fn a_full_write_that_is_cut_off_changes_nothing() {
    let server = RedisServer::start();
    let store = impatient(&server);
    store.replace_all(&[flag("f1", 1)]).unwrap();
    server.hang_during(|| store.replace_all(&[flag("f2", 1)]).unwrap_err());
    // What had reached the server was within a transaction that nobody ended.
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
}

#[test]
fn a_full_write_that_the_server_refuses_changes_nothing_and_is_an_error() {
    let server = RedisServer::start();
    let store = store(&server);
    store.replace_all(&[flag("f1", 1)]).unwrap();
    limit_memory(&server, "1");
    let error = store.replace_all(&[flag("f2", 1)]).unwrap_err();
    assert!(error.message().contains("OOM"), "{error}");
    assert!(store.upsert(&flag("f1", 2)).is_err());
    limit_memory(&server, "0");
    assert_eq!(Contents::read(&store), Ok(Contents::of(&[flag("f1", 1)])));
    assert_eq!(store.upsert(&flag("f1", 2)), Ok(Upserted::Written));
}

/// Listens, agrees to whatever a client says of itself, and answers everything else with this.
fn answering(answer: &'static str) -> RedisStore {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut connection in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            while let Ok(1..) = connection.read(&mut asked) {
                let is_greeting = asked.windows(7).any(|word| word == b"SETINFO");
                let answer = if is_greeting { "+OK\r\n+OK\r\n" } else { answer };
                let _ = connection.write_all(answer.as_bytes());
                asked.fill(0);
            }
        }
    });
    RedisStore::new(&url).unwrap()
}

/// The error neither repeats what was answered nor takes more than a line.
#[test]
fn what_is_no_redis_is_told_as_that() {
    for answer in ["HTTP/1.1 400 Bad Request\r\n\r\n", "*2\r\n$3\r\nBad\r\n:400\r\n"] {
        let error = answering(answer).one(Kind::Flag, "f1").unwrap_err();
        assert!(error.message().ends_with("may be something else"), "{error}");
        assert!(!error.message().contains("Bad") && !error.message().contains('\n'), "{error}");
    }
}

fn texts(store: &RedisStore, result: &Result<(), StoreError>) -> String {
    format!("{store:?} {result:?} {}", result.as_ref().err().map_or("", StoreError::message))
}

/// B 11.1, H06.
#[test]
fn a_password_shows_nowhere_whatever_happens() {
    let with = |server: &RedisServer, user: &str| {
        RedisStore::new(&format!("redis://{user}:s3cr3t@{}/0", server.address())).unwrap()
    };
    let mut server = RedisServer::start_with(&["--requirepass", "s3cr3t"]);
    let good = with(&server, "");
    let mut shown = texts(&good, &good.probe());
    assert!(shown.contains("Ok"), "{shown}");

    let wrong = with(&server, "nobody");
    let result = wrong.probe();
    assert!(result.is_err());
    shown += &texts(&wrong, &result);
    server.stop();
    shown += &texts(&good, &good.probe());

    // Such a server repeats what it was sent.
    let renamed = RedisServer::start_with(&["--rename-command", "AUTH", ""]);
    let result = with(&renamed, "user").probe();
    assert!(result.is_err());
    shown += &texts(&with(&renamed, "user"), &result);
    let needed = RedisServer::start_with(&["--requirepass", "s3cr3t"]);
    let without = RedisStore::new(&needed.url()).unwrap();
    let result = without.probe();
    assert!(result.as_ref().unwrap_err().message().contains("NOAUTH"), "{result:?}");
    shown += &texts(&without, &result);
    assert!(!shown.contains("s3cr3t"), "{shown}");
}

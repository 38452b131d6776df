//! The two threads of a store (B 9.5, 9.8).

use std::future::Future;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use fdv2_client::store::{Answer, Kind, Query, Store, Upserted};
use fdv2_tests::store_conformance::flag;
use futures::future::join_all;

use crate::gated::Gated;
use crate::wait;

fn is_pending<F: Future + Unpin>(future: &mut F) -> bool {
    let polled = std::pin::Pin::new(future).poll(&mut Context::from_waker(Waker::noop()));
    matches!(polled, Poll::Pending)
}

fn one(key: &str) -> Query {
    Query::One(Kind::Flag, key.into())
}

/// B 9.8.
#[test]
fn writes_and_reads_run_on_named_threads_of_their_own() {
    let (gated, gate) = Gated::open();
    let store = Store::new(gated);
    assert_eq!(wait(store.upsert(flag("f1", 1))), Ok(Upserted::Written));
    assert_eq!(wait(store.read(Query::IsInitialized)), Ok(Answer::IsInitialized(true)));
    assert_eq!(gate.calls(), ["upsert f1 v1 on fdv2-writes", "is_initialized"]);
}

/// B 9.5.
#[test]
fn a_write_that_was_given_up_is_still_waited_for_by_the_next_one_of_another_client() {
    let (gated, gate, begun) = Gated::shut();
    let first_client = Store::new(gated);
    let other_client = first_client.clone();
    let given_up = first_client.upsert(flag("f1", 1));
    assert!(begun.next().starts_with("upsert f1 v1"));
    drop(given_up);
    drop(first_client);

    let mut newer = other_client.upsert(flag("f1", 2));
    assert!(is_pending(&mut newer));
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(gate.calls().len(), 1, "the newer write has overtaken the older one");
    gate.open();
    assert_eq!(wait(newer), Ok(Upserted::Written));
    assert_eq!(gate.calls().len(), 2);
}

/// B 10.2.
#[test]
fn what_is_withdrawn_before_it_has_begun_never_does() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let hanging = store.upsert(flag("f1", 1));
    let hanging_read = store.read(one("a"));
    begun.next();
    begun.next();
    let withdrawn = (store.upsert(flag("f1", 2)), store.read(one("b")));
    let mut kept = (store.upsert(flag("f1", 3)), store.read(one("c")));
    assert!(is_pending(&mut kept.0) && is_pending(&mut kept.1));
    drop(withdrawn);
    gate.open();
    wait(kept.0).unwrap();
    wait(kept.1).unwrap();
    wait(hanging).unwrap();
    wait(hanging_read).unwrap();
    let calls = gate.calls().join(", ");
    assert!(!calls.contains("f1 v2") && !calls.contains("flag b"), "{calls}");
}

/// B 9.8: a read does not wait for a write, nor a write for a read.
#[test]
fn a_hanging_write_holds_up_no_read() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let _hanging = store.upsert(flag("f1", 1));
    begun.next();
    let _read = store.read(one("a"));
    assert_eq!(begun.next(), "one flag a");
    gate.open();
}

/// Single flight: of those who ask while a read runs, one call serves all.
#[test]
fn two_thousand_who_ask_the_same_cost_two_reads() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let mut calls = vec![store.read(one("f1"))];
    begun.next();
    calls.extend((0..2000).map(|_| store.read(one("f1"))));
    gate.open();
    assert_eq!(wait(join_all(calls)).iter().filter(|answer| answer.is_ok()).count(), 2001);
    assert_eq!(gate.calls(), ["one flag f1", "one flag f1"]);
}

/// A read that has begun may have read what is old by now.
#[test]
fn who_asks_later_is_not_served_by_a_read_that_has_begun() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let earlier = store.read(one("f1"));
    begun.next();
    let later = store.read(one("f1"));
    gate.open();
    wait(earlier).unwrap();
    wait(later).unwrap();
    assert_eq!(gate.calls().len(), 2);
}

/// One of several who wait for the same may leave.
#[test]
fn who_leaves_a_shared_read_takes_nothing_from_the_others() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let hanging = store.read(one("first"));
    begun.next();
    let (leaving, staying) = (store.read(one("f1")), store.read(one("f1")));
    drop(leaving);
    gate.open();
    wait(staying).unwrap();
    wait(hanging).unwrap();
    assert_eq!(gate.calls(), ["one flag first", "one flag f1"]);
}

#[test]
fn a_panicking_store_is_one_that_failed_and_works_on() {
    let (gated, gate) = Gated::open();
    let store = Store::new(gated);
    let error = wait(store.upsert(flag("panic", 1))).unwrap_err();
    assert_eq!(error.message(), "the store panicked; standard error has the message");
    assert!(wait(store.read(one("panic"))).is_err());
    let panicking = store.read_with(one("b"), |_| panic!("this reader panics, as the test wants"));
    gate.wait_for("one flag b");
    drop(panicking);
    assert!(wait(store.upsert(flag("f1", 1))).is_ok());
    assert!(wait(store.read(one("f1"))).is_ok());
    assert_eq!(wait(store.read(one("fail"))).unwrap_err().message(), "the store is down");
}

/// B 10.5: dropping waits for nothing; what waits is done; then the store is closed, once.
#[test]
fn the_store_is_closed_after_its_last_call_and_nobody_waits_for_that() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let (mut write, read) = (store.upsert(flag("f1", 1)), store.read(one("a")));
    begun.next();
    begun.next();
    let waiting = store.probe();
    let began = Instant::now();
    drop(store);
    assert!(began.elapsed() < Duration::from_secs(10));
    assert!(is_pending(&mut write));
    assert!(!gate.calls().contains(&"close".to_owned()));
    gate.open();
    wait(write).unwrap();
    wait(read).unwrap();
    wait(waiting).unwrap();
    gate.wait_for("close");
    let calls = gate.calls();
    assert_eq!(calls.last().map(String::as_str), Some("close"), "{calls:?}");
    assert_eq!(calls.iter().filter(|call| *call == "close").count(), 1);
}

#[test]
fn a_queue_that_is_full_refuses_more_and_takes_more_once_it_is_not() {
    let (gated, gate, begun) = Gated::shut();
    let store = Store::new(gated);
    let hanging = store.upsert(flag("f1", 1));
    begun.next();
    let mut waiting: Vec<_> = (0..1024).map(|_| store.probe()).collect();
    let refused = wait(store.upsert(flag("f1", 2))).unwrap_err();
    assert_eq!(refused.message(), "too many calls wait for the store");
    waiting.pop();
    let mut taken = store.upsert(flag("f1", 3));
    assert!(is_pending(&mut taken));
    gate.open();
    wait(taken).unwrap();
    wait(hanging).unwrap();
}

/// Nobody waits on an executor thread: the call goes on without being polled.
#[test]
fn a_call_begins_without_being_polled() {
    let (gated, gate) = Gated::open();
    let store = Store::new(gated);
    let call = store.upsert(flag("f1", 1));
    gate.wait_for("upsert f1 v1 on fdv2-writes");
    wait(call).unwrap();
}

//! What becomes of reads when memory takes over (B 9.1) or the client closes (B 10.2), and what the
//! synchronous form has loaded again (B 9.9).

use std::task::{Context as TaskContext, Poll};
use std::thread;
use std::time::Duration;

use fdv2_core::eval::FlagDetailConfig;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::status::Availability;
use fdv2_core::{Config, Selector};
use futures::FutureExt;
use futures::executor::block_on;

use super::reading::{TTL, Tables, daemon, through, until, until_data, user};
use super::sim::Sim;
use super::{Silence, close_beside, poll_once, start_with, wakes_to_run};
use crate::store::{Query, Store};
use crate::{CacheMode, Parts};

/// B 9.9: all flags in the synchronous form, segments included.
#[test]
fn b_9_9_all_flags_are_loaded_behind_the_synchronous_form() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    let client = daemon(&sim, &tables, TTL);
    until(&sim, || client.all_flags_detail(&user(), FlagDetailConfig::new()).is_valid());
}

/// B 9.9, 9.3: expired entries are served, and loaded again behind that: misses as well.
#[test]
fn b_9_9_what_has_expired_is_loaded_again_behind_the_synchronous_form() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    let client = daemon(&sim, &tables, TTL);
    until(&sim, || client.int_variation(&user(), "f", -1) == 1);
    assert_eq!(through(&client, "g"), -1);
    tables.flag("f", "2");
    tables.flag("g", "3");
    assert_eq!(client.int_variation(&user(), "f", -1), 1);
    sim.set_now(client.now() + Duration::from_secs(10));
    assert_eq!(client.int_variation(&user(), "f", -1), 1, "even expired");
    until(&sim, || client.int_variation(&user(), "f", -1) == 2);
    until(&sim, || client.int_variation(&user(), "g", -1) == 3);
}

/// B 9.3, 9.9: without a cache nothing is kept that the synchronous form could use.
#[test]
fn b_9_3_without_a_cache_the_synchronous_form_has_nothing() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    let client = daemon(&sim, &tables, CacheMode::Off);
    assert_eq!(through(&client, "f"), 1);
    assert_eq!(client.int_variation(&user(), "f", -1), -1);
    assert_eq!(tables.calls(), 1, "it does not call the store either");
}

/// B 9.1, 9.8: those who wait for the store are answered from memory as soon as it takes over,
/// whatever the store does, and what has not begun never does.
#[test]
fn b_9_1_who_waits_for_the_store_is_answered_from_memory_when_it_takes_over() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let (client, sender) = until_data(&sim, &tables);
    tables.initialize();
    assert_eq!(through(&client, "e"), -1);
    let calls = tables.calls();
    tables.set_hanging(true);
    let (user, store) = (user(), client.through_store());
    let mut asking = store.int_variation(&user, "f", -1).boxed();
    assert!(poll_once(&mut asking).is_pending());
    until(&sim, || tables.calls() == calls + 1);
    let mut waiting = store.int_variation(&user, "g", -1).boxed();
    assert!(poll_once(&mut waiting).is_pending());
    let mut warming = store.warm_up().boxed();
    assert!(poll_once(&mut warming).is_pending());
    let mut change_set = ChangeSetBuilder::full();
    change_set.put(Kind::Flag, "f", 1, r#"{"variations":[9],"offVariation":0}"#).unwrap();
    let change_set = change_set.finish(Some(Selector::new("s", 1)));
    sender.unbounded_send(change_set.into()).unwrap();
    sim.run();
    assert_eq!(client.availability(), Availability::Refreshed, "the store's marker counts no more");
    assert_eq!(poll_once(&mut asking), Poll::Ready(9));
    assert_eq!(poll_once(&mut waiting), Poll::Ready(-1));
    assert_eq!(poll_once(&mut warming), Poll::Ready(Ok(())));
    tables.set_hanging(false);
    block_on(store.warm_up()).unwrap();
    thread::sleep(Duration::from_millis(20));
    assert_eq!(tables.calls(), calls + 1);
}

/// B 10.2: neither what waits nor a warm-up calls the store once the client is closed.
#[test]
fn b_10_2_what_waits_for_the_store_is_withdrawn_by_closing() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = daemon(&sim, &tables, TTL);
    tables.set_hanging(true);
    let (user, store) = (user(), client.through_store());
    let mut asking = store.int_variation(&user, "f", -1).boxed();
    assert!(poll_once(&mut asking).is_pending());
    until(&sim, || tables.calls() == 1);
    let mut waiting = store.int_variation(&user, "g", -1).boxed();
    assert!(poll_once(&mut waiting).is_pending());
    close_beside(&sim, &client);
    assert_eq!(poll_once(&mut asking), Poll::Ready(-1));
    assert_eq!(poll_once(&mut waiting), Poll::Ready(-1));
    assert!(block_on(store.warm_up()).is_err());
    tables.set_hanging(false);
    thread::sleep(Duration::from_millis(20));
    assert_eq!(tables.calls(), 1);
}

/// B 10.2: a `close` that ends while another is still waking those who waited keeps the promise too.
#[test]
fn b_10_2_no_read_begins_after_the_first_close_that_returns() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let store = Store::new(tables.clone());
    let parts = Parts::new().store(store.clone());
    let client = start_with(&sim, Config::daemon().build().unwrap(), Silence, parts);
    tables.set_hanging(true);
    let (closing, hanging) = (client.clone(), tables.clone());
    let waker = wakes_to_run(move || {
        block_on(closing.close(Duration::ZERO));
        hanging.set_hanging(false);
        // The store's thread takes one after another, so nothing is left before this.
        assert!(block_on(store.read(Query::IsInitialized)).is_ok());
    });
    let (user, through) = (user(), client.through_store());
    let mut asking = ["f", "g", "h"].map(|key| through.int_variation(&user, key, -1).boxed());
    for asking in &mut asking {
        assert!(asking.poll_unpin(&mut TaskContext::from_waker(&waker)).is_pending());
        until(&sim, || tables.calls() == 1);
    }
    assert!(client.close(Duration::from_secs(60)).boxed().now_or_never().is_none());
    sim.run();
    assert_eq!(tables.calls(), 2, "the one that had begun, and that of the test");
}

/// B 9.8: neither building the whole nor freeing the one before is work for the caller's executor.
#[test]
fn b_9_8_reading_everything_costs_the_caller_the_same_whatever_the_size() {
    let cost = |flags: usize, mode: CacheMode| {
        let (sim, tables) = (Sim::default(), Tables::default());
        (0..flags).for_each(|number| tables.flag(&number.to_string(), "1"));
        let client = daemon(&sim, &tables, mode);
        let warm_up = || block_on(client.through_store().warm_up()).unwrap();
        warm_up();
        allocation_counter::measure(warm_up)
    };
    for mode in [TTL, CacheMode::Off] {
        for flags in [1, 5_000] {
            let cost = cost(flags, mode);
            assert!(cost.count_total < 500, "{flags} flags: {cost:?}");
            assert!(cost.count_current.abs() < 500, "{flags} flags: {cost:?}");
        }
    }
}

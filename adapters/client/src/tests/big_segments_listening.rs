//! Listeners to the values of flags with big segments (B 7.2, 9.9).

use std::cell::{Cell, RefCell};
use std::time::Duration;

use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Selector, SourceUpdate};
use futures::{FutureExt, StreamExt};
use serde_json::json;

use super::feed::Feeds;
use super::members::{Members, client, client_and_feeds, data, segments, through, user};
use super::reading::until;
use super::sim::Sim;
use crate::{Client, Parts, ValueChange, ValueChanges};

fn watch(client: &Client, key: &str) -> ValueChanges {
    client.value_changes("f", user(key), json!(null))
}

fn read(changes: &mut ValueChanges) -> Option<(bool, bool)> {
    let ValueChange { old, new, .. } = changes.next().now_or_never()??;
    Some((old.as_bool().unwrap(), new.as_bool().unwrap()))
}

/// The next change, which comes when the store has answered.
fn next(sim: &Sim, changes: &mut ValueChanges) -> (bool, bool) {
    let changes = RefCell::new(changes);
    let told = Cell::new(None);
    until(sim, || {
        told.set(told.get().or_else(|| read(&mut changes.borrow_mut())));
        told.get().is_some()
    });
    told.get().unwrap()
}

/// A change of flags that leaves the values as they are.
fn unrelated(feeds: &Feeds, version: u64) {
    let mut change_set = ChangeSetBuilder::changes();
    change_set.put(Kind::Flag, "unrelated", version, "{}").unwrap();
    let change_set = change_set.finish(Some(Selector::new(format!("s{version}"), version)));
    feeds.tell("feed", SourceUpdate::ChangeSet(Box::new(change_set)));
}

/// What the registration had to do without is told when it is there.
#[test]
fn memberships_that_were_not_at_hand_are_told_when_they_are() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    members.set_hanging(true);
    let mut changes = watch(&client, "u");
    let mut of_a_stranger = watch(&client, "v");
    assert_eq!(changes.value(), &json!(false));
    assert_eq!(read(&mut changes), None);
    members.set_hanging(false);
    assert_eq!(next(&sim, &mut changes), (false, true));
    until(&sim, || members.queries() == 2);
    assert_eq!((read(&mut changes), read(&mut of_a_stranger)), (None, None));
}

#[test]
fn memberships_that_are_at_hand_count_from_the_registration_on() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    through(&client, &user("u"), "f");
    let mut changes = watch(&client, "u");
    assert_eq!(changes.value(), &json!(true));
    assert_eq!((read(&mut changes), members.queries()), (None, 1));
}

/// The next change of flags has expired memberships loaded again, and what has changed is told.
#[test]
fn expired_memberships_are_loaded_again_with_the_next_change() {
    let (sim, members) = (Sim::default(), Members::default());
    let parts = Parts::new().big_segments(segments(&sim, &members));
    let (client, feeds) = client_and_feeds(&sim, parts, data());
    through(&client, &user("u"), "f");
    let mut changes = watch(&client, "u");
    members.include("u", "s.g1");
    sim.set_now(client.now() + Duration::from_secs(5));
    assert_eq!(read(&mut changes), None, "nothing asks yet");
    unrelated(&feeds, 2);
    sim.run();
    assert_eq!(next(&sim, &mut changes), (false, true));
    assert_eq!(members.queries(), 2);
}

/// Listeners do not keep asking a store whose answers are the same, even if nothing counts for
/// longer than a moment.
#[test]
fn answers_that_are_the_same_wake_no_listener() {
    for is_down in [false, true] {
        let (sim, members) = (Sim::default(), Members::default());
        members.include("u", "s.g1");
        let client = client(&sim, segments(&sim, &members).cache_time(Duration::ZERO));
        members.set_down(is_down);
        let mut changes = watch(&client, "u");
        until(&sim, || members.queries() == 1);
        let expected = if is_down { 1 } else { 2 };
        for _ in 0..100 {
            read(&mut changes);
            sim.run();
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(members.queries() <= expected, "{} queries", members.queries());
    }
}

/// A failure of the store is over when that answers again: it must not stand as a value until flags
/// change.
#[test]
fn who_went_by_a_failure_is_told_when_the_store_is_back() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let parts = Parts::new().big_segments(segments(&sim, &members));
    let (client, feeds) = client_and_feeds(&sim, parts, data());
    until(&sim, || client.big_segment_status().is_available);
    through(&client, &user("u"), "f");
    let mut early = watch(&client, "u");
    assert_eq!(early.value(), &json!(true));
    members.set_down(true);
    sim.advance(Duration::from_secs(5));
    until(&sim, || !client.big_segment_status().is_available);
    unrelated(&feeds, 2);
    sim.run();
    assert_eq!(next(&sim, &mut early), (true, false));
    // The failure is remembered, so this one asks for nothing.
    let mut late = watch(&client, "u");
    assert_eq!(late.value(), &json!(false));
    members.set_down(false);
    sim.advance(Duration::from_secs(5));
    assert_eq!(next(&sim, &mut early), (false, true));
    assert_eq!(next(&sim, &mut late), (false, true));
}

/// No oftener than the store is polled.
#[test]
fn as_long_as_memberships_fail_they_are_asked_for_at_each_poll() {
    let (sim, members) = (Sim::default(), Members::default());
    members.set_down(true);
    let client = client(&sim, segments(&sim, &members));
    let changes = RefCell::new(watch(&client, "u"));
    until(&sim, || members.queries() == 1);
    members.set_only_memberships_down();
    for polls in 2..5 {
        sim.advance(Duration::from_secs(5));
        until(&sim, || members.polls() == polls && client.big_segment_status().is_available);
        until(&sim, || {
            read(&mut changes.borrow_mut());
            members.queries() == polls
        });
    }
}

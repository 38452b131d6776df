//! B 7.2, 7.4: what changes mean for one context.

use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use fdv2_core::SourceUpdate;
use fdv2_core::model::Kind;
use fdv2_core::protocol::Selector;
use fdv2_core::snapshot::ChangeSetBuilder;
use futures::executor::{block_on, block_on_stream};
use futures::{FutureExt, StreamExt};
use serde_json::{Value, json};

use super::feed::{fed, running};
use super::sim::Sim;
use crate::{Client, Context, ContextBuilder, Listener, ValueChange, ValueChanges};

const LONG: Duration = Duration::from_secs(60);

fn user(key: &str) -> Context {
    ContextBuilder::new(key).build().unwrap()
}

/// The whole data: this flag, which is off and gives this text of JSON.
fn gives(version: u64, key: &str, value: &str) -> SourceUpdate {
    let flag = format!(
        r#"{{"key":"{key}","version":{version},"offVariation":1,"variations":["other",{value}]}}"#
    );
    data(version, key, &flag)
}

fn data(version: u64, key: &str, flag: &str) -> SourceUpdate {
    let mut builder = ChangeSetBuilder::full();
    builder.put(Kind::Flag, key, version, flag).unwrap();
    let selector = Selector::new(format!("s{version}"), version);
    SourceUpdate::ChangeSet(Box::new(builder.finish(Some(selector))))
}

fn change(key: &str, old: impl Into<Value>, new: impl Into<Value>) -> ValueChange {
    ValueChange { key: key.into(), old: old.into(), new: new.into() }
}

fn read(changes: &mut ValueChanges) -> Option<ValueChange> {
    changes.next().now_or_never().flatten()
}

fn listen(client: &Client, user_key: &str) -> (Listener, Receiver<ValueChange>) {
    let (told, heard) = channel();
    let listener = client
        .on_value_change("f", user(user_key), json!("default"), move |change| {
            drop(told.send(change));
        })
        .unwrap();
    (listener, heard)
}

/// Case L05: the value of the same variation is edited.
#[test]
fn b_7_2_a_value_edited_in_place_is_a_change() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", gives(1, "f", r#""a""#));
    sim.run();
    let (_listener, heard) = listen(&client, "u");
    let (_other, heard_too) = listen(&client, "u");
    feeds.tell("a", gives(2, "f", r#""b""#));
    sim.run();
    for heard in [heard, heard_too] {
        assert_eq!(heard.recv_timeout(LONG), Ok(change("f", "a", "b")));
    }
}

/// Case L05: objects are compared by what they say.
#[test]
fn b_7_2_the_same_object_in_another_order_is_no_change() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", gives(1, "f", r#"{"a":1,"b":{"c":[2],"d":3}}"#));
    sim.run();
    let (_listener, heard) = listen(&client, "u");
    let mut changes = client.value_changes("f", user("u"), json!("default"));
    feeds.tell("a", gives(2, "f", r#"{"b":{"d":3,"c":[2]},"a":1}"#));
    sim.run();
    assert_eq!(read(&mut changes), None);
    feeds.tell("a", gives(3, "f", r#"{"a":2}"#));
    sim.run();
    let expected = change("f", json!({"a": 1, "b": {"c": [2], "d": 3}}), json!({"a": 2}));
    assert_eq!(read(&mut changes), Some(expected.clone()));
    assert_eq!(*changes.value(), expected.new);
    assert_eq!(heard.recv_timeout(LONG), Ok(expected));
    assert!(heard.try_recv().is_err());
}

/// Case L05: by what they say, too. As for flags, the spelling of a number is no matter (B 7.1).
#[test]
fn b_7_2_the_same_number_in_another_spelling_is_no_change() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", gives(1, "f", r#"{"a":[1,2.0]}"#));
    sim.run();
    let mut changes = client.value_changes("f", user("u"), json!("default"));
    feeds.tell("a", gives(2, "f", r#"{"a":[1.0,2e0]}"#));
    sim.run();
    assert_eq!(read(&mut changes), None);
    feeds.tell("a", gives(3, "f", r#"{"a":[1.5,2]}"#));
    sim.run();
    let expected = change("f", json!({"a": [1, 2.0]}), json!({"a": [1.5, 2]}));
    assert_eq!(read(&mut changes), Some(expected));
}

/// Contract 2.11: a flag that changes in its version only, and another flag.
#[test]
fn a_change_that_gives_the_same_value_is_none() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", gives(1, "f", "1"));
    sim.run();
    let mut changes = client.value_changes("f", user("u"), json!(1));
    let mut keys = client.flag_changes();
    for version in 2..=100 {
        feeds.tell("a", gives(version, "f", "1"));
        sim.run();
        assert!(keys.next().now_or_never().is_some());
        assert_eq!(read(&mut changes), None);
    }
    // The flag goes, and its value is the default.
    feeds.tell("a", gives(101, "other", "2"));
    sim.run();
    assert_eq!(read(&mut changes), None);
}

/// B 7.4: the first data is compared with the default, which stands for no value.
#[test]
fn the_default_stands_for_a_flag_without_a_value() {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, &["a"]);
    let mut changes = client.value_changes("f", user("u"), json!("default"));
    assert_eq!(*changes.value(), json!("default"));
    sim.run();
    feeds.tell("a", gives(1, "f", "true"));
    sim.run();
    assert_eq!(read(&mut changes), Some(change("f", "default", true)));
    feeds.tell("a", gives(2, "other", "true"));
    sim.run();
    assert_eq!(read(&mut changes), Some(change("f", true, "default")));
    assert_eq!(read(&mut changes), None);
}

/// Contract 2.11.
#[test]
fn a_change_for_one_context_is_none_for_another() {
    let (sim, client, feeds) = running(&["a"]);
    let targeted = |version, variation| {
        let flag = json!({
            "key": "f", "version": version, "on": true, "variations": ["a", "b"],
            "targets": [{"values": ["u1"], "variation": variation}],
            "fallthrough": {"variation": 0},
        });
        data(version, "f", &flag.to_string())
    };
    feeds.tell("a", targeted(1, 0));
    sim.run();
    let (_listener, heard) = listen(&client, "u1");
    let mut others = client.value_changes("f", user("u2"), json!("default"));
    feeds.tell("a", targeted(2, 1));
    sim.run();
    assert_eq!(heard.recv_timeout(LONG), Ok(change("f", "a", "b")));
    assert_eq!(read(&mut others), None);
}

/// B 7.3: a slow reader is told of the newest value.
#[test]
fn a_reader_that_does_not_keep_up_misses_what_came_and_went() {
    let (sim, client, feeds) = running(&["a"]);
    let mut changes = client.value_changes("f", user("u"), json!(0));
    for value in 1..=5_000 {
        feeds.tell("a", gives(value, "f", &value.to_string()));
        sim.run();
    }
    assert_eq!(read(&mut changes), Some(change("f", 0, 5_000)));
    assert_eq!(read(&mut changes), None);
}

/// B 7.4: no change falls between the registration and the first look.
#[test]
fn the_values_told_follow_from_each_other() {
    let (sim, client, feeds) = running(&["a"]);
    let follower = client.clone();
    let following = std::thread::spawn(move || {
        let changes = follower.value_changes("f", user("u"), json!(0));
        let mut value = changes.value().clone();
        for change in block_on_stream(changes) {
            assert_eq!(change.old, value);
            value = change.new;
            if value == json!(2_000) {
                return;
            }
        }
        assert_eq!(value, json!(2_000));
    });
    for value in 1..=2_000 {
        feeds.tell("a", gives(value, "f", &value.to_string()));
        sim.run();
    }
    following.join().unwrap();
}

#[test]
fn b_10_a_stream_of_values_ends_with_the_client_and_does_not_keep_it_open() {
    let sim = Sim::default();
    let (client, _feeds) = fed(&sim, &["a"]);
    let changes = client.value_changes("f", user("u"), json!(0));
    sim.run();
    drop(client);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_eq!(block_on(changes.collect::<Vec<_>>()), []);
}

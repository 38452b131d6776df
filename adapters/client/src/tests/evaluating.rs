//! Evaluation by key (B 6.7), on the newest data and on a snapshot.

use fdv2_core::SourceUpdate;
use fdv2_core::eval::{Detail, ErrorKind, FlagDetailConfig};
use fdv2_core::model::Kind;
use fdv2_core::protocol::Selector;
use fdv2_core::snapshot::ChangeSetBuilder;
use serde_json::{Value, json};

use super::feed::running;
use crate::{Client, Context, ContextBuilder};

pub(super) fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

/// Flags that are off, with these values.
pub(super) fn values(flags: &[(&str, Value)]) -> SourceUpdate {
    let mut builder = ChangeSetBuilder::full();
    for (key, value) in flags {
        let flag = json!({"key": key, "version": 1, "variations": [value], "offVariation": 0});
        builder.put(Kind::Flag, key, 1, &flag.to_string()).unwrap();
    }
    SourceUpdate::ChangeSet(Box::new(builder.finish(Some(Selector::new("s", 1)))))
}

fn client_with(flags: &[(&str, Value)]) -> Client {
    let (sim, client, feeds) = running(&["feed"]);
    feeds.tell("feed", values(flags));
    sim.run();
    client
}

fn error<T>(detail: &Detail<'_, T>) -> Option<ErrorKind> {
    detail.reason.error()
}

/// I03, M12.
#[test]
fn b_6_7_before_there_is_data_flags_give_their_defaults() {
    let (_sim, client, _feeds) = running(&["feed"]);
    let detail = client.bool_variation_detail(&user(), "f", true);
    assert!(detail.value && detail.variation_index.is_none());
    assert_eq!(error(&detail), Some(ErrorKind::ClientNotReady));
    assert_eq!(error(&client.snapshot().variation_detail(&user(), "f")), error(&detail));
    let all = client.all_flags_detail(&user(), FlagDetailConfig::new());
    assert!(!all.is_valid());
    assert_eq!(serde_json::to_value(all).unwrap(), json!({"$flagsState": {}, "$valid": false}));
}

#[test]
fn b_6_7_an_absent_flag_gives_its_default() {
    let client = client_with(&[]);
    let detail = client.str_variation_detail(&user(), "f", "default");
    assert_eq!(detail.value, "default");
    assert_eq!(error(&detail), Some(ErrorKind::FlagNotFound));
    assert!(client.all_flags_detail(&user(), FlagDetailConfig::new()).is_valid());
}

#[test]
fn each_type_has_its_method() {
    let object = json!({"a": [1]});
    let client = client_with(&[
        ("bool", json!(true)),
        ("text", json!("hi")),
        ("int", json!(9_007_199_254_740_993_i64)),
        ("float", json!(-2.5)),
        ("object", object.clone()),
        ("null", json!(null)),
    ]);
    let user = &user();
    assert!(client.bool_variation(user, "bool", false));
    assert_eq!(client.str_variation(user, "text", ""), "hi");
    assert_eq!(client.int_variation(user, "int", 0), 9_007_199_254_740_993);
    assert_eq!(client.int_variation(user, "float", 0), -2);
    assert_eq!(client.float_variation(user, "float", 0.0), -2.5);
    assert_eq!(client.json_variation(user, "object", json!(1)), object);
    assert_eq!(client.json_variation(user, "null", json!(1)), Value::Null);
    assert_eq!(client.variation(user, "bool"), Some(json!(true)));

    let snapshot = client.snapshot();
    assert!(snapshot.bool_variation(user, "bool", false));
    assert_eq!(snapshot.str_variation(user, "text", ""), "hi");
    assert_eq!(snapshot.int_variation(user, "int", 0), 9_007_199_254_740_993);
    assert_eq!(snapshot.float_variation(user, "float", 0.0), -2.5);
    assert_eq!(snapshot.json_variation(user, "object", &Value::Null), &object);
    assert_eq!(snapshot.variation(user, "nowhere"), None);
    let detail = client.json_variation_detail(user, "object", Value::Null);
    assert_eq!(
        serde_json::to_value(detail).unwrap(),
        json!({"value": object, "variationIndex": 0, "reason": {"kind": "OFF"}})
    );
}

#[test]
fn b_6_7_a_value_of_another_type_gives_the_default() {
    let client =
        client_with(&[("text", json!("1")), ("huge", json!(1e300)), ("null", json!(null))]);
    let user = &user();
    let wrong = Some(ErrorKind::WrongType);
    assert_eq!(error(&client.bool_variation_detail(user, "text", false)), wrong);
    assert_eq!(error(&client.int_variation_detail(user, "text", 0)), wrong);
    assert_eq!(error(&client.int_variation_detail(user, "huge", 0)), wrong);
    assert_eq!(error(&client.float_variation_detail(user, "text", 0.0)), wrong);
    assert_eq!(error(&client.str_variation_detail(user, "huge", "")), wrong);
    let detail = client.str_variation_detail(user, "null", "default");
    assert_eq!((error(&detail), &*detail.value), (wrong, "default"));
    assert_eq!(detail.variation_index, None);
}

#[test]
fn a_snapshot_stays_as_it_is_while_the_client_goes_on() {
    let (sim, client, feeds) = running(&["feed"]);
    feeds.tell("feed", values(&[("f", json!(1))]));
    sim.run();
    let snapshot = client.snapshot();
    feeds.tell("feed", values(&[("f", json!(2))]));
    sim.run();
    assert_eq!(snapshot.int_variation(&user(), "f", 0), 1);
    assert_eq!(client.int_variation(&user(), "f", 0), 2);
    let all = snapshot.all_flags_detail(&user(), FlagDetailConfig::new());
    assert_eq!(serde_json::to_value(all).unwrap()["f"], json!(1));
}

#[test]
fn evaluation_to_bool_int_and_float_allocates_nothing() {
    let client = client_with(&[("bool", json!(true)), ("int", json!(1)), ("float", json!(1.5))]);
    let user = user();
    let evaluate = || {
        assert!(client.bool_variation(&user, "bool", false));
        assert_eq!(client.int_variation(&user, "int", 0), 1);
        assert_eq!(client.float_variation_detail(&user, "float", 0.0).value, 1.5);
        assert!(client.bool_variation(&user, "nowhere", true));
    };
    // The first load of a thread sets its place among the readers up.
    evaluate();
    assert_eq!(allocation_counter::measure(evaluate).count_total, 0);
}

/// What is given is copied once, and a default is not made unless it is needed.
#[test]
fn evaluation_to_text_and_json_allocates_what_it_gives() {
    struct Unneeded;
    impl From<Unneeded> for String {
        fn from(Unneeded: Unneeded) -> Self {
            panic!("made for nothing")
        }
    }
    let client = client_with(&[("text", json!("hi")), ("json", json!("hi"))]);
    let user = user();
    client.bool_variation(&user, "text", false);
    let text = || assert_eq!(client.str_variation(&user, "text", Unneeded), "hi");
    assert_eq!(allocation_counter::measure(text).count_total, 1);
    let json = || assert_eq!(client.json_variation(&user, "json", Value::Null), "hi");
    assert_eq!(allocation_counter::measure(json).count_total, 1);
    let default = json!({"a": [1, 2]});
    let moved = || drop(client.json_variation(&user, "nowhere", default));
    assert_eq!(allocation_counter::measure(moved).count_total, 0);
}

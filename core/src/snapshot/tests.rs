//! Change sets, what they announce, and what is shared and freed.

use std::sync::Arc;

use super::*;
use crate::limits::Limits;
use crate::model::Kind;
use crate::protocol::Selector;
use crate::status::Availability;

fn flag(key: &str, more: &str) -> (Kind, String, String) {
    (Kind::Flag, key.to_owned(), format!(r#"{{"key":"{key}","version":1,"on":true{more}}}"#))
}

/// A flag that names these as prerequisites.
fn needing(key: &str, prerequisites: &[&str]) -> (Kind, String, String) {
    let list: Vec<_> =
        prerequisites.iter().map(|key| format!(r#"{{"key":"{key}","variation":0}}"#)).collect();
    flag(key, &format!(r#","prerequisites":[{}]"#, list.join(",")))
}

fn clause(segments: &[&str]) -> String {
    let clause = format!(r#"{{"attribute":"","op":"segmentMatch","values":{segments:?}}}"#);
    format!(r#""rules":[{{"variation":0,"clauses":[{clause}]}}]"#)
}

fn flag_of_segments(key: &str, segments: &[&str]) -> (Kind, String, String) {
    flag(key, &format!(",{}", clause(segments)))
}

fn segment(key: &str, more: &str) -> (Kind, String, String) {
    (Kind::Segment, key.to_owned(), format!(r#"{{"key":"{key}","version":1{more}}}"#))
}

fn segment_of_segments(key: &str, segments: &[&str]) -> (Kind, String, String) {
    segment(key, &format!(",{}", clause(segments)))
}

fn put_all(mut builder: ChangeSetBuilder, items: &[(Kind, String, String)]) -> ChangeSetBuilder {
    for (kind, key, object) in items {
        builder.put(*kind, key, 1, object).unwrap();
    }
    builder
}

#[track_caller]
fn apply(held: &Arc<Snapshot>, builder: ChangeSetBuilder) -> Commit {
    let change_set = builder.finish(Some(Selector::new("s", 1)));
    Snapshot::apply(held, change_set, &Limits::default()).unwrap()
}

fn full(held: &Arc<Snapshot>, items: &[(Kind, String, String)]) -> Commit {
    apply(held, put_all(ChangeSetBuilder::full(), items))
}

fn changes(held: &Arc<Snapshot>, items: &[(Kind, String, String)]) -> Commit {
    apply(held, put_all(ChangeSetBuilder::changes(), items))
}

fn holding(items: &[(Kind, String, String)]) -> Arc<Snapshot> {
    full(&Arc::default(), items).snapshot
}

fn announced(commit: &Commit) -> Vec<&str> {
    let keys = commit.changes.as_ref().map_or(&[][..], FlagsChanged::keys);
    keys.iter().map(|key| &**key).collect()
}

/// B 7.1, 7.4.
#[test]
fn a_change_set_announces_what_changed_appeared_and_disappeared() {
    let first = full(&Arc::default(), &[flag("b", ""), flag("a", ""), flag("c", "")]);
    assert_eq!(announced(&first), ["a", "b", "c"]);
    let second = full(
        &first.snapshot,
        &[flag("a", ""), (Kind::Flag, "b".into(), r#"{"version":2}"#.into()), flag("d", "")],
    );
    assert_eq!(announced(&second), ["b", "c", "d"]);
    let mut deletion = ChangeSetBuilder::changes();
    deletion.delete(Kind::Flag, "a", 2).unwrap().delete(Kind::Flag, "unheard-of", 2).unwrap();
    assert_eq!(announced(&apply(&second.snapshot, deletion)), ["a"]);
}

/// B 7.1.
#[test]
fn what_is_equal_as_json_announces_nothing() {
    let put = |text: &str| vec![(Kind::Flag, "a".to_owned(), text.to_owned())];
    let held = holding(&put(r#"{"key":"a","version":1,"x":{"b":1,"a":[1,null]},"on":true}"#));
    for same in [
        r#"{"on":true,"x":{"a":[1,null],"b":1},"version":1,"key":"a"}"#,
        r#"{ "key" : "\u0061", "version":1.0, "x":{"b":1e0,"a":[1.0,null]}, "on":true }"#,
    ] {
        assert!(announced(&full(&held, &put(same))).is_empty());
        assert!(announced(&changes(&held, &put(same))).is_empty());
    }
    for other in [
        r#"{"key":"a","version":1,"x":{"b":1,"a":[null,1]},"on":true}"#,
        r#"{"key":"a","version":1,"x":{"b":1,"a":[1,null],"c":0},"on":true}"#,
        r#"{"key":"a","version":1,"x":{"b":1,"a":[1]},"on":true}"#,
        r#"{"key":"a","version":2,"x":{"b":1,"a":[1,null]},"on":true}"#,
    ] {
        assert_eq!(announced(&changes(&held, &put(other))), ["a"]);
    }
}

/// B 7.1: integers that a float cannot tell apart are two.
#[test]
fn large_integers_are_compared_exactly() {
    let put = |n: u64| vec![flag("a", &format!(r#","x":{n}"#))];
    let held = holding(&put(9_007_199_254_740_992));
    assert_eq!(announced(&changes(&held, &put(9_007_199_254_740_993))), ["a"]);
}

/// B 7.1: text nested too deeply to be compared counts as changed, and ends no process.
#[test]
fn deep_texts_are_compared_without_deep_recursion() {
    let put = |blank: &str| {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        vec![flag("a", &format!(r#"{blank},"unknown":{deep}"#))]
    };
    let held = holding(&put(""));
    assert_eq!(changes(&held, &put("")).changes, None);
    assert_eq!(announced(&changes(&held, &put(" "))), ["a"]);
}

/// B 7.1.
#[test]
fn dependants_are_announced_at_any_depth() {
    let held = holding(&[
        needing("a", &["b"]),
        needing("b", &["c"]),
        flag_of_segments("c", &["s1"]),
        segment_of_segments("s1", &["s2"]),
        segment("s2", ""),
        flag("unrelated", ""),
    ]);
    let change = changes(&held, &[segment("s2", r#","included":["u"]"#)]);
    assert_eq!(announced(&change), ["a", "b", "c"]);
    assert_eq!(announced(&changes(&held, &[needing("b", &["c", "c"])])), ["a", "b"]);
}

/// B 7.1.
#[test]
fn cycles_are_announced_once() {
    let held = holding(&[
        needing("a", &["b", "a"]),
        flag_of_segments("b", &["s1"]),
        segment_of_segments("s1", &["s2"]),
        segment_of_segments("s2", &["s1"]),
        needing("c", &["d"]),
        needing("d", &["c"]),
    ]);
    let change = changes(&held, &[segment_of_segments("s2", &["s1", "s3"])]);
    assert_eq!(announced(&change), ["a", "b"]);
    assert_eq!(announced(&changes(&held, &[needing("c", &["d", "e"])])), ["c", "d"]);
}

/// B 7.1: what is named need not exist.
#[test]
fn a_dependant_is_told_when_what_it_names_appears_and_disappears() {
    let held = holding(&[needing("a", &["b"])]);
    let appeared = changes(&held, &[flag("b", "")]);
    assert_eq!(announced(&appeared), ["a", "b"]);
    let mut deletion = ChangeSetBuilder::changes();
    deletion.delete(Kind::Flag, "b", 2).unwrap();
    assert_eq!(announced(&apply(&appeared.snapshot, deletion)), ["a", "b"]);
    assert_eq!(announced(&full(&appeared.snapshot, &[needing("a", &["b"])])), ["a", "b"]);
}

/// B 7.1: references that a change took away count no more.
#[test]
fn a_former_dependant_is_not_announced() {
    let held = holding(&[needing("a", &["b"]), flag("b", "")]);
    let held = changes(&held, &[needing("a", &["c"])]).snapshot;
    assert_eq!(announced(&changes(&held, &[flag("b", r#","salt":"x""#)])), ["b"]);
    assert_eq!(announced(&changes(&held, &[flag("c", "")])), ["a", "c"]);
}

#[test]
fn a_chain_of_100_000_dependants_ends_no_process() {
    let key = |n: usize| format!("f{n:06}");
    let chain: Vec<_> = (0..100_000).map(|n| needing(&key(n), &[&key(n + 1)])).collect();
    let held = holding(&chain);
    assert_eq!(announced(&changes(&held, &[flag(&key(100_000), "")])).len(), 100_001);
}

/// B 9.6.
#[test]
fn deletions_stay_as_tombstones_until_the_next_full_change_set() {
    let held = holding(&[flag("a", ""), flag("b", "")]);
    let mut deletion = ChangeSetBuilder::changes();
    deletion.delete(Kind::Flag, "a", 7).unwrap();
    deletion.put(Kind::Segment, "s", 1, r#"{"version":3,"deleted":true}"#).unwrap();
    let held = apply(&held, deletion).snapshot;
    assert_eq!(held.flag_slots().look_up("a"), Some(&Slot::Tombstone { version: 7 }));
    assert_eq!(held.segment_slots().look_up("s"), Some(&Slot::Tombstone { version: 3 }));
    assert!(held.flag("a").is_none() && held.segment("s").is_none());
    assert_eq!((held.flags().count(), held.segments().count(), held.objects()), (1, 0, 3));
    let held = full(&held, &[flag("b", "")]).snapshot;
    assert_eq!(held.objects(), 1);
}

/// An object that comes again is not decoded again, and a repeated full change set says so.
#[test]
fn an_object_that_comes_again_is_the_same_in_memory() {
    let held = holding(&[flag("a", ""), flag("b", "")]);
    let mut again = Staging::full(&held, false);
    let limits = Limits::default();
    for (kind, key, object) in [flag("a", ""), flag("b", "")] {
        again.put(kind, &key, 9, &object, &limits).unwrap();
    }
    let commit = again.commit(None);
    assert_eq!(commit.changes, None);
    for key in ["a", "b"] {
        let (old, new) = (held.flag(key).unwrap(), commit.snapshot.flag(key).unwrap());
        assert!(Arc::ptr_eq(old, new));
    }
    assert_eq!(changes(&held, &[flag("a", "")]).changes, None);
}

/// B 6.5.
#[test]
fn availability_follows_from_data_and_selector() {
    let nothing = Arc::<Snapshot>::default();
    assert_eq!(nothing.availability(), Availability::Defaults);
    let held = full(&nothing, &[]).snapshot;
    assert_eq!(held.availability(), Availability::Refreshed);
    let without = ChangeSetBuilder::full().finish(None);
    let cached = Snapshot::apply(&held, without, &Limits::default()).unwrap().snapshot;
    assert_eq!((cached.availability(), cached.revision()), (Availability::Cached, 2));
}

/// B 1.14 for custom sources.
#[test]
fn changes_are_rejected_while_nothing_is_held() {
    let changes = put_all(ChangeSetBuilder::changes(), &[flag("a", "")]).finish(None);
    let rejected = Snapshot::apply(&Arc::default(), changes, &Limits::default()).unwrap_err();
    assert!(rejected.error.is_missing_base() && !rejected.garbage.is_empty());
}

/// B 1.13 for custom sources.
#[test]
fn a_change_set_over_the_limits_is_rejected() {
    let limits = Limits { held_objects: 1, ..Limits::default() };
    let two = put_all(ChangeSetBuilder::full(), &[flag("a", ""), flag("b", "")]).finish(None);
    assert!(Snapshot::apply(&Arc::default(), two, &limits).unwrap_err().error.is_limit());
    let mut builder =
        ChangeSetBuilder::full().limits(Limits { transfer_objects: 1, ..Limits::default() });
    builder.put(Kind::Flag, "a", 1, "{}").unwrap();
    assert!(builder.put(Kind::Flag, "b", 1, "{}").unwrap_err().is_limit());
}

/// B 1.9 for custom sources: the source decides what to do about it.
#[test]
fn a_builder_goes_on_after_an_undecodable_object() {
    let mut builder = ChangeSetBuilder::full();
    assert!(builder.put(Kind::Flag, "bad", 1, r#"{"on":1}"#).unwrap_err().is_undecodable());
    builder.put(Kind::Flag, "good", 1, "{}").unwrap();
    let held = apply(&Arc::default(), builder).snapshot;
    assert_eq!(held.flags().map(|flag| &**flag.key()).collect::<Vec<_>>(), ["good"]);
    assert_eq!(held.held(), Held::Whole);
}

#[test]
fn garbage_is_shared_while_a_reader_holds_the_old_data() {
    let held = holding(&[flag("a", "")]);
    let commit = changes(&held, &[flag("a", r#","salt":"x""#)]);
    assert!(commit.garbage.is_shared());
    drop(held);
    assert!(commit.garbage.is_shared());
    let Commit { garbage, snapshot, changes, scope, .. } = commit;
    assert!(garbage.is_shared(), "what changed is still to be worked out");
    drop((changes, scope));
    assert!(!garbage.is_shared() && !garbage.is_empty());
    assert!(snapshot.flag("a").is_some());
    assert!(Garbage::default().is_empty() && !Garbage::default().is_shared());
}

#[test]
fn equal_data_is_equal_however_it_came_about() {
    let one = holding(&[flag("a", ""), flag("b", "")]);
    let other = holding(&[flag("b", ""), flag("a", "")]);
    assert_eq!(one, other);
    assert_ne!(one, holding(&[flag("a", "")]));
    assert_ne!(one, full(&one, &[flag("a", ""), flag("b", "")]).snapshot, "another revision");
}

/// B 1.13, 2.2: a selector that cannot travel would stop every later request.
#[test]
fn a_change_set_with_a_selector_that_cannot_travel_is_rejected() {
    let limits = Limits { selector_bytes: 4, ..Limits::default() };
    let apply = |state: &str| {
        let change_set = ChangeSetBuilder::full().finish(Some(Selector::new(state, 1)));
        Snapshot::apply(&Arc::default(), change_set, &limits)
    };
    assert!(apply("four").is_ok());
    assert!(apply("five!").unwrap_err().error.is_limit());
    assert!(apply("").is_err());
}

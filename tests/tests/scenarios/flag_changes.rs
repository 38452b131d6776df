//! B 7.1 and 7.4: which flags a change set announces.

use fdv2_tests::sim::wire::*;
use fdv2_tests::sim::{Reply, Sim, config, poll, polling, secs, stream, streaming};
use serde_json::json;

/// What is announced when `then` follows `first` on one stream.
#[track_caller]
fn announced(first: Vec<Wire>, then: Vec<Wire>) -> Vec<Vec<String>> {
    let mut sim = streaming(first);
    sim.announced();
    sim.send(then);
    assert_eq!(sim.last_error(), None, "{sim:?}");
    sim.announced()
}

/// B 7.4.
#[test]
fn the_first_data_announces_every_flag() {
    let mut sim = streaming(full("s1", [on("f2"), off("f1"), segment("g", &[])]));
    assert_eq!(sim.announced(), [["f1", "f2"]]);
}

/// B 7.1.
#[test]
fn a_flag_that_changed_appeared_or_disappeared_is_announced() {
    let base = || full("s1", [on("a"), on("b"), on("c").version(4)]);
    assert_eq!(announced(base(), changes("s2", [off("a")])), [["a"]]);
    assert_eq!(announced(base(), changes("s2", [on("d")])), [["d"]]);
    let gone = vec![intent("xfer-changes"), delete("b", 2), transferred("s2", 2)];
    assert_eq!(announced(base(), gone), [["b"]]);
    assert_eq!(
        announced(base(), changes("s2", [on("c").version(5)])),
        [["c"]],
        "the version alone"
    );
    assert_eq!(announced(base(), full("s2", [on("a"), on("e")])), [["b", "c", "e"]]);
}

/// B 7.1, C 2.11.
#[test]
fn an_identical_item_is_not_announced() {
    let base = || full("s1", [on("a"), on("b")]);
    assert!(announced(base(), base()).is_empty());
    assert!(announced(base(), changes("s2", [on("a")])).is_empty());
    let never_there = vec![intent("xfer-changes"), delete("x", 2), transferred("s2", 2)];
    assert!(announced(base(), never_there).is_empty());
}

/// B 7.1: identical as JSON, whatever the order of members and the blanks.
#[test]
fn the_order_of_members_does_not_matter() {
    let item = |object: &str| Item { object: object.to_owned(), ..on("a") };
    let before = item(r#"{"version":1,"on":true,"variations":[{"x":1,"y":[2,3]}]}"#);
    let same = item(r#"{ "variations" : [ {"y":[2,3],"x":1} ], "on":true, "version":1 }"#);
    let other = item(r#"{"version":1,"on":true,"variations":[{"x":1,"y":[3,2]}]}"#);
    assert!(announced(full("s1", [before.clone()]), changes("s2", [same])).is_empty());
    assert_eq!(announced(full("s1", [before]), changes("s2", [other])), [["a"]]);
}

/// B 7.1: what changes and changes back within one change set has not changed.
#[test]
fn what_changes_back_within_one_change_set_is_not_announced() {
    let events = vec![
        intent("xfer-changes"),
        put(off("a")),
        put(on("a")),
        delete("b", 2),
        put(on("b")),
        transferred("s2", 2),
    ];
    assert!(announced(full("s1", [on("a"), on("b")]), events).is_empty());
}

/// B 7.1.
#[test]
fn flags_that_depend_on_a_changed_flag_are_announced() {
    let base = || {
        full(
            "s1",
            [on("a").needs(&["b"]), on("b").needs(&["c"]), on("c"), on("d"), on("e").needs(&["c"])],
        )
    };
    assert_eq!(announced(base(), changes("s2", [off("c")])), [["a", "b", "c", "e"]]);
    assert_eq!(announced(base(), changes("s2", [off("d")])), [["d"]]);
    let gone = vec![intent("xfer-changes"), delete("c", 2), transferred("s2", 2)];
    assert_eq!(announced(base(), gone), [["a", "b", "c", "e"]]);
}

/// B 7.1: through segments, and segments of segments.
#[test]
fn flags_that_depend_on_a_changed_segment_are_announced() {
    let rule = json!([{"clauses": [{"attribute": "", "op": "segmentMatch", "values": ["deep"]}]}]);
    let base = |deep: &[&str]| {
        full(
            "s1",
            [
                on("user").uses(&["outer"]),
                on("needs-user").needs(&["user"]),
                on("other").uses(&["unrelated"]),
                segment("outer", &[]).with("rules", rule.clone()),
                segment("deep", deep),
                segment("unrelated", &[]),
            ],
        )
    };
    let changed = announced(base(&[]), changes("s2", [segment("deep", &["u"])]));
    assert_eq!(changed, [["needs-user", "user"]]);
    assert_eq!(announced(base(&[]), base(&["u"])), [["needs-user", "user"]]);
    let gone = vec![intent("xfer-changes"), delete_segment("deep", 2), transferred("s2", 2)];
    assert_eq!(announced(base(&[]), gone), [["needs-user", "user"]]);
}

/// B 7.1: a segment that nobody uses announces nothing.
#[test]
fn a_segment_without_users_announces_nothing() {
    let first = full("s1", [on("a"), segment("g", &[])]);
    assert!(announced(first, changes("s2", [segment("g", &["u"])])).is_empty());
}

/// B 7.1: what is not there yet can be depended on.
#[test]
fn a_dependency_that_appears_announces_its_users() {
    let first = full("s1", [on("a").needs(&["later"]), on("b").uses(&["later-too"])]);
    let then = changes("s2", [on("later"), segment("later-too", &[])]);
    assert_eq!(announced(first, then), [["a", "b", "later"]]);
}

/// B 7.1: cycles end.
#[test]
fn cycles_are_followed_once() {
    let base = || {
        full(
            "s1",
            [
                on("a").needs(&["b"]),
                on("b").needs(&["c"]),
                on("c").needs(&["a"]),
                on("d").needs(&["d"]),
            ],
        )
    };
    assert_eq!(announced(base(), changes("s2", [off("b").needs(&["c"])])), [["a", "b", "c"]]);
    assert_eq!(announced(base(), changes("s2", [off("d").needs(&["d"])])), [["d"]]);
}

/// B 7.1: a dependency that was given up no longer counts, one that is new does.
#[test]
fn dependencies_follow_the_data() {
    let mut sim = streaming(full("s1", [on("a").needs(&["b"]), on("b"), on("c")]));
    sim.send(changes("s2", [on("a").needs(&["c"]).version(2)]));
    sim.announced();
    sim.send(changes("s3", [off("b")]));
    sim.send(changes("s4", [off("c")]));
    assert_eq!(sim.announced(), [vec!["b"], vec!["a", "c"]]);
}

/// B 7.1: a chain of any length.
#[test]
fn a_long_chain_is_followed() {
    let key = |n: usize| format!("f{n:05}");
    let mut items: Vec<Item> = (1..5000).map(|n| on(&key(n)).needs(&[&key(n - 1)])).collect();
    items.push(on(&key(0)));
    let changed = announced(full("s1", items), changes("s2", [off(&key(0))]));
    assert_eq!(changed[0].len(), 5000);
}

/// B 7.1: one announcement for each change set.
#[test]
fn each_change_set_is_announced_by_itself() {
    let mut sim = streaming(full("s1", [on("a"), on("b")]));
    sim.announced();
    let mut events = changes("s2", [off("a")]);
    events.extend([put(off("b")), transferred("s3", 3)]);
    sim.send(events);
    assert_eq!(sim.announced(), [["a"], ["b"]]);
}

/// B 7.1 for polls and FDv1.
#[test]
fn polls_and_fdv1_announce_what_changed() {
    let mut sim = polling(full("s1", [on("a"), on("b")]));
    sim.serve_always("a", Reply::poll(full("s2", [on("a"), off("b")])));
    sim.announced();
    sim.advance(secs(31));
    assert_eq!(sim.announced(), [["b"]]);

    let mut sim = Sim::new(config().synchronizer(stream("a")).fdv1(poll("v1")));
    sim.serve_always("a", Reply::stream(full("s1", [on("a"), on("b")])).directive());
    sim.serve_in_turn("v1", [Reply::fdv1([on("a"), on("b")]), Reply::fdv1([on("a")])]);
    sim.start();
    assert_eq!(sim.announced(), [["a", "b"]]);
    sim.advance(secs(31));
    assert_eq!(sim.announced(), [["b"]]);
}

/// B 1.2, 7.1: an aborted transfer announces nothing.
#[test]
fn what_was_not_applied_is_not_announced() {
    let mut sim = streaming(full("s1", [on("a")]));
    sim.announced();
    sim.send([intent("xfer-full"), put(off("a")), error()]).end();
    assert!(sim.announced().is_empty());
}

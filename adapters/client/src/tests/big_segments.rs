//! Big segments in evaluations (C 3.7), with a store of memberships in memory.

use std::time::Duration;

use fdv2_core::Config;
use fdv2_core::eval::{BigSegmentsStatus, FlagDetailConfig};
use fdv2_core::model::Kind;
use futures::executor::block_on;

use super::Silence;
use super::members::{Members, at_hand, client, client_of, data, segments, through, user};
use super::reading::{Tables, until};
use super::sim::Sim;
use crate::store::Store;
use crate::{CacheMode, Client, ContextBuilder, MultiContextBuilder, Parts};

const HEALTHY: Option<BigSegmentsStatus> = Some(BigSegmentsStatus::Healthy);
const STORE_ERROR: Option<BigSegmentsStatus> = Some(BigSegmentsStatus::StoreError);
const NOT_CONFIGURED: Option<BigSegmentsStatus> = Some(BigSegmentsStatus::NotConfigured);

/// C 3.7: the segments' own `included` lists name everybody here, and do not count.
#[test]
fn c_3_7_the_store_says_who_is_in_a_big_segment() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    members.include("old", "s.g0");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "f"), (Some(true), HEALTHY));
    assert_eq!(through(&client, &user("u"), "g"), (Some(false), HEALTHY));
    assert_eq!(through(&client, &user("old"), "f"), (Some(false), HEALTHY), "another generation");
    assert_eq!(through(&client, &user("stranger"), "f"), (Some(false), HEALTHY));
}

/// C 3.7: being kept out beats the rules, and nothing but that does.
#[test]
fn c_3_7_the_rules_decide_on_whom_the_store_says_nothing_of() {
    let (sim, members) = (Sim::default(), Members::default());
    members.exclude("out", "all.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "r"), (Some(true), HEALTHY));
    assert_eq!(through(&client, &user("out"), "r"), (Some(false), HEALTHY));
}

/// C 3.7.
#[test]
fn c_3_7_one_query_serves_all_segments_of_an_evaluation_and_those_that_follow() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    members.include("u", "t.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "both"), (Some(true), HEALTHY));
    assert_eq!(members.queries(), 1);
    assert_eq!(through(&client, &user("u"), "f"), (Some(true), HEALTHY));
    assert_eq!(at_hand(&client, &user("u"), "g"), (Some(true), HEALTHY));
    assert_eq!(members.queries(), 1);
    let all = client.through_store();
    let all = block_on(all.all_flags_detail(&user("v"), FlagDetailConfig::new()));
    assert!(all.is_valid());
    assert_eq!(members.queries(), 2);
}

/// C 3.7: the key alone counts, whatever the kind.
#[test]
fn c_3_7_a_context_without_the_kind_of_a_segment_is_not_asked_for() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("o1", "org.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "o"), (Some(false), None));
    assert_eq!(through(&client, &user("u"), "plain"), (Some(true), None));
    assert_eq!(members.queries(), 0);

    let org = ContextBuilder::new("o1").kind("org").build().unwrap();
    let both = MultiContextBuilder::of(vec![user("u"), org]).build().unwrap();
    assert_eq!(through(&client, &both, "o"), (Some(true), HEALTHY));
    assert_eq!(members.queries(), 1);
    assert_eq!(through(&client, &both, "f"), (Some(false), HEALTHY));
    assert_eq!(members.queries(), 2, "each part of a context has memberships of its own");
}

/// C 3.4, 3.7: `userCacheTimeMs`; fixed from the read on.
#[test]
fn c_3_7_memberships_count_for_five_seconds() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    let mut answers = Vec::new();
    for second in 0..=6 {
        answers.push((through(&client, &user("u"), "f").0, members.queries()));
        if second == 0 {
            members.include("u", "s.g1");
        }
        sim.set_now(client.now() + Duration::from_secs(1));
    }
    assert_eq!(answers[..5], [(Some(false), 1); 5]);
    assert_eq!(answers[5..], [(Some(true), 2); 2]);
}

/// C 3.4, 3.7: `userCacheSize`.
#[test]
fn c_3_7_the_memberships_of_a_bounded_number_of_contexts_are_remembered() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members).cache_size(2));
    for (key, queries) in [("a", 1), ("b", 2), ("c", 3), ("b", 3), ("c", 3), ("a", 4), ("c", 4)] {
        assert_eq!(through(&client, &user(key), "f"), (Some(false), HEALTHY));
        assert_eq!(members.queries(), queries, "{key}");
    }
}

/// Even where nothing is remembered, one evaluation asks once for each key.
#[test]
fn without_a_cache_each_evaluation_asks_once() {
    for (size, time) in [(0, Duration::from_secs(5)), (1000, Duration::ZERO)] {
        let (sim, members) = (Sim::default(), Members::default());
        members.include("u", "s.g1");
        members.include("u", "t.g1");
        let segments = segments(&sim, &members).cache_size(size).cache_time(time);
        let client = client(&sim, segments);
        for queries in 1..=3 {
            assert_eq!(through(&client, &user("u"), "both"), (Some(true), HEALTHY));
            assert_eq!(members.queries(), queries);
        }
    }
}

/// C 3.7: no match, whatever the rules say. A store that fails is not asked by each evaluation.
#[test]
fn c_3_7_a_query_that_fails_gives_no_match() {
    let (sim, members) = (Sim::default(), Members::default());
    let client = client(&sim, segments(&sim, &members));
    members.set_down(true);
    for _ in 0..3 {
        assert_eq!(through(&client, &user("u"), "r"), (Some(false), STORE_ERROR));
        assert_eq!(at_hand(&client, &user("u"), "r"), (Some(false), STORE_ERROR));
    }
    assert_eq!(members.queries(), 1);
    members.set_down(false);
    sim.set_now(client.now() + Duration::from_secs(1));
    assert_eq!(through(&client, &user("u"), "r"), (Some(true), HEALTHY));
}

#[test]
fn a_store_that_panics_is_one_that_fails() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    members.set_panicking(true);
    assert_eq!(through(&client, &user("u"), "f"), (Some(false), STORE_ERROR));
    members.set_panicking(false);
    assert_eq!(through(&client, &user("v"), "f"), (Some(false), HEALTHY));
}

/// B 9.9: it never waits, goes by what is at hand, even if that has expired, and has it read.
#[test]
fn b_9_9_the_synchronous_form_loads_memberships_behind_it() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    members.set_hanging(true);
    for _ in 0..100 {
        assert_eq!(at_hand(&client, &user("u"), "f"), (Some(false), STORE_ERROR));
        assert_eq!(at_hand(&client, &user("u"), "plain"), (Some(true), None));
    }
    members.set_hanging(false);
    until(&sim, || at_hand(&client, &user("u"), "f") == (Some(true), HEALTHY));
    assert_eq!(members.queries(), 1);

    members.exclude("v", "s.g1");
    sim.set_now(client.now() + Duration::from_secs(3_600));
    members.set_hanging(true);
    assert_eq!(at_hand(&client, &user("u"), "f").0, Some(true), "even expired");
    members.set_hanging(false);
    until(&sim, || members.queries() == 2);
}

/// B 9.9: so do all flags.
#[test]
fn b_9_9_all_flags_in_the_synchronous_form_load_memberships_behind_them() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    let is_on = || {
        let all = client.all_flags_detail(&user("u"), FlagDetailConfig::new());
        assert!(all.is_valid());
        let flag = all.flags().iter().find(|flag| flag.key() == "f").unwrap();
        flag.value() == Some(&true.into())
    };
    until(&sim, is_on);
    assert_eq!(members.queries(), 1);
}

#[test]
fn the_synchronous_form_allocates_nothing_where_memberships_are_at_hand() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    members.include("u", "t.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "both"), (Some(true), HEALTHY));
    let context = user("u");
    let evaluate = || {
        assert!(client.bool_variation(&context, "both", false));
        assert!(client.bool_variation(&context, "plain", false));
    };
    // The first load of a thread sets its place among the readers up.
    evaluate();
    assert_eq!(allocation_counter::measure(evaluate).count_total, 0);
}

/// Flags and segments from one store, memberships from another; neither is asked twice for one
/// evaluation, though nothing is remembered of the first.
#[test]
fn b_9_9_daemon_mode_asks_both_stores() {
    let (sim, members, tables) = (Sim::default(), Members::default(), Tables::default());
    members.include("u", "s.g1");
    tables.text(Kind::Segment, "s", r#"{"unbounded":true,"generation":1}"#);
    tables.text(
        Kind::Flag,
        "f",
        r#"{"on":true,"variations":[false,true],"fallthrough":{"variation":0},"rules":[
            {"variation":1,"clauses":[{"op":"segmentMatch","attribute":"","values":["s"]}]}]}"#,
    );
    let parts = Parts::new()
        .store(Store::new(tables.clone()))
        .cache(CacheMode::Off)
        .big_segments(segments(&sim, &members));
    let config = Config::daemon().build().unwrap();
    let client = Client::start_with(config, sim.clone(), Silence, parts).unwrap();
    sim.run();
    assert_eq!(through(&client, &user("u"), "f"), (Some(true), HEALTHY));
    assert_eq!((tables.calls(), members.queries()), (2, 1));
}

/// B 6.7: without data there is nothing to look up.
#[test]
fn b_6_7_before_the_first_data_no_membership_is_asked_for() {
    let (sim, members) = (Sim::default(), Members::default());
    let parts = Parts::new().big_segments(segments(&sim, &members));
    let config = Config::streaming("k").build().unwrap();
    let client = Client::start_with(config, sim.clone(), Silence, parts).unwrap();
    sim.run();
    assert_eq!(through(&client, &user("u"), "f"), (None, None));
    assert_eq!(at_hand(&client, &user("u"), "f"), (None, None));
    assert_eq!(members.queries(), 0);
}

/// B 6.8.
#[test]
fn b_6_8_offline_the_store_is_not_asked() {
    let (sim, members) = (Sim::default(), Members::default());
    let parts = Parts::new().big_segments(segments(&sim, &members));
    let config = Config::offline().build().unwrap();
    let client = Client::start_with(config, sim.clone(), Silence, parts).unwrap();
    sim.advance(Duration::from_secs(60));
    assert_eq!(through(&client, &user("u"), "f"), (None, None));
    assert!(!client.big_segment_status().is_available);
    assert_eq!((members.polls(), members.queries()), (0, 0));
}

#[test]
fn without_a_store_the_rules_decide() {
    let sim = Sim::default();
    let client = client_of(&sim, Parts::new(), data());
    assert_eq!(through(&client, &user("u"), "r"), (Some(true), NOT_CONFIGURED));
    assert_eq!(at_hand(&client, &user("u"), "f"), (Some(false), NOT_CONFIGURED));
}

/// A snapshot is data alone.
#[test]
fn a_snapshot_knows_of_no_store_of_memberships() {
    let (sim, members) = (Sim::default(), Members::default());
    members.include("u", "s.g1");
    let client = client(&sim, segments(&sim, &members));
    assert_eq!(through(&client, &user("u"), "f"), (Some(true), HEALTHY));
    let snapshot = client.snapshot();
    let detail = snapshot.bool_variation_detail(&user("u"), "f", true);
    assert_eq!((detail.value, detail.reason.big_segments_status), (false, NOT_CONFIGURED));
}

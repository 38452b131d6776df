use std::task::{Context as TaskContext, Waker};
use std::time::Duration;

use fdv2_core::config::Config;
use fdv2_core::status::{Availability, ErrorKind, SourceState};
use futures::FutureExt;
use serde_json::json;

use super::*;
use crate::tests::sim::Sim;
use crate::tests::{Silence, start_with, wakes_to_run};
use crate::{Client, Context, ContextBuilder, MultiContextBuilder, Parts};

fn user(key: &str) -> Context {
    ContextBuilder::new(key).build().unwrap()
}

fn is_on(data: &TestData, context: &Context, key: &str) -> Option<bool> {
    data.snapshot().variation(context, key).and_then(Value::as_bool)
}

#[test]
fn a_new_flag_is_boolean_on_and_true() {
    let data = TestData::new();
    assert_eq!(is_on(&data, &user("u"), "a"), None);
    data.update(data.flag("a"));
    assert_eq!(is_on(&data, &user("u"), "a"), Some(true));
    data.update(data.flag("a").on(false));
    assert_eq!(is_on(&data, &user("u"), "a"), Some(false));
    data.update(data.flag("a").variation_for_all(true));
    assert_eq!(is_on(&data, &user("u"), "a"), Some(true));
    data.delete_flag("a");
    assert_eq!(is_on(&data, &user("u"), "a"), None);
}

#[test]
fn versions_count_up_through_deletions_too() {
    let data = TestData::new();
    let version = || data.snapshot().flag("a").map(|flag| flag.version());
    data.update(data.flag("a"));
    data.update(data.flag("a").on(false));
    assert_eq!(version(), Some(2));
    data.delete_flag("a");
    data.use_preconfigured_flag(json!({"key": "a", "version": 1})).unwrap();
    assert_eq!(version(), Some(4));
    data.use_preconfigured_flag(json!({"key": "a", "version": 9})).unwrap();
    assert_eq!(version(), Some(9));
}

#[test]
fn a_flag_is_given_as_a_copy() {
    let data = TestData::new();
    data.update(data.flag("a").variations(["x", "y"]).fallthrough_variation(1));
    let copy = data.flag("a").fallthrough_variation(0);
    let value = || data.snapshot().str_variation(&user("u"), "a", "").to_owned();
    assert_eq!(value(), "y");
    data.update(copy);
    assert_eq!(value(), "x");
    assert_eq!(data.flag("a").key(), "a");
    data.update(data.flag("a").value_for_all(3));
    assert_eq!(data.snapshot().int_variation(&user("u"), "a", 0), 3);
}

#[test]
fn targets_count_before_rules_and_a_key_has_one() {
    let data = TestData::new();
    let flag = data.flag("a").fallthrough_variation(false);
    let flag = flag.variation_for_user("anna", false).variation_for_user("anna", true);
    let flag = flag.variation_for_key("org", "acme", true).if_match("key", ["bob"]);
    data.update(flag.then_return(true));
    let acme = ContextBuilder::new("acme").kind("org").build().unwrap();
    let both = MultiContextBuilder::of(vec![user("carl"), acme.clone()]).build().unwrap();
    for (context, expected) in [
        (&user("anna"), true),
        (&user("bob"), true),
        (&user("carl"), false),
        (&user("acme"), false),
        (&acme, true),
        (&both, true),
    ] {
        assert_eq!(is_on(&data, context, "a"), Some(expected), "{context:?}");
    }
    data.update(data.flag("a").clear_targets().clear_rules());
    assert_eq!(is_on(&data, &user("anna"), "a"), Some(false));
}

#[test]
fn all_clauses_of_a_rule_have_to_match() {
    let data = TestData::new();
    let rule = data.flag("a").fallthrough_variation(false).if_not_match("plan", ["free"]);
    data.update(rule.and_match_context("org", "name", ["Acme", "Corp"]).then_return(true));
    let context = |plan: &str, org: &str| {
        let user = ContextBuilder::new("u").set_string("plan", plan).build().unwrap();
        let org = ContextBuilder::new("o").kind("org").name(org).build().unwrap();
        MultiContextBuilder::of(vec![user, org]).build().unwrap()
    };
    assert_eq!(is_on(&data, &context("pro", "Corp"), "a"), Some(true));
    assert_eq!(is_on(&data, &context("free", "Corp"), "a"), Some(false));
    assert_eq!(is_on(&data, &context("pro", "Other"), "a"), Some(false));
}

#[test]
fn preconfigured_flags_and_segments_work_together() {
    let data = TestData::new();
    data.use_preconfigured_segment(json!({"key": "s", "included": ["anna"]})).unwrap();
    let clause = json!({"op": "segmentMatch", "values": ["s"]});
    let flag = json!({"key": "a", "on": true, "variations": [false, true],
        "fallthrough": {"variation": 0}, "rules": [{"variation": 1, "clauses": [clause]}]});
    data.use_preconfigured_flag(flag).unwrap();
    assert_eq!(is_on(&data, &user("anna"), "a"), Some(true));
    data.delete_segment("s");
    assert_eq!(is_on(&data, &user("anna"), "a"), Some(false));
    assert_eq!(data.flag("a"), FlagBuilder::new("a"), "it was made by no builder");
}

#[test]
fn what_cannot_be_a_flag_is_an_error_and_changes_nothing() {
    let data = TestData::new();
    assert_eq!(data.use_preconfigured_flag(json!({"on": true})), Err(TestDataError::NoKey));
    assert_eq!(data.use_preconfigured_segment(json!([])), Err(TestDataError::NoKey));
    let undecodable = data.use_preconfigured_flag(json!({"key": "a", "on": 3}));
    assert!(matches!(undecodable, Err(TestDataError::Undecodable(_))));
    data.update(data.flag("b").fallthrough_variation(-1));
    assert_eq!(is_on(&data, &user("u"), "b"), None);
    assert_eq!(data.snapshot().objects(), 1);
}

fn start(sim: &Sim, data: &TestData) -> Client {
    let config = Config::keyless().synchronizer(data.configured()).build().unwrap();
    start_with(sim, config, Silence, Parts::new().source(data.clone()))
}

fn gives(client: &Client, expected: bool) -> bool {
    client.bool_variation(&user("u"), "a", !expected) == expected
}

/// B 4.6: a source of change sets with its own selectors.
#[test]
fn every_client_is_told_of_every_update() {
    let sim = Sim::default();
    let data = TestData::new();
    let clients = [start(&sim, &data), start(&sim, &data)];
    sim.run();
    assert!(clients.iter().all(Client::initialized), "no flag at all is data, too");
    for is_on in [true, false, true] {
        data.update(data.flag("a").variation_for_all(is_on));
        sim.run();
        assert!(clients.iter().all(|client| gives(client, is_on)));
    }
    for client in &clients {
        assert_eq!(client.availability(), Availability::Refreshed);
        assert_eq!(client.status().state, SourceState::Valid);
    }
    data.delete_flag("a");
    sim.run();
    assert!(!gives(&clients[0], false) && !gives(&clients[0], true), "each default");
}

#[test]
fn a_client_that_does_not_keep_up_still_has_the_newest() {
    let sim = Sim::default();
    let data = TestData::new();
    let client = start(&sim, &data);
    sim.run();
    for number in 0..1001 {
        data.update(data.flag("a").variation_for_all(number % 2 == 0));
        data.update(data.flag(&format!("f{}", number % 7)));
    }
    sim.run();
    assert!(gives(&client, true));
    assert_eq!(client.snapshot().core().objects(), 8);
}

/// A client for which flag `a` is true, and then nothing more is heard.
fn outage() -> (Sim, TestData, Client) {
    let sim = Sim::default();
    let data = TestData::new();
    data.update(data.flag("a").variation_for_all(true));
    let client = start(&sim, &data);
    sim.run();
    data.interrupt(CustomError::network("the test wants it so"));
    sim.run();
    (sim, data, client)
}

#[test]
fn an_outage_is_told_once_and_ends() {
    let (sim, data, client) = outage();
    assert_eq!(client.status().state, SourceState::Interrupted);
    let error = client.status().last_error.unwrap();
    assert_eq!((error.kind, &*error.message), (ErrorKind::Network, "the test wants it so"));
    data.update(data.flag("a").variation_for_all(false));
    let late = start(&sim, &data);
    sim.run();
    assert!(gives(&client, true), "nothing is heard");
    assert_eq!(late.status().state, SourceState::Initializing);
    assert!(late.status().last_error.is_some());

    sim.advance(Duration::from_secs(2));
    assert_eq!(client.status().last_error.unwrap().at, error.at, "once");
    data.resume();
    sim.run();
    for client in [client, late] {
        assert!(gives(&client, false));
        assert_eq!(client.status().state, SourceState::Valid);
    }
}

/// B 4.6: each change has a selector of its own, by which a client that was away is known.
#[test]
fn what_changed_while_a_client_was_away_reaches_it() {
    let (sim, data, client) = outage();
    data.update(data.flag("a").variation_for_all(false));
    data.resume();
    sim.advance(Duration::from_secs(2));
    assert_eq!(client.status().state, SourceState::Valid);
    assert!(gives(&client, false));
}

#[test]
fn a_failure_for_good_removes_it() {
    let sim = Sim::default();
    let data = TestData::new();
    let client = start(&sim, &data);
    sim.run();
    data.fail_for_good(CustomError::invalid_data("no more"));
    sim.run();
    assert_eq!(client.status().state, SourceState::Off);
}

/// Waking is code of others: it may come back here, and may panic.
#[test]
fn who_is_woken_finds_nothing_locked_and_keeps_no_other_from_being_told() {
    let data = TestData::new();
    let again = data.clone();
    let bad = wakes_to_run(move || {
        assert!(again.snapshot().flag("a").is_none(), "a panic that the test wants");
    });
    let mut feeds = [bad, Waker::noop().clone()].map(|waker| {
        let mut feed = data.open(OpenSource { name: data.configured().name, basis: None });
        let mut task = TaskContext::from_waker(&waker);
        assert!(feed.poll_next_unpin(&mut task).is_ready(), "all there is");
        assert!(feed.poll_next_unpin(&mut task).is_pending());
        feed
    });
    data.update(data.flag("a"));
    for feed in &mut feeds {
        assert!(feed.next().now_or_never().flatten().is_some());
    }
}

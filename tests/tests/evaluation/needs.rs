//! An evaluation that meets with something that is not loaded says so, and leads on once it is.

use std::cell::RefCell;
use std::collections::BTreeMap;

use fdv2_core::context::{Context, ContextBuilder, MultiContextBuilder};
use fdv2_core::eval::{self, BigSegment, Found, Lookup, Membership, Needs};
use fdv2_core::model::{Flag, Item, Segment};
use serde_json::{Value, json};

use super::engines::Items;

/// A cache that has loaded nothing at first.
struct Cache {
    all: Items,
    loaded: Vec<Needs>,
    memberships: BTreeMap<(String, String), Membership>,
    asked: RefCell<Vec<String>>,
}

impl Cache {
    fn new(flags: &[Value], segments: &[Value]) -> Self {
        Self {
            all: Items::new(flags, segments),
            loaded: Vec::new(),
            memberships: BTreeMap::new(),
            asked: RefCell::default(),
        }
    }

    /// What `context` gets of the flag `f`, after all that has to be loaded for it.
    fn evaluate(&mut self, context: &Context) -> (Option<Value>, Value) {
        loop {
            match eval::evaluate(self, &self.all.flags["f"], context) {
                Ok(detail) => {
                    let reason = serde_json::to_value(&detail.reason).unwrap();
                    return (detail.value.cloned(), reason);
                }
                Err(needs) => {
                    assert!(!self.loaded.contains(&needs));
                    self.loaded.push(needs);
                }
            }
        }
    }

    fn find<'a, T>(
        &self,
        needs: &Needs,
        items: &'a BTreeMap<String, T>,
        key: &str,
    ) -> Found<&'a T> {
        if self.loaded.contains(needs) { items.get(key).into() } else { Found::NotLoaded }
    }
}

impl Lookup for Cache {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        self.find(&Needs::Flag(key.into()), &self.all.flags, key)
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        self.find(&Needs::Segment(key.into()), &self.all.segments, key)
    }

    fn membership(&self, segment: BigSegment<'_>, context_key: &str) -> Membership {
        if !self.loaded.contains(&Needs::Memberships(context_key.into())) {
            return Membership::NotLoaded;
        }
        let name = format!("{}.g{}", segment.key, segment.generation);
        self.asked.borrow_mut().push(format!("{name} {context_key}"));
        let known = self.memberships.get(&(name, context_key.to_owned())).copied();
        known.unwrap_or(Membership::Known { included: None, is_stale: false })
    }
}

fn flag(key: &str, needed: &[&str], segments: &[&str]) -> Value {
    let needed: Vec<_> = needed.iter().map(|key| json!({"key": key, "variation": 1})).collect();
    let clause = json!({"attribute": "", "op": "segmentMatch", "values": segments});
    json!({"key": key, "on": true, "prerequisites": needed, "variations": [false, true],
        "rules": [{"id": "r", "clauses": [clause], "variation": 1}],
        "fallthrough": {"variation": 0}, "offVariation": 0})
}

fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

#[test]
fn it_asks_for_what_it_needs_one_by_one() {
    let flags = [flag("f", &["g"], &["s1", "s2"]), flag("g", &[], &["s3"])];
    let segments = [
        json!({"key": "s2", "included": ["u"], "rules": []}),
        json!({"key": "s3", "included": ["u"], "rules": []}),
    ];
    let mut cache = Cache::new(&flags, &segments);
    let (value, reason) = cache.evaluate(&user());
    assert_eq!((value, &reason["kind"]), (Some(json!(true)), &json!("RULE_MATCH")));
    let needs = ["s3", "s1", "s2"].map(|key| Needs::Segment(key.into()));
    assert_eq!(cache.loaded, [&[Needs::Flag("g".into())], &needs[..]].concat());
}

/// Loaded, and not there: that is an answer.
#[test]
fn what_is_absent_is_not_asked_for_again() {
    let mut cache = Cache::new(&[flag("f", &["nowhere"], &[])], &[]);
    assert_eq!(cache.evaluate(&user()).1["prerequisiteKey"], "nowhere");
}

fn big_segment(kind: &str, rules: Value) -> Value {
    json!({"key": "s", "unbounded": true, "generation": 100, "unboundedContextKind": kind,
        "included": ["u"], "excluded": ["u"], "rules": rules})
}

fn with_membership(membership: Membership, rules: Value) -> (Option<Value>, Value) {
    let mut cache = Cache::new(&[flag("f", &[], &["s"])], &[big_segment("user", rules)]);
    cache.memberships.insert(("s.g100".to_owned(), "u".to_owned()), membership);
    cache.evaluate(&user())
}

/// C 3.7.
#[test]
fn the_membership_decides_then_the_rules_and_never_the_lists() {
    let any_context = || json!([{"clauses": []}]);
    let known = |included| Membership::Known { included, is_stale: false };
    for (included, rules, matches) in [
        (Some(true), json!([]), true),
        (Some(false), any_context(), false),
        (None, any_context(), true),
        (None, json!([]), false),
    ] {
        let (value, reason) = with_membership(known(included), rules);
        assert_eq!(value, Some(json!(matches)), "{included:?}");
        assert_eq!(reason["bigSegmentsStatus"], "HEALTHY");
    }
}

/// C 3.7: a failed query gives no match. Without a store there is none to fail, and rules decide.
#[test]
fn the_reason_says_how_well_big_segments_are_known() {
    let any_context = || json!([{"clauses": []}]);
    for (membership, status, matches) in [
        (Membership::Known { included: Some(true), is_stale: true }, "STALE", true),
        (Membership::StoreError, "STORE_ERROR", false),
        (Membership::NotConfigured, "NOT_CONFIGURED", true),
    ] {
        let (value, reason) = with_membership(membership, any_context());
        assert_eq!((value, &reason["bigSegmentsStatus"]), (Some(json!(matches)), &json!(status)));
    }
}

#[test]
fn a_big_segment_without_a_generation_has_no_list() {
    let mut segment = big_segment("user", json!([{"clauses": []}]));
    segment["generation"] = Value::Null;
    let mut cache = Cache::new(&[flag("f", &[], &["s"])], &[segment]);
    let (value, reason) = cache.evaluate(&user());
    assert_eq!(
        (value, &reason["bigSegmentsStatus"]),
        (Some(json!(false)), &json!("NOT_CONFIGURED"))
    );
}

/// C 3.7.
#[test]
fn a_context_without_the_kind_of_a_big_segment_is_not_looked_up() {
    let segment = big_segment("other", json!([]));
    let mut cache = Cache::new(&[flag("f", &[], &["s"])], &[segment]);
    assert_eq!(cache.evaluate(&user()), (Some(json!(false)), json!({"kind": "FALLTHROUGH"})));
    assert_eq!(cache.loaded, [Needs::Segment("s".into())]);

    let other = ContextBuilder::new("o").kind("other").build().unwrap();
    let both = MultiContextBuilder::of(vec![user(), other]).build().unwrap();
    cache.evaluate(&both);
    assert_eq!(*cache.asked.borrow(), ["s.g100 o"]);
}

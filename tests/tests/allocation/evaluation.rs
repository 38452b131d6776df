//! Evaluation on a snapshot allocates nothing.

use std::hint::black_box;
use std::sync::Arc;

use fdv2_core::Snapshot;
use fdv2_core::context::{Context, ContextBuilder, MultiContextBuilder};
use fdv2_tests::samples;
use serde_json::{Value, json};

fn user() -> Context {
    let mut builder = ContextBuilder::new("user-9999");
    builder.set_value("plan", "gold").set_value("age", 42.0).set_value("country", "jp");
    builder.set_value("email", "someone@example.net").set_value("version", "2.1.0-rc.1.and.more");
    builder.set_value("since", "2020-01-01T00:00:00Z").build().unwrap()
}

/// Evaluates `key` in every way, and counts.
fn allocations(snapshot: &Snapshot, key: &str, context: &Context) -> u64 {
    let default = Value::Null;
    let info = allocation_counter::measure(|| {
        black_box(snapshot.bool_variation(context, key, false));
        black_box(snapshot.str_variation(context, key, "default"));
        black_box(snapshot.int_variation(context, key, 0));
        black_box(snapshot.float_variation_detail(context, key, 0.0));
        black_box(snapshot.json_variation_detail(context, key, &default));
        black_box(snapshot.variation_detail(context, key));
    });
    info.count_total
}

fn all_flags() -> Vec<Value> {
    let clause = |key: &str, attribute: &str, operator: &str, value: &str| {
        samples::with_clause(key, attribute, operator, value)
    };
    vec![
        samples::off(),
        samples::typical(),
        samples::with_prerequisite(),
        samples::needed(),
        samples::with_targets(1000),
        clause("segment", "", "segmentMatch", "large"),
        clause("version", "version", "semVerGreaterThan", "1.0.0-alpha.and.much.more"),
        clause("date", "since", "before", "2021-01-01T00:00:00Z"),
        clause("kind", "kind", "in", "user"),
        samples::flag("broken", json!({"fallthrough": {"variation": 7}})),
    ]
}

#[test]
fn evaluation_on_a_snapshot_allocates_nothing() {
    let snapshot = samples::snapshot(&all_flags(), &[samples::segment("large", 10_000)]).unwrap();
    let organization = ContextBuilder::new("acme").kind("organization").build().unwrap();
    let both = MultiContextBuilder::of(vec![user(), organization]).build().unwrap();
    for context in [user(), both] {
        for flag in snapshot.flags() {
            assert_eq!(allocations(&snapshot, flag.key(), &context), 0, "{}", flag.key());
        }
        assert_eq!(allocations(&snapshot, "nowhere", &context), 0);
    }
    assert_eq!(allocations(&Snapshot::default(), "off", &user()), 0);
}

/// Compiling it is what the first one pays for.
#[test]
fn a_regular_expression_allocates_nothing_after_its_first_match() {
    let flag = samples::with_clause("matches", "email", "matches", r"^[a-z.]+@example\.(com|net)$");
    let snapshot = samples::snapshot(&[flag], &[]).unwrap();
    assert!(snapshot.bool_variation(&user(), "matches", false));
    assert_eq!(allocations(&snapshot, "matches", &user()), 0);
}

/// Sixteen levels of flags and segments have room in place.
#[test]
fn sixteen_levels_allocate_nothing() {
    let flag = |index: usize| {
        let needed = (index < 16).then(|| json!({"key": (index + 1).to_string(), "variation": 1}));
        let needed: Vec<_> = needed.into_iter().collect();
        samples::flag(&index.to_string(), json!({"prerequisites": needed}))
    };
    let flags: Vec<_> = (0..=16).map(flag).collect();
    let snapshot: Arc<_> = samples::snapshot(&flags, &[]).unwrap();
    assert!(snapshot.bool_variation(&user(), "0", false));
    assert_eq!(allocations(&snapshot, "0", &user()), 0);
}

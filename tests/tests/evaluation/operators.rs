//! Operators, value by value.

use fdv2_core::context::{AttributeValue, ContextBuilder};
use serde_json::{Value, json};

use super::engines::Items;

/// Whether a context whose `x` is `attribute` meets the clause.
fn passes(attribute: &Value, operator: &str, values: &[Value]) -> bool {
    let clause = json!({"attribute": "x", "op": operator, "values": values});
    let flag = json!({"key": "f", "on": true, "variations": [false, true],
        "rules": [{"clauses": [clause], "variation": 1}], "fallthrough": {"variation": 0}});
    let attribute = AttributeValue::from(attribute);
    let context = ContextBuilder::new("a").set_value("x", attribute).build().unwrap();
    Items::new(&[flag], &[]).evaluate("f", &context).value == Some(json!(true))
}

fn is(attribute: impl Into<Value>, operator: &str, value: impl Into<Value>) -> bool {
    passes(&attribute.into(), operator, &[value.into()])
}

/// M08.
#[test]
fn m08_zeros_are_allowed_in_versions_but_not_before_other_digits() {
    assert!(is("10.2.3", "semVerGreaterThan", "9.9.9"));
    assert!(is("0.1.2", "semVerEqual", "0.1.2"));
    assert!(!is("01.2.3", "semVerEqual", "01.2.3"));
    assert!(!is("1.2.3", "semVerEqual", "01.2.3"));
    assert!(is("2", "semVerEqual", "2.0.0"));
    assert!(is("2.0", "semVerEqual", "2.0.0"));
    assert!(is("1.0.0-rc.1", "semVerLessThan", "1.0.0"));
}

#[test]
fn versions_have_the_order_of_the_standard() {
    let ascending = [
        "0.0.1",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-beta.99999999999999999999999",
        "1.0.0-rc.1",
        "1",
        "1.0.1",
        "1.2",
        "18446744073709551615.0.0",
    ];
    for (left_index, left) in ascending.iter().enumerate() {
        for (right_index, right) in ascending.iter().enumerate() {
            assert_eq!(is(*left, "semVerLessThan", *right), left_index < right_index);
            assert_eq!(is(*left, "semVerEqual", *right), left_index == right_index);
            assert_eq!(is(*left, "semVerGreaterThan", *right), left_index > right_index);
        }
    }
    assert!(is("1.0.0+a", "semVerEqual", "1.0.0+b.01"));
}

#[test]
fn what_is_no_version_compares_to_nothing() {
    for text in [
        "",
        "a",
        "1.",
        ".1",
        "1..2",
        "1.2.3.4",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3-a..b",
        "1.2.3+",
        "1.2.3-é",
        "v1.2.3",
        " 1.2.3",
        "18446744073709551616.0.0",
        "-1.0.0",
        "1.-2.0",
    ] {
        for operator in ["semVerEqual", "semVerLessThan", "semVerGreaterThan"] {
            assert!(!is(text, operator, "1.0.0"), "{text} {operator}");
            assert!(!is("1.0.0", operator, text), "{operator} {text}");
        }
    }
    assert!(!is(1, "semVerEqual", "1.0.0"));
}

#[test]
fn dates_are_moments_or_milliseconds() {
    assert!(is("2020-01-01T00:00:00Z", "before", 1_577_836_800_001_u64));
    assert!(!is("2020-01-01T00:00:00Z", "before", 1_577_836_800_000_u64));
    assert!(is("2020-01-01T01:00:00+01:00", "after", 1_577_836_799_999_u64));
    assert!(is("1969-12-31T23:59:59.999Z", "before", 0));
    assert!(is("1969-12-31T23:59:59.9Z", "after", -101));
    assert!(is("2000-02-29t12:00:00.123456789z", "before", "2000-02-29 12:00:00.123456790Z"));
    assert!(is("2016-12-31T23:59:60Z", "after", "2016-12-31T23:59:59.999999999Z"));
    assert!(is("2016-12-31T23:59:60Z", "before", "2017-01-01T00:00:00Z"));
    assert!(is("0000-01-01T00:00:00Z", "before", "9999-12-31T23:59:59Z"));
}

#[test]
fn what_is_no_date_compares_to_nothing() {
    for text in [
        "",
        "2020-01-01",
        "2020-01-01T00:00:00",
        "2019-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z",
        "2020-13-01T00:00:00Z",
        "2020-00-01T00:00:00Z",
        "2020-01-00T00:00:00Z",
        "2020-01-01T24:00:00Z",
        "2020-01-01T00:60:00Z",
        "2020-01-01T00:00:61Z",
        "2020-01-01T00:00:00.Z",
        "2020-01-01T00:00:00+24:00",
        "2020-01-01T00:00:00+0100",
        "2020-01-01T00:00:00Zx",
        "+020-01-01T00:00:00Z",
        "２020-01-01T00:00:00Z",
    ] {
        assert!(!is(text, "after", 0) && !is(0, "before", text), "{text}");
    }
    assert!(!is(1e300, "after", 0) && !is(true, "after", 0));
}

/// One of several values is enough, and the limit that is easiest to keep counts.
#[test]
fn any_of_the_values_will_do() {
    assert!(passes(&json!(5), "lessThan", &[json!(1), json!("9"), json!(6)]));
    assert!(!passes(&json!(6), "lessThan", &[json!(1), json!(6)]));
    assert!(passes(&json!(6), "lessThanOrEqual", &[json!(1), json!(6)]));
    assert!(passes(&json!(2), "greaterThan", &[json!(1), json!(6)]));
    assert!(passes(&json!("1.1"), "semVerGreaterThan", &[json!("x"), json!("2"), json!("1")]));
    assert!(passes(&json!(["z", "b"]), "in", &[json!("a"), json!("b")]));
    assert!(!passes(&json!(1), "greaterThan", &[]));
}

#[test]
fn in_goes_by_type_and_value() {
    assert!(is(1, "in", 1.0) && is(0.0, "in", -0.0) && is(-0.0, "in", 0));
    assert!(!is("1", "in", 1) && !is(1, "in", true) && is(true, "in", true));
    assert!(is(json!({"a": [1]}), "in", json!({"a": [1.0]})));
    assert!(is(json!([[1, 2]]), "in", json!([1, 2])));
    assert!(is(json!([null]), "in", Value::Null) && !is(Value::Null, "in", Value::Null));
    let many: Vec<_> = (0..1000).map(|number| json!(number.to_string())).collect();
    assert!(passes(&json!("999"), "in", &many) && !passes(&json!("1000"), "in", &many));
    let numbers: Vec<_> = (0..1000).rev().map(|number| json!(number)).collect();
    assert!(passes(&json!(17), "in", &numbers) && !passes(&json!(17.5), "in", &numbers));
}

#[test]
fn text_is_compared_as_it_stands() {
    assert!(
        is("schön", "contains", "hö") && is("schön", "startsWith", "") && !is("a", "endsWith", "A")
    );
    assert!(!is(12, "contains", 1) && !is("12", "contains", 1));
}

#[test]
fn a_regular_expression_matches_anywhere_and_a_bad_or_huge_one_nowhere() {
    assert!(is("xhello world", "matches", "hel.o") && !is("hello", "matches", "^ello"));
    for pattern in ["(", "a{1000}{1000}{1000}", r"\p{Nope}", &"(".repeat(100_000)] {
        assert!(!is("hello", "matches", pattern));
    }
    assert!(passes(&json!("hello"), "matches", &[json!("("), json!("l+")]));
}

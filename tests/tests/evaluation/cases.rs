//! Faults that others had, as tests (`cases.md`, section 8).

use fdv2_core::context::{Context, ContextBuilder, MultiContextBuilder};
use serde_json::{Value, json};

use super::engines::{Answer, Items, item_of_text};

fn user() -> Context {
    ContextBuilder::new("u1").set_value("x", 1.0).build().unwrap()
}

/// A flag that is on, gives true, and has also these members.
fn flag(key: &str, members: Value) -> Value {
    let mut flag = json!({"key": key, "version": 1, "on": true, "variations": [false, true],
        "fallthrough": {"variation": 1}, "offVariation": 0, "salt": "s"});
    flag.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    flag
}

fn evaluate(flags: &[Value], key: &str) -> Answer {
    Items::new(flags, &[]).evaluate(key, &user())
}

fn needs(key: &str) -> Value {
    json!({"prerequisites": [{"key": key, "variation": 1}]})
}

#[test]
fn m02_flags_that_need_each_other_are_malformed_and_others_are_fine() {
    let flags = [
        flag("self", needs("self")),
        flag("a", needs("b")),
        flag("b", needs("a")),
        flag("x", needs("y")),
        flag("y", needs("z")),
        flag("z", needs("x")),
        flag("fine", json!({})),
    ];
    for key in ["self", "a", "b", "x", "y", "z"] {
        assert_eq!(evaluate(&flags, key).reason["errorKind"], "MALFORMED_FLAG", "{key}");
    }
    assert_eq!(evaluate(&flags, "fine").value, Some(json!(true)));
}

#[test]
fn m02_segments_that_refer_to_each_other_make_the_flag_malformed() {
    let clause = |key: &str| json!({"attribute": "", "op": "segmentMatch", "values": [key]});
    let segment =
        |key: &str, other: &str| json!({"key": key, "rules": [{"clauses": [clause(other)]}]});
    let segments = [segment("s1", "s2"), segment("s2", "s1"), segment("s3", "s3")];
    for key in ["s1", "s2", "s3"] {
        let rules = json!({"rules": [{"clauses": [clause(key)], "variation": 0}]});
        let answer = Items::new(&[flag("f", rules)], &segments).evaluate("f", &user());
        assert_eq!(answer.reason["errorKind"], "MALFORMED_FLAG");
    }
}

#[test]
fn m02_a_chain_of_500_flags_has_its_value() {
    let flags: Vec<_> = (0..500)
        .map(|index| match index {
            499 => flag("499", json!({})),
            _ => flag(&index.to_string(), needs(&(index + 1).to_string())),
        })
        .collect();
    assert_eq!(evaluate(&flags, "0").value, Some(json!(true)));
}

/// Negation is of the clause, not of the operator: what no operator says yes to, its negation does.
#[test]
fn m03_an_unknown_operator_does_not_match() {
    let rule = |negate: bool| {
        let clause = json!({"attribute": "x", "op": "futureOp", "values": [1], "negate": negate});
        json!({"rules": [{"clauses": [clause], "variation": 0}, {"clauses": [], "variation": 1}]})
    };
    assert_eq!(evaluate(&[flag("f", rule(false))], "f").reason["ruleIndex"], 1);
    assert_eq!(evaluate(&[flag("f", rule(true))], "f").reason["ruleIndex"], 0);
}

#[test]
fn m04_user_targets_match_in_a_context_of_several_kinds() {
    let flag = flag(
        "f",
        json!({
            "targets": [{"values": ["u1"], "variation": 0}],
            "contextTargets": [{"contextKind": "user", "values": [], "variation": 0}],
        }),
    );
    let org = ContextBuilder::new("o1").kind("org").build().unwrap();
    let context = MultiContextBuilder::of(vec![user(), org]).build().unwrap();
    let answer = Items::new(&[flag], &[]).evaluate("f", &context);
    assert_eq!((answer.index, answer.reason), (Some(0), json!({"kind": "TARGET_MATCH"})));
}

#[test]
fn m05_an_explicit_null_is_as_good_as_absence() {
    let nulls = json!({"fallthrough": {"variation": 1, "rollout": null, "new": 1}, "rules": null,
        "prerequisites": null, "targets": null, "contextTargets": null, "salt": null,
        "debugEventsUntilDate": null, "new": {"deep": [null]}});
    assert_eq!(evaluate(&[flag("f", nulls)], "f").value, Some(json!(true)));
    let off = json!({"on": false, "offVariation": null});
    let answer = evaluate(&[flag("f", off)], "f");
    assert_eq!((answer.value, answer.reason), (None, json!({"kind": "OFF"})));
}

#[test]
fn m07_floats_keep_their_last_bit() {
    let text = r#"{"key":"f","version":1,"on":true,"fallthrough":{"variation":0},
        "variations":[985.6906946328695],"rules":[{"variation":0,"clauses":[
        {"attribute":"x","op":"in","values":[212.91890726713459]}]}]}"#;
    let mut items = Items::default();
    items.flags.insert("f".to_owned(), item_of_text("f", text));
    let context: Context =
        serde_json::from_str(r#"{"kind":"user","key":"u","x":212.91890726713459}"#).unwrap();
    let answer = items.evaluate("f", &context);
    assert_eq!(answer.reason["kind"], "RULE_MATCH");
    let value = answer.value.unwrap();
    assert_eq!(value.as_f64().unwrap().to_bits(), 0x408e_cd86_8ae8_5d94);
    assert_eq!(value.to_string(), "985.6906946328695");
}

#[test]
fn m09_a_rule_without_its_variation_spoils_only_its_own_flag() {
    let broken = json!({"rules": [{"clauses": [], "variation": 9}]});
    let flags = [flag("f1", broken), flag("f2", json!({}))];
    let answer = evaluate(&flags, "f1");
    assert_eq!((answer.value, answer.index), (None, None));
    assert_eq!(answer.reason, json!({"kind": "ERROR", "errorKind": "MALFORMED_FLAG"}));
    assert_eq!(evaluate(&flags, "f2").value, Some(json!(true)));
}

#[test]
fn m09_a_bad_reference_spoils_only_its_own_flag() {
    let clause = json!({"contextKind": "user", "attribute": "//", "op": "in", "values": [1]});
    let broken = json!({"rules": [{"clauses": [clause], "variation": 0}]});
    let flags = [flag("f1", broken), flag("f2", json!({}))];
    assert_eq!(evaluate(&flags, "f1").reason["errorKind"], "MALFORMED_FLAG");
    assert_eq!(evaluate(&flags, "f2").value, Some(json!(true)));
}

#[test]
fn m11_a_prerequisite_can_be_an_object_or_a_list() {
    for (given, is_met) in [(1, true), (0, false)] {
        let needed = json!({"variations": [{"a": [1]}, [2]], "fallthrough": {"variation": given}});
        let flags = [flag("f", needs("g")), flag("g", needed)];
        assert_eq!(evaluate(&flags, "f").value, Some(json!(is_met)), "variation {given}");
    }
    // What is compared is the index, never the value.
    let twins = json!({"variations": [{"a": [1]}, {"a": [1]}], "fallthrough": {"variation": 0}});
    let flags = [flag("f", needs("g")), flag("g", twins)];
    assert_eq!(evaluate(&flags, "f").reason["kind"], "PREREQUISITE_FAILED");
}

/// Whatever the kind of thing an index or a count is, its spelling does not matter (B 1.9).
#[test]
fn b_1_9_numbers_can_be_spelled_in_any_way() {
    let text = r#"{"key":"f","version":1.0,"on":true,"variations":[1e0,2.50,5e4],
        "prerequisites":[{"key":"g","variation":1.0}],"fallthrough":{"rollout":{"seed":6.1e1,
        "variations":[{"variation":0e5,"weight":1e4},{"variation":2.0,"weight":9.0E4}]}}}"#;
    let mut items = Items::new(&[flag("g", json!({}))], &[]);
    items.flags.insert("f".to_owned(), item_of_text("f", text));
    let answer = items.evaluate("f", &ContextBuilder::new("userKeyB").build().unwrap());
    assert_eq!((answer.index, answer.value), (Some(2), Some(json!(50_000.0))));
}

#[test]
fn an_invalid_context_is_an_error_and_no_panic() {
    let invalid: Context = ContextBuilder::new("").build().into();
    let answer = Items::new(&[flag("f", json!({}))], &[]).evaluate("f", &invalid);
    assert_eq!(answer.value, None);
    assert_eq!(answer.reason, json!({"kind": "ERROR", "errorKind": "USER_NOT_SPECIFIED"}));
}

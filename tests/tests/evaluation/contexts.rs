//! Contexts: building, reading, writing, comparing.

use fdv2_core::context::{
    AttributeValue, Context, ContextBuilder, ContextError, Kind, MultiContextBuilder, Reference,
    ReferenceError,
};
use serde_json::{Value, json};

fn read(text: &str) -> Result<Context, serde_json::Error> {
    serde_json::from_str(text)
}

/// What comes out when `context` went in.
fn converted(context: Value) -> Value {
    serde_json::to_value(read(&context.to_string()).unwrap()).unwrap()
}

#[test]
fn a_context_survives_json() {
    for context in [
        json!({"kind": "org", "key": "x"}),
        json!({"kind": "org", "key": "x", "name": "b", "anonymous": true}),
        json!({"kind": "org", "key": "x", "a": "t", "b": 1, "c": 1.5, "d": [true, {}], "e": {"f": 2}}),
        json!({"kind": "org", "key": "x", "_meta": {"privateAttributes": ["x", "y"]}}),
        json!({"kind": "multi", "a-Z_0.9": {"key": "a", "name": "n"}, "user": {"key": "b", "z": 1}}),
    ] {
        assert_eq!(converted(context.clone()), context);
    }
}

#[test]
fn what_says_nothing_is_dropped() {
    for extra in [
        json!({"name": null}),
        json!({"a": null}),
        json!({"anonymous": false}),
        json!({"_meta": null}),
        json!({"_meta": {}}),
        json!({"_meta": {"privateAttributes": null}}),
        json!({"_meta": {"privateAttributes": []}}),
    ] {
        let mut context = json!({"kind": "org", "key": "x"});
        context.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        assert_eq!(converted(context), json!({"kind": "org", "key": "x"}));
    }
    let multi = json!({"kind": "multi", "org": {"key": "a", "name": "b"}});
    assert_eq!(converted(multi), json!({"kind": "org", "key": "a", "name": "b"}));
}

#[test]
fn a_user_in_the_old_form_becomes_a_context() {
    for (user, context) in [
        (json!({"key": ""}), json!({"kind": "user", "key": ""})),
        (
            json!({"key": "a", "anonymous": null, "custom": null, "ip": null}),
            json!({"kind": "user", "key": "a"}),
        ),
        (
            json!({"key": "a", "anonymous": true, "firstName": "f", "name": "n", "other": 1}),
            json!({"kind": "user", "key": "a", "anonymous": true, "firstName": "f", "name": "n"}),
        ),
        (
            json!({"key": "a", "custom": {"b": [1], "c": null, "kind": "x", "key": "y", "": 1}}),
            json!({"kind": "user", "key": "a", "b": [1]}),
        ),
        (
            json!({"key": "a", "privateAttributeNames": ["/b"]}),
            json!({"kind": "user", "key": "a", "_meta": {"privateAttributes": ["/~1b"]}}),
        ),
    ] {
        assert_eq!(converted(user), context);
    }
}

#[test]
fn what_is_no_context_is_an_error() {
    for text in [
        "",
        "{",
        "true",
        "[]",
        "{}",
        r#"{"key":true}"#,
        r#"{"key":null}"#,
        r#"{"kind":null,"key":"x"}"#,
        r#"{"kind":true,"key":"x"}"#,
        r#"{"kind":"","key":"x"}"#,
        r#"{"kind":"kind","key":"x"}"#,
        r#"{"kind":"multi"}"#,
        r#"{"kind":"org"}"#,
        r#"{"kind":"org","key":""}"#,
        r#"{"kind":"org","key":3}"#,
        r#"{"kind":"org","key":"x","name":3}"#,
        r#"{"kind":"org","key":"x","anonymous":null}"#,
        r#"{"kind":"org","key":"x","anonymous":"yes"}"#,
        r#"{"kind":"org","key":"x","_meta":3}"#,
        r#"{"kind":"org","key":"x","_meta":{"privateAttributes":{}}}"#,
        r#"{"kind":"multi","org":3}"#,
        r#"{"kind":"multi","multi":{"key":"a"}}"#,
        r#"{"kind":"multi","a b":{"key":"a"}}"#,
        r#"{"kind":"é","key":"x"}"#,
        r#"{"key":"a","custom":3}"#,
        r#"{"key":"a","anonymous":3}"#,
        r#"{"key":"a","ip":3}"#,
        r#"{"key":"a","privateAttributeNames":3}"#,
        r#"{"key":"a","privateAttributeNames":[3]}"#,
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_builder_says_what_is_wrong() {
    let kind = |kind: &str| ContextBuilder::new("a").kind(kind).build().map(|_| ());
    assert_eq!(kind(""), Err(ContextError::EmptyKind));
    assert_eq!(kind("multi"), Err(ContextError::ReservedKind));
    assert_eq!(kind("a/b"), Err(ContextError::KindCharacters));
    assert_eq!(ContextBuilder::new("").build(), Err(ContextError::EmptyKey));
    assert_eq!(MultiContextBuilder::new().build(), Err(ContextError::NoKinds));
    let user = ContextBuilder::new("a").build().unwrap();
    let twice = MultiContextBuilder::of(vec![user.clone(), user.clone()]).build();
    assert_eq!(twice, Err(ContextError::DuplicateKind));
    let invalid = Context::invalid(ContextError::EmptyKey);
    let with_invalid = MultiContextBuilder::of(vec![user, invalid]).build();
    assert_eq!(with_invalid, Err(ContextError::EmptyKey));
}

#[test]
fn a_builder_refuses_what_an_attribute_cannot_be() {
    let mut builder = ContextBuilder::new("a");
    assert!(builder.try_set_value("kind", "org") && !builder.try_set_value("kind", 1.0));
    assert!(
        builder.try_set_value("key", "b") && !builder.try_set_value("key", AttributeValue::Null)
    );
    assert!(builder.try_set_value("name", "n") && !builder.try_set_value("name", true));
    assert!(builder.try_set_value("anonymous", true) && !builder.try_set_value("anonymous", "yes"));
    assert!(!builder.try_set_value("_meta", "x") && !builder.try_set_value("", "x"));
    builder.set_value("gone", 1.0).set_value("gone", AttributeValue::Null);
    builder.set_bool("b", true).set_float("f", 1.5).set_string("s", "t");
    let context = builder.add_private_attribute("s").add_private_attribute("b");
    let context = context.remove_private_attribute("b").build().unwrap();
    assert_eq!(
        serde_json::to_value(context).unwrap(),
        json!({"kind": "org", "key": "b", "name": "n", "anonymous": true, "b": true, "f": 1.5,
            "s": "t", "_meta": {"privateAttributes": ["s"]}})
    );
}

#[test]
fn the_canonical_key_escapes_what_it_is_joined_with() {
    let context = |kind: &str, key: &str| ContextBuilder::new(key).kind(kind).build().unwrap();
    assert_eq!(context("user", "a:b%").canonical_key(), "a:b%");
    assert_eq!(context("org", "a:b%").canonical_key(), "org:a%3Ab%25");
    let both = vec![context("user", "x:"), context("org", "y")];
    let both = MultiContextBuilder::of(both).build().unwrap();
    assert_eq!(both.canonical_key(), "org:y:user:x%3A");
    assert_eq!(both.as_kind(&Kind::user()).map(Context::key), Some("x:"));
}

#[test]
fn the_order_of_kinds_attributes_and_private_ones_does_not_matter() {
    let equal = |left: Value, right: Value| {
        let [left, right] = [left, right].map(|context| read(&context.to_string()).unwrap());
        left == right
    };
    let with_private =
        |names: &[&str]| json!({"kind": "user", "key": "a", "_meta": {"privateAttributes": names}});
    assert!(equal(with_private(&["x", "y"]), with_private(&["y", "x"])));
    assert!(!equal(with_private(&["x"]), with_private(&["y"])));
    assert!(!equal(json!({"kind": "org", "key": "a"}), json!({"kind": "user", "key": "a"})));
    let user = ContextBuilder::new("u").build().unwrap();
    let org = ContextBuilder::new("o").kind("org").build().unwrap();
    let multi =
        |parts: [&Context; 2]| MultiContextBuilder::of(parts.map(Clone::clone).into()).build();
    assert_eq!(multi([&user, &org]), multi([&org, &user]));
    assert_eq!(MultiContextBuilder::of(vec![user.clone()]).build(), Ok(user));
    assert_eq!(Reference::from_literal_name("/a"), Reference::new("/~1a"));
}

#[test]
fn references_lead_to_values() {
    let context = json!({"kind": "user", "key": "k", "name": "n", "a/b": 1, "~": 2,
        "home": {"city": {"/": 3}, "list": [4]}, "nothing": null});
    let context = read(&context.to_string()).unwrap();
    let value = |reference: &str| {
        let value = context.value(&Reference::new(reference))?;
        Some(serde_json::to_value(&*value).unwrap())
    };
    for (reference, expected) in [
        ("key", json!("k")),
        ("/name", json!("n")),
        ("kind", json!("user")),
        ("anonymous", json!(false)),
        ("a/b", json!(1)),
        ("/a~1b", json!(1)),
        ("/~0", json!(2)),
        ("/home/city/~1", json!(3)),
    ] {
        assert_eq!(value(reference), Some(expected), "{reference}");
    }
    for reference in ["", "/", "home/city", "/home/list/0", "/key/x", "nothing", "none", "/home//"]
    {
        assert_eq!(value(reference), None, "{reference}");
    }
}

#[test]
fn a_bad_reference_says_what_is_wrong() {
    for (text, error) in [
        ("", ReferenceError::Empty),
        ("/", ReferenceError::Empty),
        ("//", ReferenceError::EmptyPart),
        ("/a/", ReferenceError::EmptyPart),
        ("/a//b", ReferenceError::EmptyPart),
        ("/a~", ReferenceError::Escape),
        ("/a~2", ReferenceError::Escape),
        ("/~é", ReferenceError::Escape),
    ] {
        let reference = Reference::new(text);
        assert_eq!((reference.error(), reference.depth()), (Some(error), 0));
        assert_eq!(reference.to_string(), text);
    }
    let path = Reference::new("/a~1~0~01/b");
    assert_eq!((path.depth(), path.component(0), path.component(1)), (2, Some("a/~~1"), Some("b")));
}

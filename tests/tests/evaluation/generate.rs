//! Flags, segments and contexts that have much to do with each other, as JSON that the official
//! engine accepts.

use fdv2_tests::fuzz::OPERATORS;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Map, Value, json};

/// Flags and segments that refer to each other.
#[derive(Clone, Debug)]
pub(crate) struct World {
    pub(crate) flags: Vec<Value>,
    pub(crate) segments: Vec<Value>,
}

pub(crate) const FLAGS: [&str; 4] = ["f0", "f1", "f2", "f3"];
pub(crate) const SEGMENTS: [&str; 3] = ["s0", "s1", "s2"];

const KINDS: [&str; 3] = ["user", "org", "device"];
const KEYS: [&str; 8] = ["a", "b", "user-5219", "acme", "x:y%", "7", "é😀", "key with spaces"];
const ATTRIBUTES: [&str; 10] =
    ["key", "name", "kind", "anonymous", "plan", "age", "tags", "since", "version", "/odd"];
const REFERENCES: [&str; 14] = [
    "key",
    "/name",
    "kind",
    "/kind",
    "anonymous",
    "plan",
    "age",
    "tags",
    "/since",
    "version",
    "/~1odd",
    "/home/city",
    "/home/0",
    "home",
];
const INVALID_REFERENCES: [&str; 5] = ["", "/", "//", "/a/", "/a~2"];
const TEXTS: [&str; 34] = [
    "a",
    "b",
    "ab",
    "gold",
    "silver",
    "",
    "user",
    "org",
    "7",
    "acme",
    "^a",
    "b$",
    "(",
    "[0-9]+",
    "1.0.0",
    "1.0.0-rc.1",
    "2",
    "2.0",
    "2.0.1+build",
    "10.2.3",
    "01.2.3",
    "1.0.0-rc.1.2",
    "1.0.0-alpha-longer-than-eight",
    "2-beta",
    "2020-01-01T00:00:00Z",
    "2020-01-01T00:00:00.001Z",
    "2020-01-01T01:00:00+01:00",
    "2019-12-31t23:59:60z",
    "2020-02-30T00:00:00Z",
    "2020-01-01",
    "s0",
    "s1",
    "s2",
    "nowhere",
];
const NUMBERS: [f64; 14] = [
    0.0,
    -0.0,
    1.0,
    7.0,
    7.5,
    -3.0,
    212.91890726713459,
    985.6906946328695,
    1577836800000.0,
    1577836800000.9,
    8_000_000_000_000_000.0,
    9007199254740993.0,
    1e300,
    -1577836800001.0,
];

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => select(&TEXTS[..]).prop_map(Value::from),
        3 => select(&NUMBERS[..]).prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => scalar(),
        2 => vec(scalar(), 0..4).prop_map(Value::from),
        1 => vec(vec(scalar(), 0..2).prop_map(Value::from), 0..3).prop_map(Value::from),
        1 => Just(Value::Null),
        1 => (scalar(), scalar()).prop_map(|(city, zero)| json!({"city": city, "0": zero})),
    ]
}

fn attribute() -> impl Strategy<Value = &'static str> {
    prop_oneof![30 => select(&REFERENCES[..]), 1 => select(&INVALID_REFERENCES[..])]
}

fn member(name: &'static str, value: Option<impl Into<Value>>) -> Option<(String, Value)> {
    value.map(|value| (name.to_owned(), value.into()))
}

fn object(members: impl IntoIterator<Item = Option<(String, Value)>>) -> Value {
    Value::Object(members.into_iter().flatten().collect::<Map<_, _>>())
}

fn kind() -> impl Strategy<Value = Option<&'static str>> {
    option::of(select(&KINDS[..]))
}

fn clause() -> impl Strategy<Value = Value> {
    let operator = prop_oneof![2 => Just("in"), 3 => select(&OPERATORS[..])];
    (kind(), attribute(), operator, vec(any_value(), 0..5), option::of(any::<bool>())).prop_map(
        |(kind, attribute, operator, values, negate)| {
            object([
                member("contextKind", kind),
                member("attribute", Some(attribute)),
                member("op", Some(operator)),
                member("values", Some(values)),
                member("negate", negate),
            ])
        },
    )
}

fn segment_clause() -> impl Strategy<Value = Value> {
    let keys = vec(prop_oneof![8 => select(&SEGMENTS[..]), 1 => Just("nowhere")], 0..3);
    (keys, any::<bool>()).prop_map(
        |(keys, negate)| json!({"attribute": "", "op": "segmentMatch", "values": keys, "negate": negate}),
    )
}

fn clauses() -> impl Strategy<Value = Vec<Value>> {
    vec(prop_oneof![4 => clause(), 1 => segment_clause()], 0..3)
}

fn variation() -> impl Strategy<Value = i64> {
    prop_oneof![40 => 0..3_i64, 1 => select(&[-1, 3, 9][..])]
}

fn weight() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => (0..60_000).prop_map(Value::from),
        1 => select(&[0.5, 33_333.33, 100_000.0, -1.0][..]).prop_map(Value::from),
    ]
}

fn rollout() -> impl Strategy<Value = Value> {
    let share = (variation(), weight(), option::of(any::<bool>()));
    let share = share.prop_map(|(variation, weight, untracked)| {
        object([
            member("variation", Some(variation)),
            member("weight", Some(weight)),
            member("untracked", untracked),
        ])
    });
    let rollout_kind = option::of(select(&["rollout", "experiment"][..]));
    let seed = option::of(prop_oneof![Just(0_i64), Just(-61), Just(i64::MIN), any::<i64>()]);
    (rollout_kind, kind(), option::weighted(0.4, attribute()), seed, vec(share, 0..4)).prop_map(
        |(rollout_kind, kind, bucket_by, seed, shares)| {
            object([
                member("kind", rollout_kind),
                member("contextKind", kind),
                member("bucketBy", bucket_by),
                member("seed", seed),
                member("variations", Some(shares)),
            ])
        },
    )
}

fn outcome() -> impl Strategy<Value = Map<String, Value>> {
    let outcome = prop_oneof![
        10 => variation().prop_map(|variation| json!({"variation": variation})),
        10 => rollout().prop_map(|rollout| json!({"rollout": rollout})),
        1 => (variation(), rollout()).prop_map(
            |(variation, rollout)| json!({"variation": variation, "rollout": rollout})),
        1 => Just(json!({})),
    ];
    outcome.prop_map(|outcome| outcome.as_object().cloned().unwrap_or_default())
}

fn rule() -> impl Strategy<Value = Value> {
    (option::of(select(&["r1", "r2"][..])), clauses(), outcome()).prop_map(
        |(id, clauses, mut rule)| {
            rule.extend(member("id", id));
            rule.insert("clauses".to_owned(), clauses.into());
            rule.insert("trackEvents".to_owned(), false.into());
            rule.into()
        },
    )
}

fn keys() -> impl Strategy<Value = Vec<&'static str>> {
    subsequence(&KEYS[..], 0..=5)
}

fn target() -> impl Strategy<Value = Value> {
    (kind(), prop_oneof![2 => keys(), 1 => Just(vec![])], variation()).prop_map(
        |(kind, keys, variation)| {
            object([
                member("contextKind", kind),
                member("values", Some(keys)),
                member("variation", Some(variation)),
            ])
        },
    )
}

fn user_target() -> impl Strategy<Value = Value> {
    (keys(), variation())
        .prop_map(|(keys, variation)| json!({"values": keys, "variation": variation}))
}

/// A flag without a key and prerequisites.
fn flag() -> impl Strategy<Value = Map<String, Value>> {
    let switch = prop_oneof![8 => Just(true), 1 => Just(false)];
    let values = vec(any_value(), 3);
    let targets = (vec(user_target(), 0..3), option::of(vec(target(), 0..3)));
    (switch, targets, vec(rule(), 0..4), outcome(), option::of(variation()), values, "[a-z]{0,4}")
        .prop_map(|(on, (targets, context_targets), rules, fallthrough, off, values, salt)| {
            let flag = object([
                member("version", Some(1)),
                member("on", Some(on)),
                member("targets", Some(targets)),
                member("contextTargets", context_targets),
                member("rules", Some(rules)),
                member("fallthrough", Some(Value::from(fallthrough))),
                member("offVariation", off),
                member("variations", Some(values)),
                member("salt", Some(salt)),
            ]);
            flag.as_object().cloned().unwrap_or_default()
        })
}

/// Who needs each of the flags, and in which variation. Nobody needs one twice; see
/// [`super::exceptions::a_flag_is_needed_twice`].
fn needs() -> impl Strategy<Value = Vec<Option<(usize, i64)>>> {
    let needed_by = |index: usize| {
        let need = (0..index.max(1), variation());
        option::of(need).prop_map(move |need| need.filter(|_| index > 0))
    };
    (0..FLAGS.len()).map(needed_by).collect::<Vec<_>>()
}

fn segment_targets() -> impl Strategy<Value = Vec<Value>> {
    let target = (select(&KINDS[..]), keys());
    vec(target.prop_map(|(kind, keys)| json!({"contextKind": kind, "values": keys})), 0..2)
}

fn segment_rule() -> impl Strategy<Value = Value> {
    (clauses(), option::of(weight()), option::weighted(0.3, attribute()), kind()).prop_map(
        |(clauses, weight, bucket_by, kind)| {
            object([
                member("id", Some("r")),
                member("clauses", Some(clauses)),
                member("weight", weight),
                member("bucketBy", bucket_by),
                member("rolloutContextKind", kind),
            ])
        },
    )
}

fn segment() -> impl Strategy<Value = Value> {
    (keys(), keys(), segment_targets(), segment_targets(), vec(segment_rule(), 0..3), "[a-z]{0,3}")
        .prop_map(|(included, excluded, included_contexts, excluded_contexts, rules, salt)| {
            json!({
                "version": 1, "included": included, "excluded": excluded,
                "includedContexts": included_contexts, "excludedContexts": excluded_contexts,
                "rules": rules, "salt": salt,
            })
        })
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let stray = prop_oneof![9 => Just(false), 1 => Just(true)];
    (vec(flag(), FLAGS.len()), needs(), stray, vec(segment(), SEGMENTS.len())).prop_map(
        |(flags, needs, has_stray_need, segments)| {
            let flags = FLAGS.iter().zip(flags).enumerate().map(|(index, (key, mut flag))| {
                let needed = needs.iter().enumerate().filter_map(|(other, need)| {
                    let (_, variation) = need.filter(|(by, _)| *by == index)?;
                    Some(json!({"key": FLAGS[other], "variation": variation}))
                });
                let mut needed: Vec<_> = needed.collect();
                if has_stray_need && index == 1 {
                    needed.push(json!({"key": "nowhere", "variation": 0}));
                }
                flag.insert("key".to_owned(), (*key).into());
                flag.insert("prerequisites".to_owned(), needed.into());
                flag.into()
            });
            let segments = SEGMENTS.iter().zip(segments).map(|(key, mut segment)| {
                segment["key"] = (*key).into();
                segment
            });
            World { flags: flags.collect(), segments: segments.collect() }
        },
    )
}

fn attributes() -> impl Strategy<Value = Map<String, Value>> {
    let home = option::of((scalar(), any_value()));
    let custom = vec((select(&ATTRIBUTES[4..]), any_value()), 0..6);
    (option::of(select(&TEXTS[..])), option::of(any::<bool>()), custom, home).prop_map(
        |(name, anonymous, custom, home)| {
            let custom = custom.into_iter().map(|(name, value)| Some((name.to_owned(), value)));
            let home = home.map(|(city, zero)| json!({"city": city, "0": zero}));
            let built_in = [member("name", name), member("anonymous", anonymous)];
            let all = object(custom.chain(built_in).chain([member("home", home)]));
            all.as_object().cloned().unwrap_or_default()
        },
    )
}

fn part() -> impl Strategy<Value = Map<String, Value>> {
    (select(&KEYS[..]), attributes()).prop_map(|(key, mut part)| {
        part.insert("key".to_owned(), key.into());
        part
    })
}

/// A context of one kind, of several, or a user in the old form.
pub(crate) fn context() -> impl Strategy<Value = Value> {
    let single = (select(&KINDS[..]), part()).prop_map(|(kind, mut part)| {
        part.insert("kind".to_owned(), kind.into());
        Value::from(part)
    });
    let multi = (subsequence(&KINDS[..], 1..=3), vec(part(), 3)).prop_map(|(kinds, parts)| {
        let parts = kinds.into_iter().zip(parts);
        let parts = parts.map(|(kind, part)| Some((kind.to_owned(), Value::from(part))));
        object(parts.chain([member("kind", Some("multi"))]))
    });
    let user = (select(&KEYS[..]), option::of(select(&TEXTS[..])), attributes()).prop_map(
        |(key, email, custom)| {
            object([
                member("key", Some(key)),
                member("email", email),
                member("custom", Some(Value::from(custom))),
            ])
        },
    );
    prop_oneof![5 => single, 3 => multi, 1 => user]
}

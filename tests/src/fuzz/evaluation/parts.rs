//! Flags, segments, contexts and what they are made of. When the bytes are at an end, what is left
//! becomes plain and well.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

pub(super) const FLAGS: [&str; 6] = ["f0", "f1", "f2", "f3", "f4", ""];
pub(super) const SEGMENTS: [&str; 5] = ["s0", "s1", "s2", "s3", ""];

const KINDS: [&str; 7] = ["user", "org", "device", "", "kind", "multi", "é"];
const KEYS: [&str; 8] = ["anna", "acme", "a", "7", "", "x:y%", "é😀", "key with spaces"];
const REFERENCES: [&str; 18] = [
    "plan",
    "age",
    "key",
    "/name",
    "kind",
    "anonymous",
    "/home/city",
    "/home/0",
    "tags",
    "/tags/0",
    "/~1odd",
    "since",
    "version",
    "",
    "/",
    "//",
    "/a/",
    "/a~2",
];
/// The operators of clauses, and one that nobody knows.
pub const OPERATORS: [&str; 16] = [
    "in",
    "startsWith",
    "endsWith",
    "contains",
    "matches",
    "lessThan",
    "lessThanOrEqual",
    "greaterThan",
    "greaterThanOrEqual",
    "before",
    "after",
    "semVerEqual",
    "semVerLessThan",
    "semVerGreaterThan",
    "segmentMatch",
    "of the future",
];
const TEXTS: [&str; 26] = [
    "pro",
    "anna",
    "a",
    "",
    "7",
    "^a",
    "o$",
    "(",
    "[0-9]+",
    "(a*)*b",
    "a{1000}{1000}",
    "\\p{L}",
    "1.0.0",
    "2",
    "2.0.1+build",
    "1.0.0-rc.1",
    "01.2.3",
    "1.99999999999999999999.0",
    "2020-01-01T00:00:00Z",
    "2019-12-31t23:59:60.999999999999-23:59",
    "0000-01-01T00:00:00+23:59",
    "2020-02-30T00:00:00Z",
    "2020-01-01",
    "s0",
    "s1",
    "😀\u{0}\"\\",
];
const NUMBERS: [f64; 16] = [
    0.0,
    1.0,
    -0.0,
    -1.0,
    2.0,
    7.5,
    0.1,
    50_000.0,
    100_000.0,
    4_294_967_295.0,
    9_007_199_254_740_993.0,
    9_300_000_000_000_000_000.0,
    1_577_836_800_000.0,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
];

type Make<T> = fn(&mut Unstructured<'_>) -> Result<T>;

/// One time in sixteen; never when the bytes are at an end.
pub(super) fn rarely(input: &mut Unstructured<'_>) -> Result<bool> {
    Ok(input.int_in_range(0..=15)? == 15)
}

/// At most so many.
pub(super) fn some<'a, T>(
    input: &mut Unstructured<'a>,
    most: usize,
    mut one: impl FnMut(&mut Unstructured<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let count = input.int_in_range(0..=most)?;
    (0..count).map(|_| one(input)).collect()
}

/// Any JSON, small.
pub(super) fn odd(input: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match input.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => json!([[]]),
        2 => json!({"key": {}}),
        3 => text(input)?,
        4 => input.arbitrary::<i64>()?.into(),
        5 => input.arbitrary::<u64>()?.into(),
        6 => input.arbitrary::<bool>()?.into(),
        _ => number(input)?,
    })
}

fn text(input: &mut Unstructured<'_>) -> Result<Value> {
    if rarely(input)? {
        let letters: String = some(input, 8, |input| input.arbitrary::<char>())?.iter().collect();
        return Ok(letters.into());
    }
    input.choose(&TEXTS).map(|text| (*text).into())
}

fn number(input: &mut Unstructured<'_>) -> Result<Value> {
    // What is not finite becomes null.
    if rarely(input)? { input.arbitrary::<f64>() } else { input.choose(&NUMBERS).copied() }
        .map(Value::from)
}

fn value(input: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match input.int_in_range(0..=9)? {
        0..=3 => text(input)?,
        4..=6 => number(input)?,
        7 => some(input, 3, text)?.into(),
        8 => json!({"city": text(input)?, "0": number(input)?}),
        _ => odd(input)?,
    })
}

fn flip(input: &mut Unstructured<'_>) -> Result<Value> {
    input.arbitrary::<bool>().map(Value::from)
}

fn kind(input: &mut Unstructured<'_>) -> Result<Value> {
    input.choose(&KINDS).map(|kind| (*kind).into())
}

fn key(input: &mut Unstructured<'_>) -> Result<Value> {
    input.choose(&KEYS).map(|key| (*key).into())
}

fn keys(input: &mut Unstructured<'_>) -> Result<Value> {
    some(input, 6, key).map(Value::from)
}

fn reference(input: &mut Unstructured<'_>) -> Result<Value> {
    input.choose(&REFERENCES).map(|reference| (*reference).into())
}

/// Mostly one that there is.
fn variation(input: &mut Unstructured<'_>) -> Result<Value> {
    if rarely(input)? { number(input) } else { Ok(input.int_in_range(0..=2)?.into()) }
}

fn weight(input: &mut Unstructured<'_>) -> Result<Value> {
    if rarely(input)? { number(input) } else { Ok(input.int_in_range(0..=100_000)?.into()) }
}

/// Every other time.
fn maybe(
    input: &mut Unstructured<'_>,
    members: &mut Map<String, Value>,
    all: &[(&str, Make<Value>)],
) -> Result<()> {
    for (name, make) in all {
        if input.arbitrary()? {
            members.insert((*name).to_owned(), make(input)?);
        }
    }
    Ok(())
}

fn list(input: &mut Unstructured<'_>, most: usize, one: Make<Map<String, Value>>) -> Result<Value> {
    some(input, most, |input| one(input).map(Value::from)).map(Value::from)
}

fn clause(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    let operator = *input.choose(&OPERATORS)?;
    // Every other one is about segments, so that there are rows of them and circles.
    let (operator, values) = match operator {
        "segmentMatch" => (operator, some(input, 3, segment_key)?),
        _ if input.arbitrary()? => ("segmentMatch", some(input, 3, segment_key)?),
        _ => (operator, some(input, 4, value)?),
    };
    members.insert("op".to_owned(), operator.into());
    members.insert("values".to_owned(), values.into());
    members.insert("attribute".to_owned(), reference(input)?);
    maybe(input, &mut members, &[("contextKind", kind), ("negate", flip)])?;
    Ok(members)
}

fn segment_key(input: &mut Unstructured<'_>) -> Result<Value> {
    if rarely(input)? { text(input) } else { Ok((*input.choose(&SEGMENTS)?).into()) }
}

fn clauses(input: &mut Unstructured<'_>) -> Result<Value> {
    list(input, 3, clause)
}

fn share(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("variation".to_owned(), variation(input)?);
    members.insert("weight".to_owned(), weight(input)?);
    maybe(input, &mut members, &[("untracked", flip)])?;
    Ok(members)
}

fn rollout(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    let mut shares = vec![Value::from(share(input)?)];
    shares.extend(some(input, 3, |input| share(input).map(Value::from))?);
    if rarely(input)? {
        shares.clear();
    }
    members.insert("variations".to_owned(), shares.into());
    let rollout_kind: Make<Value> =
        |input| Ok((*input.choose(&["experiment", "rollout", "other"])?).into());
    let all: [(&str, Make<Value>); 4] =
        [("kind", rollout_kind), ("contextKind", kind), ("bucketBy", reference), ("seed", number)];
    maybe(input, &mut members, &all)?;
    Ok(members)
}

/// What a rule or the fall-through gives.
fn outcome(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    let which = input.int_in_range(0..=15)?;
    if which < 8 || which == 14 {
        members.insert("variation".to_owned(), variation(input)?);
    }
    if (8..15).contains(&which) {
        members.insert("rollout".to_owned(), rollout(input)?.into());
    }
    Ok(members)
}

fn rule(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = outcome(input)?;
    members.insert("clauses".to_owned(), clauses(input)?);
    maybe(input, &mut members, &[("id", text), ("trackEvents", flip)])?;
    Ok(members)
}

fn prerequisite(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let key = if rarely(input)? { text(input)? } else { (*input.choose(&FLAGS)?).into() };
    Ok(Map::from_iter([("key".to_owned(), key), ("variation".to_owned(), variation(input)?)]))
}

fn target(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("values".to_owned(), keys(input)?);
    members.insert("variation".to_owned(), variation(input)?);
    maybe(input, &mut members, &[("contextKind", kind)])?;
    Ok(members)
}

pub(super) fn flag(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("on".to_owned(), (!rarely(input)?).into());
    if !rarely(input)? {
        members.insert("fallthrough".to_owned(), outcome(input)?.into());
    }
    let mut variations = vec![Value::from(true), 7.into(), "text".into()];
    variations.extend(some(input, 2, value)?);
    members.insert("variations".to_owned(), variations.into());
    members.insert("prerequisites".to_owned(), list(input, 2, prerequisite)?);
    members.insert("rules".to_owned(), list(input, 3, rule)?);
    let all: [(&str, Make<Value>); 8] = [
        ("targets", |input| list(input, 2, target)),
        ("contextTargets", |input| list(input, 2, target)),
        ("offVariation", variation),
        ("salt", text),
        ("version", number),
        ("clientSide", flip),
        ("trackEventsFallthrough", flip),
        ("debugEventsUntilDate", number),
    ];
    maybe(input, &mut members, &all)?;
    Ok(members)
}

fn segment_rule(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("clauses".to_owned(), clauses(input)?);
    let all: [(&str, Make<Value>); 3] =
        [("weight", weight), ("bucketBy", reference), ("rolloutContextKind", kind)];
    maybe(input, &mut members, &all)?;
    Ok(members)
}

pub(super) fn segment(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    if input.int_in_range(0..=3)? == 3 {
        members.insert("unbounded".to_owned(), true.into());
    }
    members.insert("rules".to_owned(), list(input, 3, segment_rule)?);
    let all: [(&str, Make<Value>); 7] = [
        ("included", keys),
        ("excluded", keys),
        ("includedContexts", |input| list(input, 2, target)),
        ("excludedContexts", |input| list(input, 2, target)),
        ("salt", text),
        ("unboundedContextKind", kind),
        ("generation", number),
    ];
    maybe(input, &mut members, &all)?;
    Ok(members)
}

/// One part of a context, without its kind.
fn part(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    members.insert("key".to_owned(), key(input)?);
    let all: [(&str, Make<Value>); 9] = [
        ("plan", value),
        ("age", number),
        ("name", text),
        ("anonymous", flip),
        ("home", value),
        ("tags", value),
        ("/odd", value),
        ("since", value),
        ("version", text),
    ];
    maybe(input, &mut members, &all)?;
    Ok(members)
}

/// Of one kind or of several; not each can be decoded.
pub(super) fn context(input: &mut Unstructured<'_>) -> Result<Map<String, Value>> {
    if input.arbitrary()? {
        let mut members = Map::new();
        for kind in KINDS.iter().take(input.int_in_range(1..=3)?) {
            members.insert((*kind).to_owned(), part(input)?.into());
        }
        members.insert("kind".to_owned(), "multi".into());
        return Ok(members);
    }
    let mut members = part(input)?;
    members.insert("kind".to_owned(), kind(input)?);
    Ok(members)
}

//! Flags and segments that refer to each other, and contexts, as a fuzzer's bytes spell them.

use std::iter;
use std::sync::Arc;

use arbitrary::{Arbitrary, Result, Unstructured};
use fdv2_core::context::{Context, ContextBuilder};
use fdv2_core::eval::Membership;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Limits, Snapshot};
use serde_json::{Map, Value, json};

use super::parts::{self, FLAGS, SEGMENTS, odd, rarely, some};

/// What becomes of a flag that goes bad.
const BAD: [&str; 7] = [
    r#"{"on":true}"#,
    r#"{"deleted":true}"#,
    r#"{"on":true,"variations":[1],"fallthrough":{"variation":1}}"#,
    r#"{"on":true,"prerequisites":[{"key":"f0"},{"key":"f1","variation":0},{"key":"f2"}]}"#,
    r#"{"on":"true"}"#,
    r#"{"on":true"#,
    "{}",
];
/// How many flags or segments need each other in a row, around what is allowed, and where each needs
/// the next more than once.
const LENGTHS: [usize; 10] = [1, 2, 3, 9, 13, 14, 20, 498, 499, 500];
/// The key of a flag at the head of such a row.
const HEAD: &str = "row 0";

/// All that an evaluation goes by, as JSON texts.
#[derive(Debug)]
pub(super) struct World {
    flags: Vec<(String, String)>,
    segments: Vec<(String, String)>,
    contexts: Vec<String>,
    pub(super) memberships: Vec<Membership>,
    pub(super) bad: Bad,
}

/// The flag that goes bad.
#[derive(Debug)]
pub(super) struct Bad {
    pub(super) key: String,
    pub(super) text: &'static str,
}

impl World {
    /// Two flags and two segments of one text.
    pub(super) fn of_text(text: &str) -> Self {
        let items = || ["a", "other"].map(|key| (key.to_owned(), text.to_owned())).into();
        Self {
            flags: items(),
            segments: items(),
            contexts: vec![],
            memberships: vec![],
            bad: Bad { key: "other".to_owned(), text: r#"{"on":true}"# },
        }
    }

    /// What of it can be decoded.
    pub(super) fn snapshot(&self) -> Arc<Snapshot> {
        let mut builder = ChangeSetBuilder::full();
        for (kind, items) in [(Kind::Flag, &self.flags), (Kind::Segment, &self.segments)] {
            for (key, text) in items {
                // What is undecodable is refused, and that is all.
                let _ = builder.put(kind, key, 1, text);
            }
        }
        let commit = Snapshot::apply(&Arc::default(), builder.finish(None), &Limits::default());
        commit.expect("within the limits").snapshot
    }

    /// The keys of the flags to be evaluated: of a row, the one at its head.
    pub(super) fn roots(&self) -> impl Iterator<Item = &str> {
        let keys = self.flags.iter().map(|(key, _)| &**key);
        keys.filter(|key| *key == HEAD || !key.starts_with("row "))
    }

    /// Those that can be decoded, two good ones and an invalid one.
    pub(super) fn contexts(&self) -> impl Iterator<Item = Context> {
        let build = |kind: &str, key: &str| {
            let mut builder = ContextBuilder::new(key);
            builder.kind(kind).set_string("plan", "pro").set_float("age", 7.5).build()
        };
        let built = [build("user", "anna"), build("org", "acme"), build("kind", "x")];
        let built = built.map(|context| context.unwrap_or_else(Context::invalid));
        self.contexts.iter().filter_map(|text| serde_json::from_str(text).ok()).chain(built)
    }

    /// A row in which each needs the next so many times, and the last one a flag or segment of the
    /// rest.
    fn add_row(&mut self, length: usize, times: usize, is_of_flags: bool) {
        let outcome = json!({"variation": 0});
        for index in 0..length {
            let is_last = index + 1 == length;
            let next = format!("row {}", index + 1);
            let key = format!("row {index}");
            if is_of_flags {
                let next = if is_last { FLAGS[0] } else { &*next };
                let needed = vec![json!({"key": next, "variation": 0}); times];
                let flag = json!({
                    "on": true, "variations": [true], "fallthrough": outcome,
                    "prerequisites": needed,
                });
                self.flags.push((key, flag.to_string()));
            } else {
                let next = if is_last { SEGMENTS[0] } else { &*next };
                let clause = json!({"op": "segmentMatch", "values": vec![next; times]});
                let segment = json!({"rules": [{"clauses": [clause]}]});
                self.segments.push((key, segment.to_string()));
            }
        }
        if !is_of_flags {
            let rule = json!({
                "variation": 1, "clauses": [{"op": "segmentMatch", "values": [HEAD]}],
            });
            let flag = json!({
                "on": true, "variations": [false, true], "fallthrough": outcome, "rules": [rule],
            });
            self.flags.push((HEAD.to_owned(), flag.to_string()));
        }
    }
}

impl<'a> Arbitrary<'a> for World {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Self> {
        let row = rarely(input)?
            .then(|| Ok((*input.choose(&LENGTHS)?, input.int_in_range(1..=3)?, input.arbitrary()?)))
            .transpose()?;
        let bad_key = (*input.choose(&FLAGS)?).to_owned();
        let bad = Bad { key: bad_key, text: input.choose(&BAD)? };
        let memberships = some(input, 4, membership)?;
        let flag_count = input.int_in_range(1..=FLAGS.len())?;
        let segment_count = input.int_in_range(0..=SEGMENTS.len())?;
        let flags = items(input, FLAGS.iter().take(flag_count), parts::flag)?;
        let segments = items(input, SEGMENTS.iter().take(segment_count), parts::segment)?;
        let contexts = some(input, 3, |input| Ok(Value::from(parts::context(input)?).to_string()))?;
        let mut world = Self { flags, segments, contexts, memberships, bad };
        if let Some((length, times, is_of_flags)) = row {
            world.add_row(length, times, is_of_flags);
        }
        Ok(world)
    }
}

fn items(
    input: &mut Unstructured<'_>,
    keys: impl Iterator<Item = &'static &'static str>,
    one: fn(&mut Unstructured<'_>) -> Result<Map<String, Value>>,
) -> Result<Vec<(String, String)>> {
    let item = |key: &&str| {
        let members = one(input)?;
        Ok(((*key).to_owned(), text(input, members)?))
    };
    keys.map(item).collect()
}

/// The text of an object, which is now and then cut off, or has something odd in it.
fn text(input: &mut Unstructured<'_>, mut members: Map<String, Value>) -> Result<String> {
    let how = input.int_in_range(0..=47)?;
    if how == 46 {
        let which = input.choose_index(members.len().max(1))?;
        if let Some(value) = members.values_mut().nth(which) {
            *value = odd(input)?;
        }
    }
    let mut text = Value::from(members).to_string();
    if how == 47 {
        let mut ends = text.char_indices().map(|(at, _)| at).chain(iter::once(text.len()));
        let end = ends.nth(input.int_in_range(0..=400)?).unwrap_or(text.len());
        text.truncate(end);
    }
    Ok(text)
}

fn membership(input: &mut Unstructured<'_>) -> Result<Membership> {
    Ok(match input.int_in_range(0..=4)? {
        0 => Membership::NotConfigured,
        1 => Membership::StoreError,
        _ => Membership::Known { included: input.arbitrary()?, is_stale: input.arbitrary()? },
    })
}

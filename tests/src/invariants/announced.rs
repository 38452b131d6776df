//! Invariant 5: who is told of, worked out from the texts alone.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fdv2_core::effect::Update;
use fdv2_core::model::Kind;
use fdv2_core::{Command, Snapshot};
use serde_json::Value;

use super::Call;

/// A flag or segment.
type Id = (Kind, Arc<str>);

/// Invariant 5 (B 7.1).
pub fn announced_flags_are_the_naive_closure(call: &Call<'_>) {
    let mut held = call.before.snapshot.as_ref();
    let mut expected: Vec<Arc<str>> = Vec::new();
    for command in call.commands {
        match command {
            Command::Emit(Update::Snapshot(new)) => {
                assert_eq!(expected, [], "invariant 5: not announced");
                expected = closure(held, new);
                held = Some(new);
            }
            Command::Emit(Update::FlagsChanged(changed)) => {
                let expected = std::mem::take(&mut expected);
                assert_eq!(changed.keys(), expected, "invariant 5: other flags were announced");
            }
            _ => {}
        }
    }
    assert_eq!(expected, [], "invariant 5: not announced");
}

/// The flags that differ, and those that need what differs, at any depth.
fn closure(old: Option<&Arc<Snapshot>>, new: &Snapshot) -> Vec<Arc<str>> {
    let (before, after) = (old.map(|old| texts(old)).unwrap_or_default(), texts(new));
    let mut changed: BTreeSet<Id> = before
        .keys()
        .chain(after.keys())
        .filter(|id| !is_same(before.get(*id), after.get(*id)))
        .cloned()
        .collect();
    if !changed.is_empty() {
        let needs: Vec<(&Id, BTreeSet<Id>)> =
            after.iter().map(|(id, text)| (id, needs(text))).collect();
        loop {
            let known = changed.len();
            for (id, needs) in &needs {
                if !needs.is_disjoint(&changed) {
                    changed.insert((*id).clone());
                }
            }
            if changed.len() == known {
                break;
            }
        }
    }
    changed.into_iter().filter(|(kind, _)| *kind == Kind::Flag).map(|(_, key)| key).collect()
}

fn texts(snapshot: &Snapshot) -> BTreeMap<Id, &str> {
    let flags = snapshot.flags().map(|flag| ((Kind::Flag, flag.key().clone()), &**flag.text()));
    let segments = snapshot.segments();
    let segments =
        segments.map(|segment| ((Kind::Segment, segment.key().clone()), &**segment.text()));
    flags.chain(segments).collect()
}

/// Whether two texts say the same as JSON.
fn is_same(one: Option<&&str>, other: Option<&&str>) -> bool {
    one == other
        || match (one.map(|text| plain(text)), other.map(|text| plain(text))) {
            (Some(Some(one)), Some(Some(other))) => one == other,
            _ => false,
        }
}

/// The text as JSON in which a number has one spelling.
fn plain(text: &str) -> Option<Value> {
    fn spell(value: &mut Value) {
        match value {
            Value::Number(number) => {
                if let Some(float) = number.as_f64().filter(|float| float.abs() < 1e15) {
                    *value = Value::from(float);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(spell),
            Value::Object(members) => members.values_mut().for_each(spell),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text).ok()?;
    spell(&mut value);
    Some(value)
}

/// What a flag or segment names: prerequisites, and segments in its rules.
fn needs(text: &str) -> BTreeSet<Id> {
    let item: Value = serde_json::from_str(text).unwrap_or_default();
    let list = |value: &Value, name: &str| -> Vec<Value> {
        value.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let id = |kind, key: &Value| key.as_str().map(|key| (kind, Arc::from(key)));
    let flags = list(&item, "prerequisites");
    let flags = flags.iter().filter_map(|needed| id(Kind::Flag, needed.get("key")?));
    let clauses = list(&item, "rules").into_iter().flat_map(|rule| list(&rule, "clauses"));
    let matches = clauses.filter(|clause| clause.get("op") == Some(&Value::from("segmentMatch")));
    let values = matches.flat_map(|clause| list(&clause, "values"));
    flags.chain(values.filter_map(|value| id(Kind::Segment, &value))).collect()
}

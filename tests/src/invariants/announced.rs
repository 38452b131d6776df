//! Invariant 5: who is told of, worked out from the texts alone.

use std::collections::BTreeSet;
use std::sync::Arc;

use fdv2_core::effect::Update;
use fdv2_core::model::{Item, Kind};
use fdv2_core::{Command, Snapshot};
use serde::Deserialize;
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
    let Some(old) = old.filter(|old| old.objects() > 0) else {
        return new.flags().map(|flag| Arc::clone(flag.key())).collect();
    };
    let mut changed: BTreeSet<Id> = BTreeSet::new();
    let mut others = Vec::new();
    for item in items(new) {
        if is_same(look_up(old, item.kind, item.key), item) {
            others.push(item);
        } else {
            changed.insert(item.id());
        }
    }
    let gone = items(old).filter(|item| look_up(new, item.kind, item.key).is_none());
    changed.extend(gone.map(Shown::id));
    let is_named = others.iter().any(|item| may_name(item.text, &changed));
    if !changed.is_empty() && is_named {
        let needs: Vec<_> = others.into_iter().map(|item| (item, needs(item.text))).collect();
        loop {
            let known = changed.len();
            for (item, needs) in &needs {
                if !needs.is_disjoint(&changed) {
                    changed.insert(item.id());
                }
            }
            if changed.len() == known {
                break;
            }
        }
    }
    changed.into_iter().filter(|(kind, _)| *kind == Kind::Flag).map(|(_, key)| key).collect()
}

/// What readers see of an item.
#[derive(Clone, Copy)]
struct Shown<'a> {
    kind: Kind,
    key: &'a Arc<str>,
    version: u64,
    text: &'a str,
}

impl<'a> Shown<'a> {
    fn of<T>(kind: Kind, item: &'a Item<T>) -> Self {
        Self { kind, key: item.key(), version: item.version(), text: item.text() }
    }

    fn id(self) -> Id {
        (self.kind, Arc::clone(self.key))
    }
}

fn items(snapshot: &Snapshot) -> impl Iterator<Item = Shown<'_>> {
    let flags = snapshot.flags().map(|flag| Shown::of(Kind::Flag, flag));
    flags.chain(snapshot.segments().map(|segment| Shown::of(Kind::Segment, segment)))
}

fn look_up<'a>(snapshot: &'a Snapshot, kind: Kind, key: &str) -> Option<Shown<'a>> {
    match kind {
        Kind::Flag => snapshot.flag(key).map(|flag| Shown::of(kind, flag)),
        Kind::Segment => snapshot.segment(key).map(|segment| Shown::of(kind, segment)),
    }
}

/// Whether it was the same before: its version, and its text as JSON.
fn is_same(old: Option<Shown<'_>>, new: Shown<'_>) -> bool {
    old.is_some_and(|old| {
        let is_same_json = || plain(old.text).zip(plain(new.text)).is_some_and(|(a, b)| a == b);
        old.text == new.text || old.version == new.version && is_same_json()
    })
}

/// Whether it is worth reading what texts name. An escape can spell any key.
fn may_name(text: &str, ids: &BTreeSet<Id>) -> bool {
    text.contains('\\') || ids.iter().any(|(_, key)| text.contains(&**key))
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
    let item: Names = serde_json::from_str(text).unwrap_or_default();
    let flags = list(item.prerequisites).into_iter().filter_map(|named| id(Kind::Flag, named.key));
    let rules = list(item.rules).into_iter();
    let clauses = rules.flat_map(|rule| list(rule.clauses));
    let matches = clauses.filter(|clause| clause.op == "segmentMatch");
    let values = matches.flat_map(|clause| list(clause.values));
    flags.chain(values.filter_map(|value| id(Kind::Segment, value))).collect()
}

fn id(kind: Kind, key: Value) -> Option<Id> {
    key.as_str().map(|key| (kind, Arc::from(key)))
}

/// Null is an empty list.
fn list<T>(list: Option<Vec<T>>) -> Vec<T> {
    list.unwrap_or_default()
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Names {
    prerequisites: Option<Vec<Named>>,
    rules: Option<Vec<Rule>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Named {
    key: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Rule {
    clauses: Option<Vec<Clause>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Clause {
    op: Value,
    values: Option<Vec<Value>>,
}

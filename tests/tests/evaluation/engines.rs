//! Both engines behind one face.

use std::collections::BTreeMap;
use std::sync::Arc;

use fdv2_core::context::Context;
use fdv2_core::eval::{self, Found, Lookup};
use fdv2_core::model::{Decoded, Flag, Item, Model, Segment};
use launchdarkly_server_sdk_evaluation as oracle;
use serde_json::{Value, json};

/// What an evaluation gives: value, index and reason, as JSON.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) value: Option<Value>,
    pub(crate) index: Option<i64>,
    pub(crate) reason: Value,
}

/// Items for our engine.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) flags: BTreeMap<String, Item<Flag>>,
    pub(crate) segments: BTreeMap<String, Item<Segment>>,
}

impl Lookup for Items {
    fn flag(&self, key: &str) -> Found<&Item<Flag>> {
        self.flags.get(key).into()
    }

    fn segment(&self, key: &str) -> Found<&Item<Segment>> {
        self.segments.get(key).into()
    }
}

pub(crate) fn item<T: Model>(object: &Value) -> Item<T> {
    item_of_text(object["key"].as_str().unwrap(), &object.to_string())
}

pub(crate) fn item_of_text<T: Model>(key: &str, text: &str) -> Item<T> {
    match Item::decode(Arc::from(key), 1, text) {
        Ok(Decoded::Live(item)) => item,
        other => panic!("{other:?}: {text}"),
    }
}

impl Items {
    pub(crate) fn new(flags: &[Value], segments: &[Value]) -> Self {
        let key = |object: &Value| object["key"].as_str().unwrap().to_owned();
        Self {
            flags: flags.iter().map(|flag| (key(flag), item(flag))).collect(),
            segments: segments.iter().map(|segment| (key(segment), item(segment))).collect(),
        }
    }

    pub(crate) fn evaluate(&self, flag: &str, context: &Context) -> Answer {
        let detail = eval::evaluate(self, &self.flags[flag], context).unwrap();
        Answer {
            value: detail.value.map(normalize),
            index: detail.variation_index.map(|index| index as i64),
            reason: serde_json::to_value(&detail.reason).unwrap(),
        }
    }
}

/// Items for the official engine.
pub(crate) struct OracleItems {
    pub(crate) flags: BTreeMap<String, oracle::Flag>,
    pub(crate) segments: BTreeMap<String, oracle::Segment>,
}

impl oracle::Store for OracleItems {
    fn flag(&self, key: &str) -> Option<oracle::Flag> {
        self.flags.get(key).cloned()
    }

    fn segment(&self, key: &str) -> Option<oracle::Segment> {
        self.segments.get(key).cloned()
    }
}

impl OracleItems {
    pub(crate) fn new(flags: &[Value], segments: &[Value]) -> Self {
        let flags = flags.iter().map(oracle_object::<oracle::Flag>);
        let segments = segments.iter().map(oracle_object::<oracle::Segment>);
        Self {
            flags: flags.map(|flag| (flag.key.clone(), flag)).collect(),
            segments: segments.map(|segment| (segment.key.clone(), segment)).collect(),
        }
    }

    pub(crate) fn evaluate(&self, flag: &str, context: &oracle::Context) -> Answer {
        let detail = oracle::evaluate(self, &self.flags[flag], context, None);
        let value = detail.value.map(|value| normalize(&value.as_json().unwrap()));
        Answer {
            // As the official SDK does with its default: without a value there is no index.
            index: detail.variation_index.filter(|_| value.is_some()).map(|index| index as i64),
            value,
            reason: serde_json::to_value(&detail.reason).unwrap(),
        }
    }
}

fn oracle_object<T: serde::de::DeserializeOwned>(object: &Value) -> T {
    serde_json::from_str(&object.to_string()).unwrap_or_else(|error| panic!("{error}: {object}"))
}

/// The official engine holds top-level numbers as floats.
fn normalize(value: &Value) -> Value {
    value.as_f64().map_or_else(|| value.clone(), |number| json!(number))
}

//! Our evaluator and the official one side by side, in one process, on the same flags (issue 3).

#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use std::collections::HashMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use fdv2_core::Snapshot;
use fdv2_core::context::Context;
use fdv2_core::eval;
use fdv2_core::model::{Flag, Item};
use fdv2_tests::measure::Table;
use fdv2_tests::samples;
use launchdarkly_server_sdk_evaluation as oracle;
use serde_json::{Value, json};

/// Both engines with the same data.
struct Engines {
    ours: Arc<Snapshot>,
    theirs: Store,
}

struct Store {
    flags: HashMap<String, oracle::Flag>,
    segments: HashMap<String, oracle::Segment>,
}

impl oracle::Store for Store {
    fn flag(&self, key: &str) -> Option<oracle::Flag> {
        self.flags.get(key).cloned()
    }

    fn segment(&self, key: &str) -> Option<oracle::Segment> {
        self.segments.get(key).cloned()
    }
}

impl Engines {
    fn new(flags: &[Value], segments: &[Value]) -> Self {
        let flag = |flag: &Value| serde_json::from_str::<oracle::Flag>(&flag.to_string()).unwrap();
        let segment =
            |object: &Value| serde_json::from_str::<oracle::Segment>(&object.to_string()).unwrap();
        Self {
            ours: samples::snapshot(flags, segments).unwrap(),
            theirs: Store {
                flags: flags.iter().map(flag).map(|flag| (flag.key.clone(), flag)).collect(),
                segments: segments.iter().map(segment).map(|s| (s.key.clone(), s)).collect(),
            },
        }
    }

    fn compare(&self, table: &mut Table, name: &str, factor: f64, flag: &Value, context: &Value) {
        let key = flag.get("key").and_then(Value::as_str).unwrap();
        let our_context: Context = serde_json::from_value(context.clone()).unwrap();
        let their_context: oracle::Context = serde_json::from_value(context.clone()).unwrap();
        let our_flag: &Item<Flag> = self.ours.flag(key).unwrap();
        let their_flag = self.theirs.flags.get(key).unwrap();
        let ours = || eval::evaluate(&*self.ours, black_box(our_flag), &our_context).unwrap();
        let theirs = || oracle::evaluate(&self.theirs, black_box(their_flag), &their_context, None);
        assert_eq!(
            serde_json::to_value(ours().reason).unwrap(),
            serde_json::to_value(theirs().reason).unwrap(),
        );
        table.compare(
            name,
            factor,
            || {
                black_box(ours());
            },
            || {
                black_box(theirs());
            },
        );
    }
}

fn main() -> ExitCode {
    let user = json!({"kind": "user", "key": "user-9999", "email": "someone@example.net",
        "country": "jp", "plan": "gold", "age": 42, "version": "2.1.0"});
    let matches =
        samples::with_clause("matches", "email", "matches", r"^[a-z.]+@example\.(com|net)$");
    let in_segment = samples::with_clause("in-segment", "", "segmentMatch", "large");
    let targets = samples::with_targets(1000);
    let flags = [
        samples::off(),
        samples::typical(),
        samples::with_prerequisite(),
        samples::needed(),
        matches.clone(),
        in_segment.clone(),
        targets.clone(),
    ];
    let engines = Engines::new(&flags, &[samples::segment("large", 10_000)]);

    let mut table = Table::new("Evaluation, engine alone; theirs is the official engine");
    let mut compare = |name: &str, factor: f64, flag: &Value| {
        engines.compare(&mut table, name, factor, flag, &user);
    };
    compare("flag off", 1.0, &samples::off());
    compare("2 KB, 2 rules, 4 clauses, rollout", 3.0, &samples::typical());
    compare("one prerequisite", 10.0, &samples::with_prerequisite());
    compare("matches", 100.0, &matches);
    compare("segment of 10,000 keys", 1000.0, &in_segment);
    compare("1,000 individual targets, none of them", 5.0, &targets);
    let last = json!({"kind": "user", "key": "user-999"});
    engines.compare(&mut table, "1,000 individual targets, the last", 5.0, &targets, &last);

    let text = samples::typical().to_string();
    let key: Arc<str> = "checkout-page-layout".into();
    table.compare(
        &format!("decoding {} bytes, text kept", text.len()),
        1.0,
        || {
            black_box(Item::<Flag>::decode(Arc::clone(&key), 1, black_box(&text)).unwrap());
        },
        || {
            black_box(serde_json::from_str::<oracle::Flag>(black_box(&text)).unwrap());
        },
    );
    table.finish()
}

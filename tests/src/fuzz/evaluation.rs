//! Any text as a flag and as a segment (B 1.9).

use std::sync::Arc;

use fdv2_core::context::{Context, ContextBuilder};
use fdv2_core::eval::{Lookup, evaluate};
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Limits, Snapshot};

/// An object becomes a flag and a segment that refer to each other as it says; evaluating them ends,
/// with the same result each time.
///
/// # Panics
/// If it does not.
pub fn evaluation(input: &[u8]) {
    let Ok(object) = std::str::from_utf8(input) else { return };
    let mut builder = ChangeSetBuilder::full();
    for kind in [Kind::Flag, Kind::Segment] {
        for key in ["a", "other"] {
            // What is undecodable is refused, and that is all.
            let _ = builder.put(kind, key, 1, object);
        }
    }
    let commit = Snapshot::apply(&Arc::default(), builder.finish(None), &Limits::default());
    let snapshot = commit.expect("within the limits").snapshot;
    for context in contexts() {
        let Some(flag) = snapshot.flag("a") else { return };
        let lookup: &dyn Lookup = &*snapshot;
        let detail = evaluate(lookup, flag, &context).expect("everything is loaded");
        assert_eq!(evaluate(lookup, flag, &context), Ok(detail));
    }
}

fn contexts() -> [Context; 2] {
    let build = |kind: &str, key: &str| {
        let mut builder = ContextBuilder::new(key);
        builder.kind(kind).set_string("plan", "pro").set_float("age", 7.5).build()
    };
    [build("user", "anna"), build("org", "acme")].map(|context| context.expect("a context"))
}

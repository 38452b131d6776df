//! The order of writes, which a store keeps that cannot write at once.

use fdv2_client::store::{Record, Store};
use fdv2_core::model::{Decoded, Flag, Item, Model, Segment};
use fdv2_core::persistence::dependencies_first;

use crate::gated::Gated;
use crate::wait;

fn item<T: Model>(key: &str, rest: &str) -> Item<T> {
    let text = format!(r#"{{"key":"{key}","version":1{rest}}}"#);
    match Item::decode(key.into(), 1, &text) {
        Ok(Decoded::Live(item)) => item,
        other => panic!("{other:?}"),
    }
}

fn needs(prerequisite: &str) -> String {
    format!(r#","prerequisites":[{{"key":"{prerequisite}","variation":0}}]"#)
}

/// B 9.4, D06: F needs P, and P's rule uses S; Q and R need each other.
#[test]
fn segments_and_prerequisites_reach_the_store_before_the_flags_that_need_them() {
    let matches = r#","rules":[{"clauses":[
        {"op":"segmentMatch","attribute":"","values":["s"]}]}]"#;
    let flags: [Item<Flag>; 4] = [
        item("f", &needs("p")),
        item("p", matches),
        item("q", &needs("r")),
        item("r", &needs("q")),
    ];
    let segment: Item<Segment> = item("s", "");
    let mut records: Vec<_> =
        dependencies_first([&segment]).into_iter().map(Record::item).collect();
    records.extend(dependencies_first(&flags).into_iter().map(Record::item));

    let (gated, gate) = Gated::open();
    let store = Store::new(gated);
    wait(store.replace_all(records)).unwrap();
    let written = gate.calls().join(" ");
    assert!(
        ["replace s p f r q", "replace s p f q r"].contains(&&*written),
        "not in order: {written}"
    );
}

//! What becomes of writes when the client closes before its driver can do anything (B 10.2).

use std::time::Duration;

use fdv2_core::config::StoreMode;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use futures::executor::block_on;

use super::reading::{Tables, data, fed, until};
use super::sim::Sim;
use crate::store::Store;

const SHORT: Duration = Duration::from_millis(10);

fn put(mut change_set: ChangeSetBuilder, keys: &[&str]) -> ChangeSetBuilder {
    for key in keys {
        change_set.put(Kind::Flag, key, 1, "{}").unwrap();
    }
    change_set
}

/// Lets the store go on and do all that it was given.
fn let_go(tables: &Tables, store: &Store) {
    tables.set_hanging(false);
    block_on(store.write(|_| Ok(()))).unwrap();
}

/// B 10.2: behind the write of another client.
#[test]
fn b_10_2_a_write_that_waits_does_not_begin_after_close_has_returned() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let store = Store::new(tables.clone());
    let (client, sender) = fed(&sim, store.clone(), StoreMode::ReadWrite);
    tables.set_hanging(true);
    let _other = store.probe();
    until(&sim, || tables.calls() == 1);
    sender.unbounded_send(data(put(ChangeSetBuilder::full(), &["f"]))).unwrap();
    sim.run();
    block_on(client.close(SHORT));
    let_go(&tables, &store);
    assert_eq!(tables.calls(), 1);
}

/// B 10.2: the upserts of one change set are many calls.
#[test]
fn b_10_2_no_further_upsert_begins_after_close_has_returned() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let store = Store::new(tables.clone());
    let (client, sender) = fed(&sim, store.clone(), StoreMode::ReadWrite);
    sender.unbounded_send(data(put(ChangeSetBuilder::full(), &["f"]))).unwrap();
    until(&sim, || tables.calls() == 1);
    let_go(&tables, &store);
    tables.set_hanging(true);
    sender.unbounded_send(data(put(ChangeSetBuilder::changes(), &["g", "h"]))).unwrap();
    until(&sim, || tables.calls() == 2);
    block_on(client.close(SHORT));
    let_go(&tables, &store);
    assert_eq!(tables.calls(), 2);
}

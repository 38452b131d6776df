//! A change of one flag among 100,000, from the bytes on the stream to what readers see, against
//! what copying the data would cost: a clone of a `HashMap<Arc<str>, Arc<Item>>` of that size. It
//! must be at least 50 times faster.

use std::collections::HashMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;

use bytes::Bytes;
use fdv2_core::model::{Flag, Item};
use fdv2_core::{Command, Snapshot, Update};
use fdv2_tests::measure::Table;
use fdv2_tests::streamed::{self, Streamed};
use fdv2_tests::typical;

const FLAGS: usize = 100_000;
const CHANGES: usize = 1_000;

/// What a driver does with the commands of one change: it publishes, and frees the rest.
fn publish(published: &mut Arc<Snapshot>, commands: impl Iterator<Item = Command>) {
    for command in commands {
        if let Command::Emit(Update::Snapshot(snapshot)) = command {
            *published = snapshot;
        }
    }
}

fn main() -> ExitCode {
    let mut system = Streamed::open();
    let stream = typical::full_transfer(FLAGS, 1, typical::End::Transferred);
    let mut published = Arc::default();
    for slice in streamed::slices(&stream) {
        publish(&mut published, system.receive(slice));
    }
    let copied: HashMap<Arc<str>, Arc<Item<Flag>>> =
        published.flags().map(|flag| (flag.key().clone(), flag.clone())).collect();
    // Each differs from what is held when its turn comes.
    let mut changes = (0..2 * CHANGES)
        .map(|at| Bytes::from(typical::change(at % CHANGES * 97, 2 + (at / CHANGES) as u64)))
        .collect::<Vec<_>>()
        .into_iter()
        .cycle();

    let mut table =
        Table::new("100,000 flags: ours, and a clone of a HashMap of them, made and dropped");
    table.compare(
        "one flag changes: applied and published",
        50.0,
        || publish(&mut published, system.receive(changes.next().unwrap_or_default())),
        || drop(black_box(copied.clone())),
    );
    table.finish()
}

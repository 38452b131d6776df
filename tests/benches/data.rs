//! A change of one flag among 100,000, from the bytes on the stream to what readers see, against
//! what copying the data would cost: a clone of a `HashMap<Arc<str>, Arc<Item>>` of that size. It
//! must be at least 50 times faster.
//!
//! Paired: the two take turns. What counts is the median of the ratios.

#![expect(clippy::print_stdout, reason = "a bench tells its figures")]

use std::collections::HashMap;
use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use fdv2_core::model::{Flag, Item};
use fdv2_core::{Command, Snapshot, Update};
use fdv2_tests::streamed::{self, Streamed};
use fdv2_tests::typical;

const FLAGS: usize = 100_000;
const PAIRS: usize = 200;
const LEAST_RATIO: f64 = 50.0;

/// What a driver does with the commands of one change: it publishes, and frees the rest.
fn publish(published: &mut Arc<Snapshot>, commands: impl Iterator<Item = Command>) {
    for command in commands {
        if let Command::Emit(Update::Snapshot(snapshot)) = command {
            *published = snapshot;
        }
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    let result = black_box(work());
    let elapsed = begun.elapsed();
    drop(result);
    elapsed
}

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
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

    let (mut changes, mut clones, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for pair in 0..PAIRS {
        let change = Bytes::from(typical::change(pair * 499 % FLAGS, 2));
        let change = timed(|| publish(&mut published, system.receive(change)));
        let clone = timed(|| copied.clone());
        ratios.push(clone.as_secs_f64() / change.as_secs_f64());
        changes.push(change);
        clones.push(clone);
    }
    let ratio = median(ratios).unwrap_or_default();
    println!("{FLAGS} flags, one changes; medians of {PAIRS} pairs");
    println!("applied and published  {:>10.1?}", median(changes).unwrap_or_default());
    println!("clone of a HashMap     {:>10.1?}", median(clones).unwrap_or_default());
    println!("{ratio:.0} times faster (bound {LEAST_RATIO:.0})");
    if ratio >= LEAST_RATIO { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

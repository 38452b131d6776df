//! Readers wait for nobody (R03).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Selector, SourceUpdate};

use super::feed::running;
use crate::ContextBuilder;

const FLAGS: usize = 20_000;
const READERS: usize = 8;
/// Far more than it takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// All flags off, and each giving `value`.
fn all(value: u64) -> SourceUpdate {
    let mut change_set = ChangeSetBuilder::full();
    for number in 0..FLAGS {
        let object = format!(r#"{{"variations":[{value}],"offVariation":0}}"#);
        change_set.put(Kind::Flag, &format!("f{number}"), value, &object).unwrap();
    }
    let selector = Selector::new(format!("s{value}"), value);
    SourceUpdate::ChangeSet(Box::new(change_set.finish(Some(selector))))
}

/// R03: while 20,000 flags are being replaced, each of 8 threads begins evaluations and ends them.
/// Plain threads, without any runtime.
#[test]
fn r03_evaluations_end_while_a_change_set_is_applied() {
    let (sim, client, feeds) = running(&["feed"]);
    let change_sets = [all(1), all(2)];
    feeds.tell("feed", change_sets[0].clone());
    sim.run();
    let (is_applying, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let during: Vec<_> = (0..READERS).map(|_| AtomicUsize::new(0)).collect();
    let (client, is_applying, is_over) = (&client, &is_applying, &is_over);
    thread::scope(|scope| {
        for during in &during {
            scope.spawn(move || {
                let user = ContextBuilder::new("u").build().unwrap();
                let last = format!("f{}", FLAGS - 1);
                while !is_over.load(Ordering::SeqCst) {
                    let was_applying = is_applying.load(Ordering::SeqCst);
                    let value = client.int_variation(&user, &last, 0);
                    if was_applying && is_applying.load(Ordering::SeqCst) {
                        during.fetch_add(1, Ordering::SeqCst);
                    }
                    assert!(value == 1 || value == 2, "{value}");
                    let snapshot = client.snapshot();
                    let first = snapshot.int_variation(&user, "f0", 0);
                    assert_eq!(first, snapshot.int_variation(&user, &last, 0), "one state");
                }
            });
        }
        let begun = Instant::now();
        let is_done = || during.iter().all(|during| during.load(Ordering::SeqCst) >= 10);
        for change_set in change_sets.iter().rev().cycle() {
            if is_done() || begun.elapsed() > PATIENCE {
                break;
            }
            feeds.tell("feed", change_set.clone());
            is_applying.store(true, Ordering::SeqCst);
            sim.run();
            is_applying.store(false, Ordering::SeqCst);
        }
        is_over.store(true, Ordering::SeqCst);
        assert!(is_done(), "evaluations during changes: {during:?}");
    });
}

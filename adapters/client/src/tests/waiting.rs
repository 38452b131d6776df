//! B 6.4: any number of waits, each of which ends once and with what is true.

use std::sync::Barrier;
use std::time::Duration;

use fdv2_core::SourceUpdate;
use futures::FutureExt;
use futures::executor::block_on;
use futures::future::join_all;

use super::feed::{fed, full, running};
use super::sim::Sim;
use crate::WaitError;

const LONG: Duration = Duration::from_secs(60);

#[test]
fn many_waits_end_together_and_dropping_one_changes_nothing() {
    let (sim, client, feeds) = running(&["a"]);
    let mut waits: Vec<_> =
        (0..100).map(|_| client.wait_for_initialization(LONG).boxed()).collect();
    for wait in &mut waits {
        assert!(wait.now_or_never().is_none());
    }
    waits.truncate(60);
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    for wait in waits {
        assert_eq!(wait.now_or_never(), Some(Ok(())));
    }
}

/// Case I05, as far as it is seen from here: `none` alone is no data.
#[test]
fn a_none_without_data_makes_nobody_ready() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", SourceUpdate::Unchanged);
    sim.run();
    let waited = block_on(client.wait_for_initialization(Duration::from_millis(1)));
    assert!(matches!(waited, Err(WaitError::TimedOut(Some(_)))), "{waited:?}");
    assert!(!client.initialized());
}

/// Case I09, 1,000 rounds.
#[test]
fn waits_that_race_with_data_with_close_and_with_their_limits_all_end() {
    for round in 0..1_000_u64 {
        let sim = Sim::default();
        let (client, feeds) = fed(&sim, &["a"]);
        sim.run();
        let start = Barrier::new(3);
        let limit = |n: u64| if n.is_multiple_of(4) { Duration::from_micros(10 * n) } else { LONG };
        let results = std::thread::scope(|scope| {
            scope.spawn(|| {
                start.wait();
                feeds.tell("a", full(1, &["f1"]));
                while sim.tasks() > 0 {
                    sim.run();
                    std::thread::yield_now();
                }
            });
            scope.spawn(|| {
                start.wait();
                std::thread::sleep(Duration::from_micros(10 * (round % 10)));
                block_on(client.close(LONG));
            });
            start.wait();
            block_on(join_all((0..25).map(|n| client.wait_for_initialization(limit(n)))))
        });
        let is_ready = client.initialized();
        for result in results {
            match result {
                Ok(()) => assert!(is_ready),
                Err(WaitError::Closed(_)) => assert!(!is_ready),
                Err(WaitError::TimedOut(_)) => {}
                Err(WaitError::Failed(error)) => panic!("failed: {error:?}"),
            }
        }
    }
}

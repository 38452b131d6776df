//! Evaluation from memory while the store is down, against the same while it is up: the same
//! client, in turns. It may take at most 1.05 times the processor time.

use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

use fdv2_client::config::{Custom, StoreMode};
use fdv2_client::store::{Record, Store};
use fdv2_client::{Client, Config, Context};
use fdv2_core::model::Flag;
use fdv2_tests::feed::Feed;
use fdv2_tests::frail_store::FrailStore;
use fdv2_tests::measure::thread_nanos;
use fdv2_tests::store_conformance::{Contents, record};
use fdv2_tests::typical;

/// Few, since each needs the one before it.
const FLAGS: usize = 8;
const EVALUATIONS: usize = 20_000;
const PAIRS: usize = 41;
const LARGEST_RATIO: f64 = 1.05;
const PATIENCE: Duration = Duration::from_secs(60);

/// Prints a row, and says whether the bound is kept.
pub(crate) fn compare() -> bool {
    let mut outage = Outage::start();
    outage.evaluate();
    let pairs: Vec<_> = (0..PAIRS)
        .map(|_| {
            outage.begin();
            let down = outage.evaluate();
            outage.end();
            (down, outage.evaluate())
        })
        .collect();
    let ratio = crate::median(pairs.iter().map(|(down, up)| down / up));
    println!(
        "{:<20} {:>8.1} ns   while up {:>7.1} ns   ratio {ratio:.3} (bound {LARGEST_RATIO})",
        "evaluation, down",
        crate::median(pairs.iter().map(|(down, _)| *down)),
        crate::median(pairs.iter().map(|(_, up)| *up)),
    );
    ratio <= LARGEST_RATIO
}

struct Outage {
    client: Client,
    feed: Feed,
    store: FrailStore,
    context: Context,
    version: u64,
}

impl Outage {
    fn start() -> Self {
        let (feed, source) = Feed::new();
        let store = FrailStore::default();
        let config = Config::custom("sdk-key")
            .synchronizer(Custom::new("feed"))
            .store(StoreMode::ReadWrite)
            .adjust_timing(|timing| timing.store_probe = Duration::from_millis(20))
            .build();
        let client = fdv2_smol::ClientBuilder::new(config.expect("a legal configuration"))
            .custom_source("feed", source)
            .store(Store::new(store.clone()))
            .start()
            .expect("it can be started");
        let flags: Vec<_> = (0..FLAGS).map(|number| flag(number, 1)).collect();
        feed.full(&flags);
        let context = fdv2_client::ContextBuilder::new("user").build().expect("a good context");
        let mut outage = Self { client, feed, store, context, version: 1 };
        outage.end();
        outage
    }

    /// The store goes down, and a write fails.
    fn begin(&mut self) {
        self.store.goes_down(false);
        self.version += 1;
        self.feed.change(&[flag(0, self.version)]);
        let key = typical::key(0);
        eventually(|| {
            self.client.snapshot().flag(&key).is_some_and(|flag| flag.version() == self.version)
        });
    }

    /// The store is up, and has caught up with memory.
    fn end(&mut self) {
        self.store.comes_up();
        let key = typical::key(0);
        eventually(|| {
            let held = Contents::read(&self.store).expect("it is up");
            held.version(&key) == Some(self.version)
        });
    }

    /// Nanoseconds for one evaluation.
    fn evaluate(&self) -> f64 {
        let keys: Vec<String> = (0..FLAGS).map(typical::key).collect();
        let began = thread_nanos();
        for key in keys.iter().cycle().take(EVALUATIONS) {
            black_box(self.client.bool_variation(&self.context, key, false));
        }
        (thread_nanos() - began) / EVALUATIONS as f64
    }
}

fn flag(number: usize, version: u64) -> Record {
    record::<Flag>(&typical::key(number), &typical::flag(number, version))
}

fn eventually(mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < PATIENCE, "it never happened");
        thread::sleep(Duration::from_millis(2));
    }
}

//! Readers beside readers (case R03): what an evaluation costs while other threads evaluate with the
//! same client, beside what it costs while they do so with another one. The load on the machine is
//! the same on both sides, so the difference is what sharing costs.

#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fdv2_client::config::Custom;
use fdv2_client::core::model::Flag;
use fdv2_client::{Client, Config, Context, ContextBuilder};
use fdv2_tests::feed::Feed;
use fdv2_tests::measure::Table;
use fdv2_tests::runtimes::eventually;
use fdv2_tests::store_conformance::record;

/// How many threads evaluate beside the one that is measured.
const RIVALS: usize = 7;

/// The smol runtime's client of one flag.
fn client() -> (Client, Feed) {
    let (feed, source) = Feed::new();
    let config = Config::custom("sdk-key").synchronizer(Custom::new("feed")).build().unwrap();
    let client = fdv2_smol::ClientBuilder::new(config).custom_source("feed", source).start();
    let client = client.unwrap();
    feed.full(&[record::<Flag>("f", r#"{"variations":[true],"offVariation":0,"version":1}"#)]);
    smol::block_on(eventually("data", || client.initialized()));
    (client, feed)
}

fn evaluate(client: &Client, user: &Context) {
    black_box(client.bool_variation(user, "f", false));
}

fn main() -> ExitCode {
    let ((shared, _feed), (own, _other_feed)) = (client(), client());
    let user = ContextBuilder::new("u").build().unwrap();
    let is_over = AtomicBool::new(false);
    let mut table = Table::new("One client for all threads, beside one for a thread alone");
    thread::scope(|scope| {
        for _ in 0..RIVALS {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    evaluate(&shared, &user);
                }
            });
        }
        table.compare(
            "an evaluation while 7 threads evaluate",
            0.5,
            || evaluate(&shared, &user),
            || evaluate(&own, &user),
        );
        is_over.store(true, Ordering::Relaxed);
    });
    table.finish()
}

//! Cases F08, F11, D10, D12 and D14: what stores do wrong shows, and does no harm.

use std::iter;
use std::time::Duration;

use fdv2_core::SourceUpdate;
use fdv2_core::config::StoreMode;
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use futures::channel::mpsc::UnboundedSender;
use futures::executor::block_on;
use futures::{FutureExt, StreamExt};

use super::reading::{Tables, data, fed, through, until, until_data, user};
use super::sim::Sim;
use crate::core::eval::{ErrorKind, FlagDetailConfig};
use crate::store::Store;
use crate::{CacheMode, Client, FlagChange, Parts};

/// A change set in which flag `f` gives `number`.
fn gives(mut change_set: ChangeSetBuilder, number: u64) -> SourceUpdate {
    let text = format!(r#"{{"version":{number},"variations":[{number}],"offVariation":0}}"#);
    change_set.put(Kind::Flag, "f", number, &text).unwrap();
    data(change_set)
}

fn tell(sim: &Sim, source: &UnboundedSender<SourceUpdate>, update: SourceUpdate) {
    source.unbounded_send(update).unwrap();
    sim.run();
}

/// F08: a read that fails while an update comes in shows as the store's status; the update is there,
/// whoever listens is told, and so it goes on.
#[test]
fn f08_a_store_that_fails_during_an_update_spoils_neither_it_nor_the_next() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.initialize();
    tables.set_down(true);
    let (client, source) = until_data(&sim, &tables);
    let mut changes = client.flag_changes();
    let mut statuses = client.store_status_stream();
    let user = user();
    assert_eq!(through(&client, "f"), -1);
    until(&sim, || !client.store_status().is_available);
    for number in 1..3 {
        tell(&sim, &source, gives(ChangeSetBuilder::full(), number));
    }
    tables.set_down(false);
    sim.advance(Duration::from_millis(500));
    until(&sim, || client.store_status().is_available);
    let told: Vec<_> = iter::from_fn(|| statuses.next().now_or_never().flatten()).collect();
    let told: Vec<_> = told.iter().map(|status| status.is_available).collect();
    assert_eq!(told, [true, false, true]);
    for number in 3..5 {
        tell(&sim, &source, gives(ChangeSetBuilder::changes(), number));
        assert_eq!(client.int_variation(&user, "f", -1), i64::try_from(number).unwrap());
    }
    for _ in 1..5 {
        let told = changes.next().now_or_never().flatten();
        assert_eq!(told, Some(FlagChange::Changed("f".into())));
    }
}

/// D10: a refused full write and a refused upsert each make the store unavailable, once an outage
/// and not once a write, in words that hold no more than the store said.
#[test]
fn d10_a_write_that_fails_is_told_of_once_an_outage() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let (client, source) = fed(&sim, Store::new(tables.clone()), StoreMode::ReadWrite);
    let mut statuses = client.store_status_stream();
    assert!(statuses.next().now_or_never().flatten().is_some());
    let mut outage = |begin: SourceUpdate, more: [SourceUpdate; 2]| {
        tables.set_down(true);
        tell(&sim, &source, begin);
        until(&sim, || !client.store_status().is_available);
        more.into_iter().for_each(|update| tell(&sim, &source, update));
        let calls = tables.calls();
        sim.advance(Duration::from_millis(500));
        until(&sim, || tables.calls() > calls);
        tables.set_down(false);
        sim.advance(Duration::from_millis(500));
        until(&sim, || client.store_status().is_available);
        let told: Vec<_> = iter::from_fn(|| statuses.next().now_or_never().flatten()).collect();
        let told: Vec<_> = told.iter().map(|status| status.is_available).collect();
        assert_eq!(told, [false, true]);
    };
    let change = |number| gives(ChangeSetBuilder::changes(), number);
    outage(gives(ChangeSetBuilder::full(), 1), [change(2), change(3)]);
    outage(change(4), [change(5), change(6)]);
    assert!(tables.holds("f", "6"), "nothing is lost");
}

/// D12: a cache that expires between two updates leaves no gap: memory counts, and before that an
/// entry that has expired is served until its successor is there.
#[test]
fn d12_no_flag_is_missing_between_the_end_of_a_cache_and_the_next_update() {
    const BRIEF: Duration = Duration::from_millis(50);
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    tables.initialize();
    let client = super::reading::waiting(&sim, &tables, CacheMode::Ttl(BRIEF));
    assert_eq!(through(&client, "f"), 1);
    tables.set_down(true);
    for _ in 0..100 {
        sim.advance(BRIEF);
        assert_eq!(client.int_variation(&user(), "f", -1), 1, "the synchronous form");
        assert_eq!(through(&client, "f"), 1, "the asynchronous form");
        let all = FlagDetailConfig::new();
        let asked = block_on(client.through_store().all_flags_detail(&user(), all));
        assert_eq!(asked.flags(), client.all_flags_detail(&user(), all).flags(), "all at once");
    }

    let (sim, tables) = (Sim::default(), Tables::default());
    let (client, source) = until_data(&sim, &tables);
    tell(&sim, &source, gives(ChangeSetBuilder::full(), 1));
    for _ in 0..200 {
        sim.advance(BRIEF);
        let detail = client.variation_detail(&user(), "f");
        assert_eq!(detail.reason.error(), None::<ErrorKind>);
    }
}

/// D14: a store of the required methods alone takes full, partial and empty change sets; one that is
/// read only gets no write.
#[test]
fn d14_a_store_needs_no_more_than_the_required_methods() {
    for (mode, is_written) in [(StoreMode::ReadWrite, true), (StoreMode::ReadOnly, false)] {
        let (sim, tables) = (Sim::default(), Tables::default());
        let (client, source) = fed(&sim, Store::new(tables.clone()), mode);
        tell(&sim, &source, gives(ChangeSetBuilder::full(), 1));
        tell(&sim, &source, gives(ChangeSetBuilder::changes(), 2));
        tell(&sim, &source, SourceUpdate::Unchanged);
        until(&sim, || tables.holds("f", "2") == is_written);
        assert_eq!(client.int_variation(&user(), "f", -1), 2);
        assert!(client.store_status().is_available);
        assert!(is_written || tables.calls() == 0, "nothing is written, and nothing read in vain");
    }
}

/// F11: what has ended keeps saying so, and nothing runs any more.
#[test]
fn f11_an_end_is_told_again_and_again_and_costs_nothing() {
    let sim = Sim::default();
    let parts = Parts::new().custom_source("c", |_| futures::stream::empty().boxed());
    let config = fdv2_core::Config::custom("k")
        .synchronizer(fdv2_core::config::Custom::new("c"))
        .build()
        .unwrap();
    let client = Client::start_with(config, sim.clone(), super::Silence, parts).unwrap();
    let (mut statuses, mut changes) = (client.status_stream(), client.flag_changes());
    sim.run();
    while statuses.next().now_or_never().flatten().is_some() {}
    assert_eq!(sim.next_sleep(), None, "nothing is waited for");
    assert!(!sim.step(), "nothing runs");
    block_on(async {
        let close = client.close(Duration::from_secs(1));
        futures::pin_mut!(close);
        assert!(close.as_mut().now_or_never().is_none());
        sim.run();
        close.await;
    });
    for _ in 0..3 {
        assert_eq!(statuses.next().now_or_never(), Some(None));
        assert_eq!(changes.next().now_or_never(), Some(None));
    }
    assert_eq!(sim.tasks(), 0);
}

//! B 1.1 to 1.9, 1.14, 1.15 and 7.1: any course of transfers, against the naive model.

mod naive;
mod script;

use std::collections::BTreeSet;
use std::sync::Arc;

use fdv2_core::model::{Item, Kind};
use fdv2_core::protocol::{InvalidData, Step, Transfer, event};
use fdv2_core::snapshot::{self, Slot};
use fdv2_core::{Limits, Selector, Snapshot};
use fdv2_tests::{made_up, ran};
use naive::{Held, Naive, Outcome, Place};
use proptest::prelude::*;
use script::{Event, Id};

/// The core's transfers, connection after connection.
struct Client {
    transfer: Transfer,
    held: Arc<Snapshot>,
}

impl Client {
    fn new() -> Self {
        let held = Arc::<Snapshot>::default();
        Self { transfer: Transfer::new(false, Limits::default(), true), held }
    }

    fn connect(&mut self) {
        self.transfer = Transfer::new(self.held.selector().is_some(), Limits::default(), true);
    }

    fn on(&mut self, event: &Event) -> Outcome {
        let (name, data) = event.wire();
        match self.step(name, &data) {
            Err(_) => Outcome::Invalid,
            Ok(Step::Ignored(_)) => Outcome::Nothing,
            Ok(Step::Collected) => Outcome::Collected,
            Ok(Step::Opened { .. }) => Outcome::Opened,
            Ok(Step::Unchanged { .. }) => Outcome::Unchanged,
            Ok(Step::Aborted { .. }) => Outcome::Aborted,
            Ok(Step::Goodbye { .. }) => Outcome::Goodbye,
            Ok(Step::Completed(commit)) => {
                assert_eq!(commit.snapshot.revision(), self.held.revision() + 1);
                self.held = commit.snapshot;
                let keys = commit.changes.map(|changes| changes.keys().to_vec());
                let keys = keys.unwrap_or_default();
                assert!(keys.is_sorted());
                Outcome::Completed(keys.iter().map(|key| key.to_string()).collect())
            }
        }
    }

    fn step(&mut self, name: &str, data: &str) -> Result<Step, InvalidData> {
        let event = event::decode(name, data, &Limits::default())?;
        self.transfer.on_event(&self.held, event)
    }
}

/// B 1.2: after each event readers see what the model says, and nothing else.
fn assert_same(held: &Snapshot, naive: &Naive) {
    let expected_held = match naive.held {
        Held::Nothing => snapshot::Held::Nothing,
        Held::Salvaged => snapshot::Held::Salvaged,
        Held::Whole => snapshot::Held::Whole,
    };
    assert_eq!(held.held(), expected_held);
    assert_eq!(held.selector().map(Selector::state), naive.selector.as_deref());
    assert_eq!(held.objects(), naive.places.len());
    let mut text_bytes = 0;
    for (id, place) in &naive.places {
        text_bytes += match place {
            Place::Live(content) => {
                let (version, text) = live(held, id).expect("a live item");
                assert_eq!((version, &*text), (content.version, &*content.text(id)));
                text.len()
            }
            Place::Tombstone(version) => {
                assert_eq!(live(held, id), None);
                assert_eq!(tombstone(held, id), Some(*version));
                id.key.len()
            }
        };
    }
    assert_eq!(held.text_bytes(), text_bytes);
}

fn live(held: &Snapshot, id: &Id) -> Option<(u64, Arc<str>)> {
    fn facts<T>(item: &Arc<Item<T>>) -> (u64, Arc<str>) {
        (item.version(), item.text().clone())
    }
    match id.is_flag {
        true => held.flag(&id.key).map(facts),
        false => held.segment(&id.key).map(facts),
    }
}

fn tombstone(held: &Snapshot, id: &Id) -> Option<u64> {
    fn version<T>(slot: &Slot<T>) -> Option<u64> {
        matches!(slot, Slot::Tombstone { .. }).then(|| slot.version())
    }
    match id.is_flag {
        true => held.flag_slots().look_up(&id.key).and_then(version),
        false => held.segment_slots().look_up(&id.key).and_then(version),
    }
}

proptest! {
    #![proptest_config(made_up::cases(300))]

    #[test]
    fn any_course_of_transfers_is_that_of_the_naive_model(script in script::script()) {
        ran::case();
        let (mut client, mut naive) = (Client::new(), Naive::new());
        for event in &script {
            let before = client.held.clone();
            let outcome = client.on(event);
            prop_assert_eq!(&outcome, &naive.on(event), "{:?}", event);
            if !matches!(outcome, Outcome::Completed(_)) {
                prop_assert_eq!(&before, &client.held);
            }
            assert_same(&client.held, &naive);
            if matches!(outcome, Outcome::Invalid | Outcome::Goodbye) {
                client.connect();
                naive.connect();
            }
            prop_assert_eq!(client.transfer.is_open(), naive.is_open());
        }
    }

    /// What a custom source hands in means the same as a transfer on the wire (B 3.12).
    #[test]
    fn a_full_change_set_means_the_same_as_a_full_transfer(script in script::script()) {
        ran::case();
        let mut client = Client::new();
        client.on(&Event::Full);
        let mut builder = snapshot::ChangeSetBuilder::full();
        for event in &script {
            let kind = |id: &Id| if id.is_flag { Kind::Flag } else { Kind::Segment };
            match event {
                Event::Put(id, content) => {
                    builder.put(kind(id), &id.key, content.version, &content.text(id)).unwrap();
                }
                Event::Delete(id, version) => {
                    builder.delete(kind(id), &id.key, *version).unwrap();
                }
                _ => continue,
            }
            client.on(event);
        }
        let announced = client.on(&Event::Transferred("s".to_owned()));
        let change_set = builder.finish(Some(Selector::new("s", 1)));
        let limits = Limits::default();
        let commit = Snapshot::apply(&Arc::default(), change_set, &limits).unwrap();
        prop_assert_eq!(&commit.snapshot, &client.held);
        let keys = commit.changes.map(|changes| changes.keys().to_vec()).unwrap_or_default();
        let keys: BTreeSet<String> = keys.iter().map(|key| key.to_string()).collect();
        prop_assert_eq!(Outcome::Completed(keys), announced);
    }
}

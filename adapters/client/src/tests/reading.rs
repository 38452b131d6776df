//! Reading through the persistent store (B 9.1 to 9.3, 9.9, 9.10), with a store in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use fdv2_core::config::{Custom, StoreMode};
use fdv2_core::eval::{ErrorKind, FlagDetailConfig};
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Config, SourceUpdate};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::executor::block_on;
use futures::stream;
use futures::{FutureExt, StreamExt};

use super::Silence;
use super::sim::Sim;
use crate::store::{PersistentStore, Record, Store, StoreError, Upserted};
use crate::{Availability, CacheMode, Client, Context, ContextBuilder, Parts};

/// A store whose content tests set, that counts its calls, and can be down or hang.
#[derive(Clone, Default)]
pub(super) struct Tables(Arc<Inner>);

#[derive(Default)]
struct Inner {
    texts: Mutex<BTreeMap<(Kind, String), String>>,
    is_initialized: AtomicBool,
    is_down: AtomicBool,
    is_hanging: AtomicBool,
    calls: AtomicUsize,
}

impl Tables {
    /// A flag that is off and gives `value`.
    pub(super) fn flag(&self, key: &str, value: &str) {
        let text = format!(r#"{{"key":"{key}","variations":[{value}],"offVariation":0}}"#);
        self.0.texts.lock().unwrap().insert((Kind::Flag, key.to_owned()), text);
    }

    pub(super) fn text(&self, kind: Kind, key: &str, text: &str) {
        self.0.texts.lock().unwrap().insert((kind, key.to_owned()), text.to_owned());
    }

    /// Whether the record of flag `key` gives `value`.
    pub(super) fn holds(&self, key: &str, value: &str) -> bool {
        let texts = self.0.texts.lock().unwrap();
        let text = texts.get(&(Kind::Flag, key.to_owned()));
        text.is_some_and(|text| text.contains(&format!("[{value}]")))
    }

    pub(super) fn calls(&self) -> usize {
        self.0.calls.load(Ordering::SeqCst)
    }

    pub(super) fn set_down(&self, is_down: bool) {
        self.0.is_down.store(is_down, Ordering::SeqCst);
    }

    pub(super) fn set_hanging(&self, is_hanging: bool) {
        self.0.is_hanging.store(is_hanging, Ordering::SeqCst);
    }

    pub(super) fn initialize(&self) {
        self.0.is_initialized.store(true, Ordering::SeqCst);
    }

    fn call(&self) -> Result<(), StoreError> {
        self.0.calls.fetch_add(1, Ordering::SeqCst);
        while self.0.is_hanging.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        if self.0.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::new("down"));
        }
        Ok(())
    }
}

impl PersistentStore for Tables {
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        self.call()?;
        for ((of, key), text) in &*self.0.texts.lock().unwrap() {
            if *of == kind {
                found(key.as_bytes(), text.as_bytes());
            }
        }
        Ok(())
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.call()?;
        let texts = self.0.texts.lock().unwrap();
        Ok(texts.get(&(kind, key.to_owned())).map(|text| text.clone().into_bytes()))
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        self.call()?;
        Ok(self.0.is_initialized.load(Ordering::SeqCst))
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        self.call()?;
        let mut texts = self.0.texts.lock().unwrap();
        texts.clear();
        for record in records {
            let place = (record.kind(), record.key().to_string());
            texts.insert(place, record.text().to_string());
        }
        self.initialize();
        Ok(())
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        self.call()?;
        self.text(record.kind(), record.key(), record.text());
        Ok(Upserted::Written)
    }
}

pub(super) fn user() -> Context {
    ContextBuilder::new("u").build().unwrap()
}

fn start(sim: &Sim, tables: &Tables, config: Config, mode: CacheMode) -> Client {
    let parts = Parts::new().store(Store::new(tables.clone())).cache(mode);
    let client = Client::start_with(config, sim.clone(), Silence, parts).unwrap();
    sim.run();
    client
}

pub(super) fn daemon(sim: &Sim, tables: &Tables, mode: CacheMode) -> Client {
    start(sim, tables, Config::daemon().build().unwrap(), mode)
}

/// A client whose only source says nothing.
pub(super) fn waiting(sim: &Sim, tables: &Tables, mode: CacheMode) -> Client {
    let config = Config::streaming("k").store(StoreMode::ReadOnly).build().unwrap();
    start(sim, tables, config, mode)
}

/// The flag's number through the store, -1 by default.
pub(super) fn through(client: &Client, key: &str) -> i64 {
    block_on(client.through_store().int_variation(&user(), key, -1))
}

fn error_through(client: &Client, key: &str) -> Option<ErrorKind> {
    block_on(client.through_store().variation_detail(&user(), key)).reason.error()
}

/// Lets threads and tasks run until `is_so`.
#[track_caller]
pub(super) fn until(sim: &Sim, is_so: impl Fn() -> bool) {
    for _ in 0..10_000 {
        sim.run();
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("it never came");
}

pub(super) const TTL: CacheMode = CacheMode::Ttl(Duration::from_secs(10));

/// B 9.3, 6.8: nothing is read before an evaluation asks.
#[test]
fn b_9_3_nothing_is_read_before_somebody_asks() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = daemon(&sim, &tables, TTL);
    sim.advance(Duration::from_secs(3_600));
    assert!(client.initialized());
    assert_eq!(client.availability(), Availability::Cached);
    assert_eq!(tables.calls(), 0);
}

/// B 9.9, 6.7: the asynchronous form of daemon mode never says CLIENT_NOT_READY, marker or not.
#[test]
fn b_9_9_daemon_mode_reads_through_the_store() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = daemon(&sim, &tables, CacheMode::Off);
    assert_eq!(error_through(&client, "f"), Some(ErrorKind::FlagNotFound));
    tables.flag("f", "1");
    assert_eq!(through(&client, "f"), 1);
    tables.flag("f", "2");
    assert_eq!(through(&client, "f"), 2);
}

/// B 9.9: prerequisites and segments are read as the evaluation comes to them.
#[test]
fn b_9_9_what_a_flag_refers_to_is_read_too() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = daemon(&sim, &tables, CacheMode::Off);
    tables.text(
        Kind::Flag,
        "f",
        r#"{"on":true,"variations":[0,1],"offVariation":0,"fallthrough":{"variation":0},
            "prerequisites":[{"key":"p","variation":0}],"rules":[{"variation":1,"clauses":[
            {"op":"segmentMatch","attribute":"","values":["gone","s"]}]}]}"#,
    );
    tables.text(Kind::Flag, "p", r#"{"on":true,"variations":[0],"fallthrough":{"variation":0}}"#);
    tables.text(Kind::Segment, "s", r#"{"included":["u"]}"#);
    assert_eq!(through(&client, "f"), 1);
}

/// B 9.2, 9.3: with sources the content counts only with its marker; that it is missing is cached.
#[test]
fn b_9_2_with_sources_the_store_counts_only_with_its_marker() {
    let (sim, tables) = (Sim::default(), Tables::default());
    let client = waiting(&sim, &tables, TTL);
    tables.flag("f", "1");
    assert_eq!(error_through(&client, "f"), Some(ErrorKind::ClientNotReady));
    assert_eq!(client.availability(), Availability::Defaults);
    tables.initialize();
    assert_eq!(error_through(&client, "f"), Some(ErrorKind::ClientNotReady));
    sim.set_now(client.now() + Duration::from_secs(10));
    assert_eq!(through(&client, "f"), 1);
    assert_eq!(client.availability(), Availability::Cached);
    assert!(!client.initialized(), "cached data does not make ready (B 6.4)");
}

/// B 9.3.
#[test]
fn b_9_3_a_cache_lives_as_long_as_its_mode_says() {
    for (mode, after_nine, after_ten) in [(TTL, 1, 2), (CacheMode::Infinite, 1, 1)] {
        let (sim, tables) = (Sim::default(), Tables::default());
        let client = daemon(&sim, &tables, mode);
        tables.flag("f", "1");
        assert_eq!(through(&client, "f"), 1);
        tables.flag("f", "2");
        sim.set_now(client.now() + Duration::from_secs(9));
        assert_eq!(through(&client, "f"), after_nine);
        sim.set_now(client.now() + Duration::from_secs(1));
        assert_eq!(through(&client, "f"), after_ten);
    }
}

/// B 9.9: the synchronous form never waits; what it lacks is loaded behind it.
#[test]
fn b_9_9_the_synchronous_form_loads_what_it_lacks_behind_it() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    let client = daemon(&sim, &tables, TTL);
    let detail = client.int_variation_detail(&user(), "f", -1);
    assert_eq!((detail.value, detail.reason.error()), (-1, Some(ErrorKind::ClientNotReady)));
    until(&sim, || client.int_variation(&user(), "f", -1) == 1);
    tables.flag("f", "2");
    sim.set_now(client.now() + Duration::from_secs(3_600));
    assert_eq!(client.int_variation(&user(), "f", -1), 1, "even expired");
}

/// B 9.9, M12: all flags through the store, and the whole store ahead of time.
#[test]
fn b_9_9_all_flags_are_read_and_a_warm_up_reads_everything() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("a", "1");
    tables.flag("b", "2");
    tables.text(Kind::Flag, "c", r#"{"deleted":true,"version":3}"#);
    let client = daemon(&sim, &tables, TTL);
    assert!(!client.all_flags_detail(&user(), FlagDetailConfig::new()).is_valid());
    let all = client.through_store();
    let all = block_on(all.all_flags_detail(&user(), FlagDetailConfig::new()));
    let keys: Vec<_> = all.flags().iter().map(|flag| flag.key().to_owned()).collect();
    assert!(all.is_valid());
    assert_eq!(keys, ["a", "b"]);

    let warm = daemon(&sim, &tables, TTL);
    block_on(warm.through_store().warm_up()).unwrap();
    let calls = tables.calls();
    assert_eq!(warm.int_variation(&user(), "b", -1), 2);
    assert!(warm.all_flags_detail(&user(), FlagDetailConfig::new()).is_valid());
    assert_eq!(error_through(&warm, "gone"), Some(ErrorKind::FlagNotFound));
    assert_eq!(tables.calls(), calls, "everything is at hand");
}

/// B 9.10: a failed read makes the store unavailable; expired entries are served until a probe is
/// answered.
#[test]
fn b_9_10_an_outage_serves_what_is_at_hand_and_ends_with_a_probe() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    let client = daemon(&sim, &tables, TTL);
    assert_eq!(through(&client, "f"), 1);
    tables.set_down(true);
    sim.set_now(client.now() + Duration::from_secs(10));
    assert_eq!(through(&client, "f"), 1);
    until(&sim, || !client.store_status().is_available);
    assert_eq!(error_through(&client, "g"), Some(ErrorKind::Exception));
    let all = client.through_store();
    assert!(!block_on(all.all_flags_detail(&user(), FlagDetailConfig::new())).is_valid());
    let calls = tables.calls();
    assert_eq!(through(&client, "f"), 1);
    assert_eq!(tables.calls(), calls, "a store that is down is asked by probes alone");
    tables.set_down(false);
    tables.flag("f", "2");
    sim.advance(Duration::from_millis(500));
    until(&sim, || client.store_status().is_available);
    assert_eq!(through(&client, "f"), 2);
}

/// A client with a store that counts, and the way to bring its first data.
pub(super) fn until_data(sim: &Sim, tables: &Tables) -> (Client, UnboundedSender<SourceUpdate>) {
    fed(sim, Store::new(tables.clone()), StoreMode::ReadOnly)
}

/// A client with this store behind it, and what its source has to say.
pub(super) fn fed(
    sim: &Sim,
    store: Store,
    mode: StoreMode,
) -> (Client, UnboundedSender<SourceUpdate>) {
    let (sender, receiver) = unbounded();
    let receiver = Mutex::new(Some(receiver));
    let source = move |_| match receiver.lock().unwrap().take() {
        Some(receiver) => receiver.boxed(),
        None => stream::pending().boxed(),
    };
    let config = Config::custom("k").synchronizer(Custom::new("c")).store(mode);
    let parts = Parts::new().store(store).custom_source("c", source);
    let client = Client::start_with(config.build().unwrap(), sim.clone(), Silence, parts).unwrap();
    sim.run();
    (client, sender)
}

pub(super) fn data(change_set: ChangeSetBuilder) -> SourceUpdate {
    SourceUpdate::ChangeSet(Box::new(change_set.finish(None)))
}

/// B 9.1, 9.3: with the first data memory takes over, and the store is not read again.
#[test]
fn b_9_1_memory_takes_over_with_the_first_data() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    tables.initialize();
    let (client, sender) = until_data(&sim, &tables);
    assert_eq!(through(&client, "f"), 1);
    let mut change_set = ChangeSetBuilder::full();
    change_set.put(Kind::Flag, "f", 1, r#"{"variations":[9],"offVariation":0}"#).unwrap();
    sender.unbounded_send(data(change_set)).unwrap();
    sim.run();
    let calls = tables.calls();
    assert_eq!(through(&client, "f"), 9);
    assert_eq!(client.int_variation(&user(), "f", -1), 9);
    assert_eq!(error_through(&client, "g"), Some(ErrorKind::FlagNotFound));
    assert_eq!(tables.calls(), calls);
}

/// B 7.4: who listens to a value is told how it differs from the store's, even of no data at all.
#[test]
fn b_7_4_a_value_is_looked_at_again_when_memory_takes_over() {
    let mut other_flag = ChangeSetBuilder::full();
    other_flag.put(Kind::Flag, "g", 1, "{}").unwrap();
    for first in [other_flag, ChangeSetBuilder::full()] {
        let (sim, tables) = (Sim::default(), Tables::default());
        tables.flag("f", "1");
        tables.initialize();
        let (client, sender) = until_data(&sim, &tables);
        assert_eq!(through(&client, "f"), 1);
        let mut changes = client.value_changes("f", user(), (-1).into());
        assert_eq!(*changes.value(), 1);
        sender.unbounded_send(data(first)).unwrap();
        sim.run();
        let change = changes.next().now_or_never().flatten().unwrap();
        assert_eq!((change.old, change.new), (1.into(), (-1).into()));
        assert!(changes.next().now_or_never().is_none());
    }
}

/// B 10.2: after closing the store is not called any more.
#[test]
fn b_10_2_after_closing_no_read_begins() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    tables.flag("g", "1");
    let client = daemon(&sim, &tables, TTL);
    assert_eq!(through(&client, "f"), 1);
    let closing = client.close(Duration::from_secs(2));
    let closing = thread::spawn(move || block_on(closing));
    until(&sim, || closing.is_finished());
    let calls = tables.calls();
    assert_eq!(through(&client, "f"), 1, "what was read stays readable");
    assert_eq!(through(&client, "g"), -1);
    assert_eq!(client.int_variation(&user(), "g", -1), -1);
    assert_eq!(tables.calls(), calls);
}

/// B 9.7: one bad record loses only itself, and says so.
#[test]
fn b_9_7_a_record_that_cannot_be_read_says_so_and_spoils_no_other() {
    let (sim, tables) = (Sim::default(), Tables::default());
    tables.flag("f", "1");
    tables.text(Kind::Flag, "bad", "[]");
    let client = daemon(&sim, &tables, CacheMode::Off);
    assert_eq!(through(&client, "f"), 1);
    assert_eq!(error_through(&client, "bad"), Some(ErrorKind::FlagNotFound));
    until(&sim, || client.store_status().unreadable.is_some());
    let status = client.store_status();
    assert!(status.is_available && status.unreadable.unwrap().contains("bad"));
}

//! B 6.3 and 7: who listens is told in order, after the fact, and stops nobody.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use fdv2_core::effect::{SourceId, SwitchReason};
use fdv2_core::status::{Availability, SourceState};
use fdv2_core::{Config, Oddity, SourceUpdate};
use futures::executor::block_on;
use futures::{FutureExt, StreamExt, stream};

use super::feed::{changes, failed_finally, fed, full, running, version};
use super::scripted::{Script, chunk, event_stream};
use super::sim::Sim;
use super::start_with;
use crate::{Client, CustomSources, FlagChange, FlagChanges, Warning};

const PATIENCE: Duration = Duration::from_secs(60);

fn read_all(listener: &mut FlagChanges) -> Vec<FlagChange> {
    std::iter::from_fn(|| listener.next().now_or_never().flatten()).collect()
}

fn changed(keys: &[&str]) -> Vec<FlagChange> {
    keys.iter().map(|key| FlagChange::Changed((*key).into())).collect()
}

/// B 7.4, 7.1.
#[test]
fn the_first_data_announces_every_flag_and_later_data_what_changed() {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, &["a"]);
    let mut listener = client.flag_changes();
    sim.run();
    feeds.tell("a", full(1, &["f2", "f1", "f3"]));
    sim.run();
    assert_eq!(read_all(&mut listener), changed(&["f1", "f2", "f3"]));
    feeds.tell("a", changes(2, &["f2"]));
    feeds.tell("a", changes(2, &["f2"]));
    sim.run();
    assert_eq!(read_all(&mut listener), changed(&["f2"]));
}

/// Listens from the moment on at which it is woken.
struct Latecomer {
    client: Client,
    listener: Mutex<Option<FlagChanges>>,
}

impl Wake for Latecomer {
    fn wake(self: Arc<Self>) {
        self.listener.lock().unwrap().get_or_insert_with(|| self.client.flag_changes());
    }
}

/// B 7.4, C 2.11.
#[test]
fn whoever_listens_once_ready_is_not_told_of_what_made_it_ready() {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, &["a"]);
    let latecomer = Arc::new(Latecomer { client: client.clone(), listener: Mutex::default() });
    let waker = Waker::from(Arc::clone(&latecomer));
    let mut wait = Box::pin(client.wait_for_initialization(PATIENCE));
    assert!(wait.poll_unpin(&mut Context::from_waker(&waker)).is_pending());
    sim.run();
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    let mut listener = latecomer.listener.lock().unwrap().take().expect("it was woken");
    assert_eq!(read_all(&mut listener), []);
    feeds.tell("a", changes(2, &["f1"]));
    sim.run();
    assert_eq!(read_all(&mut listener), changed(&["f1"]));
}

/// What a listener can read at the moment it is woken.
struct Reader {
    client: Client,
    seen: Mutex<Vec<Seen>>,
}

#[derive(Debug, PartialEq)]
struct Seen {
    version: u64,
    state: SourceState,
    is_ready: bool,
    environment_id: Option<Arc<str>>,
}

impl Wake for Reader {
    fn wake(self: Arc<Self>) {
        let client = &self.client;
        let seen = Seen {
            version: version(client, "f1"),
            state: client.status().state,
            is_ready: client.initialized(),
            environment_id: client.environment_id(),
        };
        self.seen.lock().unwrap().push(seen);
    }
}

/// B 6.3, case L02: who is woken can read at least what he is told of.
#[test]
fn data_comes_before_the_notice() {
    let (sim, client, feeds) = running(&["a"]);
    let mut listener = client.flag_changes();
    for toggle in 1..=1_000 {
        let reader = Arc::new(Reader { client: client.clone(), seen: Mutex::default() });
        let waker = Waker::from(Arc::clone(&reader));
        assert!(listener.poll_next_unpin(&mut Context::from_waker(&waker)).is_pending());
        feeds.tell("a", SourceUpdate::EnvironmentId("env".into()));
        feeds.tell("a", full(toggle, &["f1"]));
        sim.run();
        let expected = Seen {
            version: toggle,
            state: SourceState::Valid,
            is_ready: true,
            environment_id: Some("env".into()),
        };
        assert_eq!(*reader.seen.lock().unwrap(), [expected]);
        assert_eq!(read_all(&mut listener), changed(&["f1"]));
    }
}

/// B 7.3, case L06.
#[test]
fn a_listener_that_does_not_keep_up_is_told_and_stops_nobody() {
    let (sim, client, feeds) = running(&["a"]);
    let mut slow = client.flag_changes();
    let mut quick = client.flag_changes();
    for update in 1..=5_000 {
        feeds.tell("a", full(update, &["f1"]));
        sim.run();
        assert_eq!(read_all(&mut quick), changed(&["f1"]));
    }
    let read = read_all(&mut slow);
    assert_eq!(read.first(), Some(&FlagChange::Lagged(5_000 - 64)));
    assert_eq!(read.len(), 65);
    assert_eq!(version(&client, "f1"), 5_000);
}

/// Case L03.
#[test]
fn listeners_come_and_go_while_data_flows() {
    let (sim, client, feeds) = running(&["a"]);
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    let mut listener = client.flag_changes();
                    let statuses = client.status_stream();
                    drop(listener.next().now_or_never());
                    drop((listener, statuses));
                }
            });
        }
        for update in 1..=2_000 {
            feeds.tell("a", full(update, &["f1"]));
            sim.run();
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert_eq!(version(&client, "f1"), 2_000);
}

/// B 3.8, case F09.
#[test]
fn the_status_stream_begins_with_the_present_status_and_ends_after_the_last() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    let statuses = client.status_stream();
    feeds.tell("a", failed_finally());
    sim.run();
    let statuses: Vec<_> = block_on(statuses.collect());
    let states: Vec<_> = statuses.iter().map(|status| status.state).collect();
    assert_eq!(states.first(), Some(&SourceState::Valid));
    assert_eq!(states.last(), Some(&SourceState::Off));
    assert!(statuses.last().unwrap().last_error.is_some());
    let late: Vec<_> = block_on(client.status_stream().collect());
    assert_eq!(late, [client.status()]);
    // Readers keep their data.
    assert_eq!(client.availability(), Availability::Refreshed);
}

#[test]
fn switches_of_source_are_told_with_the_reason() {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, &["a", "b"]);
    let mut switches = client.source_switches();
    sim.run();
    feeds.tell("a", failed_finally());
    sim.run();
    let mut next = || switches.next().now_or_never().flatten().unwrap();
    let (first, second) = (next(), next());
    assert_eq!(first.to, Some(SourceId::Synchronizer(0)));
    assert_eq!(second.to, Some(SourceId::Synchronizer(1)));
    assert_eq!(second.why, SwitchReason::Removed);
    assert!(second.error.is_some());
}

/// B 1.4: warned about once a client, whenever one begins to listen.
#[test]
fn an_oddity_is_warned_about_once() {
    let (sim, script) = (Sim::default(), Script::default());
    let put = "event: put-object\ndata: {\"kind\":\"flag\",\"key\":\"f\",\"version\":1,\"object\":{}}\n\n";
    script.then(stream::iter([event_stream(), chunk(put), chunk(put)]).chain(stream::pending()));
    let config = Config::streaming("sdk-key").build().unwrap();
    let client = start_with(&sim, config, script, CustomSources::new());
    let mut early = client.warnings();
    sim.run();
    let mut late = client.warnings();
    for warnings in [&mut early, &mut late] {
        assert_eq!(
            warnings.next().now_or_never(),
            Some(Some(Warning::Peer(Oddity::ObjectBeforeIntent)))
        );
        assert_eq!(warnings.next().now_or_never(), None);
    }
}

/// Old data goes when its last reader lets it go, and not before.
#[test]
fn old_data_stays_as_long_as_it_is_read() {
    let (sim, client, feeds) = running(&["a"]);
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    let view = client.snapshot();
    let old = Arc::downgrade(&client.load());
    feeds.tell("a", full(2, &["f1"]));
    sim.run();
    assert_eq!(view.core().flag("f1").map(|flag| flag.version()), Some(1));
    assert!(old.upgrade().is_some());
    drop(view);
    while old.upgrade().is_some() {
        std::thread::yield_now();
    }
}

/// B 7.3: a waker of others that panics keeps nobody from being told.
#[test]
fn a_waker_that_panics_stops_nobody() {
    struct Bomb;
    impl Wake for Bomb {
        fn wake(self: Arc<Self>) {
            panic!("a panic that the test wants");
        }
    }
    let (sim, client, feeds) = running(&["a"]);
    let mut bad = client.flag_changes();
    let mut good = client.flag_changes();
    let bomb = Waker::from(Arc::new(Bomb));
    assert!(bad.poll_next_unpin(&mut Context::from_waker(&bomb)).is_pending());
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    assert_eq!(read_all(&mut good), changed(&["f1"]));
    assert!(client.initialized());
}

//! B 7.3, 7.4: callbacks on threads of their own.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use std::{fs, thread};

use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::status::SourceState;
use fdv2_core::{OpenSource, SourceUpdate};
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::executor::block_on;
use futures::{FutureExt, StreamExt};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::feed::{changes, fed, full, running, synchronizers, version};
use super::sim::Sim;
use super::{Silence, start_with};
use crate::{Client, CustomSources, FlagChange, Listener};

const LONG: Duration = Duration::from_secs(60);

/// A listener that passes on what it is told.
fn listen(client: &Client) -> (Listener, Receiver<FlagChange>) {
    let (told, heard) = channel();
    let listener = client.on_flag_change(move |change| drop(told.send(change))).unwrap();
    (listener, heard)
}

#[track_caller]
fn assert_told(heard: &Receiver<FlagChange>, keys: &[&str]) {
    for key in keys {
        assert_eq!(heard.recv_timeout(LONG), Ok(FlagChange::Changed((*key).into())));
    }
}

/// That the listener's thread has ended, without telling anything more.
#[track_caller]
fn assert_over<T: PartialEq + std::fmt::Debug>(heard: &Receiver<T>) {
    assert_eq!(heard.recv_timeout(LONG), Err(RecvTimeoutError::Disconnected));
}

/// Waits for what other threads do.
#[track_caller]
fn until(is_so: impl Fn() -> bool) {
    for _ in 0..60_000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("it has not come to be so");
}

/// B 7.4, 7.1.
#[test]
fn the_first_data_calls_back_for_every_flag_and_identical_data_for_none() {
    let sim = Sim::default();
    let (client, feeds) = fed(&sim, &["a"]);
    let (_listener, heard) = listen(&client);
    sim.run();
    feeds.tell("a", full(1, &["f2", "f1"]));
    feeds.tell("a", full(1, &["f1", "f2"]));
    feeds.tell("a", changes(2, &["f2"]));
    sim.run();
    assert_told(&heard, &["f1", "f2", "f2"]);
    assert!(heard.try_recv().is_err());
}

/// B 6.3, case L02: what a callback reads is at least what it is told of, and of one change set.
#[test]
fn a_callback_reads_at_least_what_it_is_told_of() {
    let (sim, client, feeds) = running(&["a"]);
    let (told, heard) = channel();
    let reader = client.clone();
    let _listener = client.on_flag_change(move |_| {
        let view = reader.snapshot();
        let read = |key| view.core().flag(key).map_or(0, |flag| flag.version());
        let _ = told.send((read("f1"), read("f2")));
    });
    for toggle in 1..=1_000 {
        feeds.tell("a", full(toggle, &["f1", "f2"]));
        sim.run();
        // Both flags are announced, and nothing newer is there yet.
        for _ in 0..2 {
            assert_eq!(heard.recv_timeout(LONG), Ok((toggle, toggle)));
        }
    }
}

/// B 7.4, case L03: once removed, a listener is told of nothing that comes later.
#[test]
fn callbacks_come_and_go_while_data_flows() {
    let (sim, client, feeds) = running(&["a"]);
    let (is_over, calls) = (AtomicBool::new(false), Arc::new(AtomicU64::new(0)));
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                while !is_over.load(Ordering::SeqCst) {
                    come_and_go(&client, &calls, &is_over);
                }
            });
        }
        for update in 1..=10_000 {
            feeds.tell("a", full(update, &["f1"]));
            sim.run();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert_eq!(version(&client, "f1"), 10_000);
    assert!(calls.load(Ordering::SeqCst) > 0);
}

fn come_and_go(client: &Client, all: &AtomicU64, is_over: &AtomicBool) {
    let calls = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&calls);
    let listener = client
        .on_flag_change(move |_| {
            count.fetch_add(1, Ordering::SeqCst);
        })
        .unwrap();
    until(|| calls.load(Ordering::SeqCst) > 0 || is_over.load(Ordering::SeqCst));
    listener.remove();
    let before = calls.load(Ordering::SeqCst);
    // The thread lets go of the callback when it ends.
    until(|| Arc::strong_count(&calls) == 1);
    let after = calls.load(Ordering::SeqCst);
    assert!(after <= before + 1, "only a call that had begun may go on");
    all.fetch_add(after, Ordering::SeqCst);
}

#[test]
fn b_7_4_a_removed_listener_is_told_nothing_more_and_its_thread_ends() {
    let (sim, client, feeds) = running(&["a"]);
    let (removed, heard) = listen(&client);
    let (dropped, heard_too) = listen(&client);
    let (_kept, heard_on) = listen(&client);
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    for heard in [&heard, &heard_too, &heard_on] {
        assert_told(heard, &["f1"]);
    }
    removed.remove();
    drop(dropped);
    feeds.tell("a", full(2, &["f1"]));
    sim.run();
    assert_over(&heard);
    assert_over(&heard_too);
    assert_told(&heard_on, &["f1"]);
}

/// B 7.4: what is unread when the listener is removed is not told.
#[test]
fn a_listener_is_removed_from_within_its_callback() {
    let (sim, client, feeds) = running(&["a"]);
    let own: Arc<Mutex<Option<Listener>>> = Arc::default();
    let (told, heard) = channel();
    let within = Arc::clone(&own);
    let mut waiting = own.lock().unwrap();
    let listener = client.on_flag_change(move |change| {
        drop(within.lock().unwrap().take());
        drop(told.send(change));
    });
    *waiting = Some(listener.unwrap());
    drop(waiting);
    feeds.tell("a", full(1, &["f1", "f2"]));
    feeds.tell("a", full(2, &["f1", "f2"]));
    sim.run();
    assert_told(&heard, &["f1"]);
    assert_over(&heard);
}

/// Cases L06 and C05.
#[test]
fn b_7_3_a_callback_that_is_stuck_or_panics_stops_nobody() {
    let (sim, client, feeds) = running(&["a"]);
    let (release, released) = channel::<()>();
    let (begun, has_begun) = channel();
    let stuck = client.on_flag_change(move |_| {
        let _ = begun.send(());
        let _ = released.recv();
    });
    let (told, heard_in_spite) = channel();
    let mut has_panicked = false;
    let _panicking = client.on_flag_change(move |change| {
        if !has_panicked {
            has_panicked = true;
            panic!("a panic that the test wants");
        }
        drop(told.send(change));
    });
    let (counting, heard) = listen(&client);
    let statuses = client.status_stream();
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    assert_told(&heard, &["f1"]);
    has_begun.recv_timeout(LONG).unwrap();
    for update in 2..=5_000 {
        feeds.tell("a", full(update, &["f1"]));
        sim.run();
        assert_eq!(version(&client, "f1"), update);
        assert_told(&heard, &["f1"]);
    }
    assert!(heard_in_spite.recv_timeout(LONG).is_ok());
    // Neither removing the stuck one nor closing waits for it.
    stuck.unwrap().remove();
    close(&sim, &client);
    let states: Vec<_> = block_on(statuses.map(|status| status.state).collect());
    assert_eq!(states, [SourceState::Initializing, SourceState::Valid, SourceState::Off]);
    drop(counting);
    assert_over(&heard);
    assert!(has_begun.try_recv().is_err());
    drop(release);
    assert_over(&has_begun);
}

/// B 7.3: the oldest is lost, never the newest.
#[test]
fn a_callback_that_does_not_keep_up_is_told_that_it_lagged() {
    let (sim, client, feeds) = running(&["a"]);
    let (go_on, may_go_on) = channel::<()>();
    let (told, heard) = channel();
    let _listener = client.on_flag_change(move |change| {
        drop(told.send(change));
        let _ = may_go_on.recv();
    });
    feeds.tell("a", full(1, &["first"]));
    sim.run();
    assert_told(&heard, &["first"]);
    for update in 2..=101 {
        feeds.tell("a", changes(update, &["f1"]));
    }
    feeds.tell("a", changes(102, &["last"]));
    sim.run();
    drop(go_on);
    assert_eq!(heard.recv_timeout(LONG), Ok(FlagChange::Lagged(101 - 64)));
    assert_told(&heard, &["f1"; 63]);
    assert_told(&heard, &["last"]);
}

/// B 7.4: not even for what came before.
#[test]
fn after_a_close_no_call_begins() {
    let (sim, client, feeds) = running(&["a"]);
    let (go_on, may_go_on) = channel::<()>();
    let (told, heard) = channel();
    let _listener = client.on_flag_change(move |change| {
        drop(told.send(change));
        let _ = may_go_on.recv();
    });
    feeds.tell("a", full(1, &["f1", "f2"]));
    feeds.tell("a", full(2, &["f1", "f2"]));
    sim.run();
    assert_told(&heard, &["f1"]);
    close(&sim, &client);
    drop(go_on);
    assert_over(&heard);
    let (_late, heard) = listen(&client);
    assert_over(&heard);
}

fn close(sim: &Sim, client: &Client) {
    let mut close = client.close(LONG).boxed();
    assert!(close.as_mut().now_or_never().is_none());
    sim.run();
    block_on(close);
    assert_eq!(client.status().state, SourceState::Off);
}

/// Case C11, B 10.3.
#[test]
fn the_last_client_is_dropped_inside_a_callback() {
    let (sim, client, feeds) = running(&["a"]);
    let last: Arc<Mutex<Option<Client>>> = Arc::default();
    let (told, heard) = channel();
    let within = Arc::clone(&last);
    let _listener = client.on_flag_change(move |_| {
        drop(within.lock().unwrap().take());
        let _ = told.send(());
    });
    *last.lock().unwrap() = Some(client);
    feeds.tell("a", full(1, &["f1"]));
    sim.run();
    assert_eq!(heard.recv_timeout(LONG), Ok(()));
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_over(&heard);
}

/// B 10.3.
#[test]
fn a_listener_does_not_keep_the_client_open() {
    let (sim, client, _feeds) = running(&["a"]);
    let (_listener, heard) = listen(&client);
    drop(client);
    sim.run();
    assert_eq!(sim.tasks(), 0);
    assert_over(&heard);
}

/// Case L04: what a file brings is announced like anything else.
#[test]
fn a_file_that_is_saved_again_calls_back() {
    let file = NamedTempFile::new().unwrap();
    fs::write(&file, r#"[{"key":"f1","version":1}, {"key":"f2","version":1}]"#).unwrap();
    let saves: Arc<Mutex<Option<UnboundedSender<()>>>> = Arc::default();
    let (path, hold) = (file.path().to_owned(), Arc::clone(&saves));
    let source = move |_: OpenSource| {
        let (sender, saved) = unbounded();
        sender.unbounded_send(()).unwrap();
        *hold.lock().unwrap() = Some(sender);
        let path = path.clone();
        saved.map(move |()| read(&path)).boxed()
    };
    let sim = Sim::default();
    let sources = CustomSources::new().with("file", source);
    let client = start_with(&sim, synchronizers(&["file"]), Silence, sources);
    let (_listener, heard) = listen(&client);
    sim.run();
    assert_told(&heard, &["f1", "f2"]);
    fs::write(&file, r#"[{"key":"f1","version":1}, {"key":"f2","version":1,"on":true}]"#).unwrap();
    saves.lock().unwrap().as_ref().unwrap().unbounded_send(()).unwrap();
    sim.run();
    assert_told(&heard, &["f2"]);
    assert!(heard.try_recv().is_err());
}

fn read(path: &Path) -> SourceUpdate {
    let flags: Vec<Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let mut builder = ChangeSetBuilder::full();
    for flag in flags {
        builder.put(Kind::Flag, flag["key"].as_str().unwrap(), 1, &flag.to_string()).unwrap();
    }
    SourceUpdate::ChangeSet(Box::new(builder.finish(None)))
}

//! A store of memberships that tests fill, and flags that refer to big segments.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use fdv2_core::eval::{BigSegmentsStatus, Detail};
use fdv2_core::model::Kind;
use fdv2_core::snapshot::ChangeSetBuilder;
use fdv2_core::{Selector, SourceUpdate};
use futures::executor::block_on;
use serde_json::{Value, json};

use super::Silence;
use super::feed::{Feeds, synchronizers};
use super::sim::Sim;
use crate::big_segments::{BigSegmentStore, BigSegments, ContextHash, Memberships, Metadata};
use crate::store::StoreError;
use crate::{Client, Context, ContextBuilder, Parts};

/// A store of memberships that counts its calls, and can be down, hang or panic.
#[derive(Clone, Default)]
pub(super) struct Members(Arc<Inner>);

#[derive(Default)]
struct Inner {
    lists: Mutex<BTreeMap<ContextHash, Memberships>>,
    /// Milliseconds since 1970, 0 for never.
    up_to_date: AtomicU64,
    is_down: AtomicBool,
    is_half_down: AtomicBool,
    is_hanging: AtomicBool,
    /// So many calls do not hang.
    let_go: AtomicUsize,
    is_panicking: AtomicBool,
    is_closed: AtomicBool,
    queries: AtomicUsize,
    polls: AtomicUsize,
}

impl Members {
    pub(super) fn include(&self, key: &str, reference: &str) {
        self.change(key, |memberships| memberships.include(reference));
    }

    pub(super) fn exclude(&self, key: &str, reference: &str) {
        self.change(key, |memberships| memberships.exclude(reference));
    }

    fn change(&self, key: &str, change: impl Fn(&mut Memberships) -> Result<(), StoreError>) {
        let mut lists = self.0.lists.lock().unwrap();
        change(lists.entry(ContextHash::of(key)).or_default()).unwrap();
    }

    /// How often memberships were asked for.
    pub(super) fn queries(&self) -> usize {
        self.0.queries.load(Ordering::SeqCst)
    }

    /// How often metadata was asked for.
    pub(super) fn polls(&self) -> usize {
        self.0.polls.load(Ordering::SeqCst)
    }

    pub(super) fn set_up_to_date(&self, unix_millis: u64) {
        self.0.up_to_date.store(unix_millis, Ordering::SeqCst);
    }

    pub(super) fn set_down(&self, is_down: bool) {
        self.0.is_down.store(is_down, Ordering::SeqCst);
    }

    /// Metadata is answered, memberships are not.
    pub(super) fn set_only_memberships_down(&self) {
        self.0.is_half_down.store(true, Ordering::SeqCst);
        self.set_down(false);
    }

    pub(super) fn set_hanging(&self, is_hanging: bool) {
        self.0.is_hanging.store(is_hanging, Ordering::SeqCst);
    }

    /// One of the calls that hang goes on.
    pub(super) fn let_one_go(&self) {
        self.0.let_go.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn set_panicking(&self, is_panicking: bool) {
        self.0.is_panicking.store(is_panicking, Ordering::SeqCst);
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::SeqCst)
    }

    fn call(&self) -> Result<(), StoreError> {
        let is_let_go = || {
            let take = |left: usize| left.checked_sub(1);
            self.0.let_go.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok()
        };
        while self.0.is_hanging.load(Ordering::SeqCst) && !is_let_go() {
            thread::sleep(Duration::from_millis(1));
        }
        assert!(!self.0.is_panicking.load(Ordering::SeqCst), "a panic that the test wants");
        if self.0.is_down.load(Ordering::SeqCst) {
            return Err(StoreError::new("down"));
        }
        Ok(())
    }
}

impl BigSegmentStore for Members {
    fn metadata(&self) -> Result<Metadata, StoreError> {
        self.0.polls.fetch_add(1, Ordering::SeqCst);
        self.call()?;
        let then = self.0.up_to_date.load(Ordering::SeqCst);
        Ok(Metadata { last_up_to_date: (then > 0).then_some(then) })
    }

    fn memberships(&self, context: &ContextHash) -> Result<Memberships, StoreError> {
        self.0.queries.fetch_add(1, Ordering::SeqCst);
        self.call()?;
        if self.0.is_half_down.load(Ordering::SeqCst) {
            return Err(StoreError::new("half down"));
        }
        Ok(self.0.lists.lock().unwrap().get(context).cloned().unwrap_or_default())
    }

    fn close(&self) {
        self.0.is_closed.store(true, Ordering::SeqCst);
    }
}

/// When the virtual clock begins, in milliseconds since 1970.
pub(super) const BEGIN: u64 = 1_700_000_000_000;

/// The settings of a client on `sim`, whose store is up to date at the beginning.
pub(super) fn segments(sim: &Sim, members: &Members) -> BigSegments {
    use crate::Runtime;
    members.set_up_to_date(BEGIN);
    let clock = sim.clone();
    BigSegments::new(members.clone())
        .wall_clock(move || BEGIN + clock.now().since_epoch().as_millis() as u64)
}

/// A client with the flags of [`data`].
pub(super) fn client(sim: &Sim, segments: BigSegments) -> Client {
    client_of(sim, Parts::new().big_segments(segments), data())
}

/// A client with these parts and this data.
pub(super) fn client_of(sim: &Sim, parts: Parts, data: SourceUpdate) -> Client {
    client_and_feeds(sim, parts, data).0
}

/// The same, with the feed `feed` for more data.
pub(super) fn client_and_feeds(sim: &Sim, parts: Parts, data: SourceUpdate) -> (Client, Feeds) {
    let feeds = Feeds::default();
    let parts = parts.custom_source("feed", feeds.source("feed"));
    let client = Client::start_with(synchronizers(&["feed"]), sim.clone(), Silence, parts).unwrap();
    sim.run();
    feeds.tell("feed", data);
    sim.run();
    (client, feeds)
}

/// Each flag is true for who is in its segment: `f` in `s`, `g` in `t`, `o` in that of the kind
/// `org`, `r` in one whose rules take everybody, `both` in `s` and `t`; `plain` for everybody.
pub(super) fn data() -> SourceUpdate {
    let mut builder = ChangeSetBuilder::full();
    let everybody = json!([{"clauses": []}]);
    for (key, kind, rules) in [
        ("s", "user", json!([])),
        ("t", "user", json!([])),
        ("org", "org", json!([])),
        ("all", "user", everybody),
    ] {
        let segment = json!({"key": key, "version": 1, "unbounded": true, "generation": 1,
            "unboundedContextKind": kind, "included": ["u"], "rules": rules});
        builder.put(Kind::Segment, key, 1, &segment.to_string()).unwrap();
    }
    let is_in = |key: &str| json!({"attribute": "", "op": "segmentMatch", "values": [key]});
    for (key, clauses) in [
        ("f", json!([is_in("s")])),
        ("g", json!([is_in("t")])),
        ("o", json!([is_in("org")])),
        ("r", json!([is_in("all")])),
        ("both", json!([is_in("s"), is_in("t")])),
        ("plain", json!([])),
    ] {
        let flag = json!({"key": key, "version": 1, "on": true, "variations": [false, true],
            "rules": [{"clauses": clauses, "variation": 1}], "fallthrough": {"variation": 0}});
        builder.put(Kind::Flag, key, 1, &flag.to_string()).unwrap();
    }
    SourceUpdate::ChangeSet(Box::new(builder.finish(Some(Selector::new("s1", 1)))))
}

pub(super) fn user(key: &str) -> Context {
    ContextBuilder::new(key).build().unwrap()
}

/// Whether the flag is true, and how well its big segments were known.
pub(super) type Outcome = (Option<bool>, Option<BigSegmentsStatus>);

fn outcome(detail: Detail<'static, Option<Value>>) -> Outcome {
    (detail.value.and_then(|value| value.as_bool()), detail.reason.big_segments_status)
}

/// In the asynchronous form.
pub(super) fn through(client: &Client, context: &Context, key: &str) -> Outcome {
    outcome(block_on(client.through_store().variation_detail(context, key)))
}

/// In the synchronous form.
pub(super) fn at_hand(client: &Client, context: &Context, key: &str) -> Outcome {
    outcome(client.variation_detail(context, key))
}

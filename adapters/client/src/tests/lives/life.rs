//! One simulated life: the driver, a client of it with those who use it, a server and a store.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fdv2_core::Instant;
use fdv2_core::config::{Config, Polling, StoreMode, Streaming};
use fdv2_core::status::SourceStatus;
use futures::StreamExt;
use futures::executor::block_on;

use super::act::Act;
use super::line::{Head, Line, Wakes};
use super::served::{Served, State};
use crate::shared::Shared;
use crate::store::Store;
use crate::tests::reading::{Tables, user};
use crate::tests::sim::{Order, Sim, TaskId};
use crate::{Client, FlagChange, Parts, Runtime, WaitError};

/// More polls than anything here needs.
const MANY_POLLS: usize = 20_000;

pub(super) struct Life {
    /// Where the driver runs.
    pub(super) sim: Sim,
    /// Where those run who use the client.
    pub(super) app: Sim,
    order: Order,
    pub(super) line: Line,
    pub(super) served: Served,
    pub(super) shared: Arc<Shared>,
    pub(super) handles: Vec<Client>,
    pub(super) store: Option<(Store, Tables)>,
    pub(super) is_store_hanging: bool,
    pub(super) is_store_failing: bool,
    pub(super) statuses: Heard<SourceStatus>,
    pub(super) waits: Vec<Waiting>,
    pub(super) listeners: Vec<Listening>,
    pub(super) asking: Vec<TaskId>,
    pub(super) closing: Vec<TaskId>,
    /// Whether the client was told to close, by its last handle or otherwise.
    is_closed: Arc<AtomicBool>,
    pub(super) is_runtime_gone: bool,
    /// When the clock last jumped: nobody had the time before.
    pub(super) jumped: Instant,
}

/// What a reader has read, and whether its stream has ended.
#[derive(Clone)]
pub(super) struct Heard<T>(Arc<Mutex<(Vec<T>, bool)>>);

impl<T: Clone> Heard<T> {
    fn new() -> Self {
        Self(Arc::new(Mutex::new((Vec::new(), false))))
    }

    pub(super) fn items(&self) -> Vec<T> {
        self.0.lock().unwrap().0.clone()
    }

    pub(super) fn is_ended(&self) -> bool {
        self.0.lock().unwrap().1
    }
}

/// One who waits for initialization.
pub(super) struct Waiting {
    pub(super) task: TaskId,
    pub(super) is_patient: bool,
    pub(super) result: Arc<Mutex<Option<Result<(), WaitError>>>>,
}

/// One who listens to flags.
pub(super) struct Listening {
    pub(super) task: TaskId,
    /// What the flags were when he began.
    pub(super) before: State,
    pub(super) heard: Heard<FlagChange>,
}

impl Life {
    pub(super) fn start(seed: u64, has_store: bool, wakes: Wakes) -> Self {
        let (sim, app) = (Sim::shuffled(seed), Sim::shuffled(!seed));
        let line = Line::new(&sim, wakes);
        let store = has_store.then(|| {
            let tables = Tables::default();
            (Store::new(tables.clone()), tables)
        });
        let mut config =
            Config::custom("k").synchronizer(Streaming::new()).synchronizer(Polling::new());
        let mut parts = Parts::new();
        if let Some((store, _)) = &store {
            config = config.store(StoreMode::ReadWrite);
            parts = parts.store(store.clone());
        }
        let config = config.build().unwrap();
        let client = Client::start_with(config, sim.clone(), line.clone(), parts).unwrap();
        let statuses = Heard::new();
        app.start(hear(client.status_stream(), &statuses));
        Self {
            sim,
            app,
            order: Order::new(seed),
            line,
            served: Served::new(),
            shared: Arc::clone(client.shared()),
            handles: vec![client],
            store,
            is_store_hanging: false,
            is_store_failing: false,
            statuses,
            waits: Vec::new(),
            listeners: Vec::new(),
            asking: Vec::new(),
            closing: Vec::new(),
            is_closed: Arc::default(),
            is_runtime_gone: false,
            jumped: Instant::EPOCH,
        }
    }

    pub(super) fn act(&mut self, act: &Act) {
        match act {
            Act::Run(polls) => {
                for _ in 0..*polls {
                    self.poll_one();
                }
            }
            Act::Rest => self.rest(),
            Act::Pass(millis) => self.pass(Duration::from_millis((*millis).into())),
            Act::Jump(millis) => self.jump(Duration::from_millis((*millis).into())),
            Act::WakeAll => {
                self.sim.wake_all();
                self.app.wake_all();
            }
            Act::Answer(head) => self.answer(*head),
            Act::Write { bytes, size, has_pauses } => {
                self.line.write((*bytes).into(), (*size).into(), *has_pauses);
            }
            Act::WriteAll { has_pauses } => self.line.write(usize::MAX, 4096, *has_pauses),
            Act::Commit { flag, is_removed } => {
                self.served.commit(*flag, *is_removed);
                self.tell_stream();
            }
            Act::Nonsense => self.line.write_nonsense(),
            Act::End { is_clean } => self.line.end(*is_clean),
            Act::Flood(millis) => self.flood(Duration::from_millis((*millis).into())),
            Act::StoreHangs => self.set_store(true, self.is_store_failing),
            Act::StoreFails => self.set_store(false, true),
            Act::StoreWorks => self.set_store(false, false),
            _ => self.use_client(act),
        }
    }

    fn use_client(&mut self, act: &Act) {
        let limit = |is_patient| if is_patient { Duration::MAX } else { Duration::ZERO };
        match act {
            Act::Drop => {
                self.handles.pop();
                self.is_closed.fetch_or(self.handles.is_empty(), Ordering::Relaxed);
            }
            Act::CancelWait => {
                let last = self.waits.pop();
                self.cancel(last.map(|wait| wait.task));
            }
            Act::CancelListening => {
                let last = self.listeners.pop();
                self.cancel(last.map(|listening| listening.task));
            }
            Act::CancelAsking => {
                let last = self.asking.pop();
                self.cancel(last);
            }
            Act::CancelClose => {
                let last = self.closing.pop();
                self.cancel(last);
            }
            Act::DropRuntime => {
                self.sim.drop_runtime();
                self.is_runtime_gone = true;
            }
            _ => {}
        }
        let Some(client) = self.handles.first().cloned() else { return };
        match act {
            Act::Clone => self.handles.push(client),
            Act::Wait { is_patient } => self.wait(&client, *is_patient, limit(*is_patient)),
            Act::Listen => self.listen(&client),
            Act::Ask if self.store.is_some() => {
                let ask = async move {
                    client.through_store().bool_variation(&user(), "f0", false).await;
                };
                self.asking.push(self.app.start(ask));
            }
            Act::Close { is_patient } => {
                let (close, is_closed) =
                    (client.close(limit(*is_patient)), Arc::clone(&self.is_closed));
                self.closing.push(self.app.start(async move {
                    // A `close` that was never polled does nothing.
                    is_closed.store(true, Ordering::Relaxed);
                    close.await;
                }));
            }
            _ => {}
        }
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    fn cancel(&self, task: Option<TaskId>) {
        if let Some(task) = task {
            self.app.cancel(task);
        }
    }

    fn wait(&mut self, client: &Client, is_patient: bool, limit: Duration) {
        let result = Arc::new(Mutex::new(None));
        let (wait, told) = (client.wait_for_initialization(limit), Arc::clone(&result));
        let task = self.app.start(async move {
            let answer = wait.await;
            *told.lock().unwrap() = Some(answer);
        });
        self.waits.push(Waiting { task, is_patient, result });
    }

    fn listen(&mut self, client: &Client) {
        let heard = Heard::new();
        let task = self.app.start(hear(client.flag_changes(), &heard));
        self.listeners.push(Listening { task, before: self.seen(), heard });
    }

    /// The flags that readers see.
    pub(super) fn seen(&self) -> State {
        let snapshot = self.shared.snapshot().load();
        snapshot.flags().map(|flag| (flag.key().to_string(), flag.version())).collect()
    }

    /// Answers what is asked, and has the transfer ready that goes with it.
    fn answer(&self, head: Head) {
        let Some((is_stream, basis)) = self.line.asked() else { return };
        self.line.answer(head);
        let from = basis.and_then(|basis| self.served.number_of(&basis));
        let newest = self.served.newest();
        let told = if is_stream { self.served.stream(from, 9_000) } else { self.served.poll(from) };
        self.line.say(told, newest);
    }

    fn tell_stream(&self) {
        if let Some(from) = self.line.told() {
            self.line.say(self.served.stream(Some(from), 0), self.served.newest());
        }
    }

    fn set_store(&mut self, is_hanging: bool, is_failing: bool) {
        let Some((_, tables)) = &self.store else { return };
        tables.set_down(is_failing);
        tables.set_hanging(is_hanging);
        (self.is_store_hanging, self.is_store_failing) = (is_hanging, is_failing);
    }

    /// Polls one task, of the driver's runtime or of the application's. False if none is runnable.
    fn poll_one(&mut self) -> bool {
        self.line.turn_ends();
        let is_driver_first = self.order.below(2) == 0;
        let (first, second) =
            if is_driver_first { (&self.sim, &self.app) } else { (&self.app, &self.sim) };
        first.poll_one() || second.poll_one()
    }

    /// Runs everything until it waits, and looks whether it waits for good reason.
    pub(super) fn rest(&mut self) {
        let mut polls = 0;
        loop {
            while self.poll_one() {
                polls += 1;
                assert!(polls < MANY_POLLS, "it never comes to rest");
            }
            self.let_store_work();
            if !self.sim.is_runnable() && !self.app.is_runnable() {
                break;
            }
        }
        self.check();
    }

    /// Waits until the store's threads have done what they were given, unless they hang.
    fn let_store_work(&self) {
        let Some((store, _)) = self.store.as_ref().filter(|_| !self.is_store_hanging) else {
            return;
        };
        block_on(store.write(|_| Ok(()))).unwrap();
        let read = block_on(store.read(crate::store::Query::IsInitialized));
        assert!(read.is_ok() || self.is_store_failing, "{read:?}");
    }

    /// Lets time pass, from deadline to deadline.
    pub(super) fn pass(&mut self, time: Duration) {
        let end = self.sim.now() + time;
        self.rest();
        while let Some(at) = self.sim.next_sleep().filter(|at| *at <= end) {
            self.sim.set_now(at);
            self.rest();
        }
        self.sim.set_now(end);
        self.rest();
    }

    fn jump(&mut self, time: Duration) {
        self.jumped = self.sim.now() + time;
        self.sim.set_now(self.jumped);
    }

    /// A stream that is always ready, while time passes.
    fn flood(&mut self, time: Duration) {
        self.line.set_comments(true);
        for _ in 0..20 {
            self.poll_one();
        }
        self.jump(time);
        for _ in 0..20 {
            self.poll_one();
        }
        self.line.set_comments(false);
    }
}

/// Reads a stream to its end.
fn hear<S>(stream: S, heard: &Heard<S::Item>) -> impl Future<Output = ()> + Send + use<S>
where
    S: futures::Stream + Send + Unpin + 'static,
    S::Item: Send + 'static,
{
    let heard = Arc::clone(&heard.0);
    async move {
        let mut stream = stream;
        while let Some(item) = stream.next().await {
            heard.lock().unwrap().0.push(item);
        }
        heard.lock().unwrap().1 = true;
    }
}

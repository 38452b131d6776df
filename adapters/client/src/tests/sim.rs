//! A runtime in virtual time, whose tasks run only when a test says so.
//!
//! It is as unhelpful as a runtime may be: the waker of an earlier poll wakes nobody, and with
//! [`Sim::shuffled`] the tasks run in any order.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use fdv2_core::Instant;
use futures::FutureExt;
use futures::future::BoxFuture;

use crate::{Runtime, StartError};

#[derive(Clone, Default)]
pub(crate) struct Sim(Arc<Mutex<World>>);

#[derive(Default)]
struct World {
    now: Instant,
    next_id: u64,
    sleeps: BTreeMap<(Instant, u64), Waker>,
    tasks: Vec<Task>,
    is_gone: bool,
    order: Option<Order>,
}

/// One task, to be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TaskId(u64);

struct Task {
    id: TaskId,
    future: BoxFuture<'static, ()>,
    /// Of the last poll.
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Woken {
    fn new(is_woken: bool) -> Arc<Self> {
        Arc::new(Self(AtomicBool::new(is_woken)))
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

/// A source of random orders.
pub(crate) struct Order(u64);

impl Order {
    pub(crate) fn new(seed: u64) -> Self {
        // Zero is the one state that xorshift never leaves.
        Self(seed | 1 << 63)
    }

    /// A number below `bound`, which must not be zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 8) as usize % bound
    }
}

impl Task {
    /// Whether the task is over.
    fn poll(&mut self) -> bool {
        self.woken = Woken::new(false);
        let waker = Waker::from(Arc::clone(&self.woken));
        self.future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready()
    }
}

impl Sim {
    /// One on which [`poll_one`](Self::poll_one) chooses the task at random.
    pub(crate) fn shuffled(seed: u64) -> Self {
        let world = World { order: Some(Order::new(seed)), ..World::default() };
        Self(Arc::new(Mutex::new(world)))
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// Polls every task that was woken, once. False if there was none.
    pub(crate) fn step(&self) -> bool {
        let tasks = std::mem::take(&mut self.world().tasks);
        let mut has_run = false;
        for mut task in tasks {
            let is_due = task.woken.is_set();
            has_run |= is_due;
            let is_over = is_due && task.poll();
            if !is_over {
                self.world().tasks.push(task);
            }
        }
        has_run
    }

    /// Polls one task that was woken. False if there was none.
    pub(crate) fn poll_one(&self) -> bool {
        let Some(mut task) = self.world().take_woken() else { return false };
        if !task.poll() {
            self.world().tasks.push(task);
        }
        true
    }

    /// Whether a task was woken and not polled since.
    pub(crate) fn is_runnable(&self) -> bool {
        self.world().tasks.iter().any(|task| task.woken.is_set())
    }

    /// Wakes every task for no reason.
    pub(crate) fn wake_all(&self) {
        self.world().tasks.iter().for_each(|task| task.woken.0.store(true, Ordering::Release));
    }

    /// Runs until every task waits.
    pub(crate) fn run(&self) {
        while self.step() {}
    }

    /// Lets time pass, from deadline to deadline.
    pub(crate) fn advance(&self, time: Duration) {
        let end = self.world().now + time;
        self.run();
        while let Some(at) = self.next_sleep().filter(|at| *at <= end) {
            self.set_now(at);
            self.run();
        }
        self.set_now(end);
        self.run();
    }

    /// Moves the clock, wakes those whose time has come, and runs nothing.
    pub(crate) fn set_now(&self, now: Instant) {
        let mut world = self.world();
        world.now = world.now.max(now);
        let later = world.sleeps.split_off(&(now, u64::MAX));
        let due = std::mem::replace(&mut world.sleeps, later);
        drop(world);
        due.into_values().for_each(Waker::wake);
    }

    /// Loses every sleep that is armed, as no runtime may.
    pub(crate) fn forget_sleeps(&self) {
        let forgotten = std::mem::take(&mut self.world().sleeps);
        drop(forgotten);
    }

    pub(crate) fn tasks(&self) -> usize {
        self.world().tasks.len()
    }

    /// When the first of all sleeps ends.
    pub(crate) fn next_sleep(&self) -> Option<Instant> {
        self.world().sleeps.first_key_value().map(|((at, _), _)| *at)
    }

    /// Runs `future` until it ends or is cancelled.
    pub(crate) fn start(&self, future: impl Future<Output = ()> + Send + 'static) -> TaskId {
        let mut world = self.world();
        let id = TaskId(world.next_id());
        world.tasks.push(Task { id, future: future.boxed(), woken: Woken::new(true) });
        id
    }

    /// Whether the task has not ended.
    pub(crate) fn has(&self, id: TaskId) -> bool {
        self.world().tasks.iter().any(|task| task.id == id)
    }

    /// Drops a task, if it has not ended.
    pub(crate) fn cancel(&self, id: TaskId) {
        let mut world = self.world();
        let found = world.tasks.iter().position(|task| task.id == id);
        let task = found.map(|at| world.tasks.swap_remove(at));
        // It may come back here, so the world must not be locked.
        drop(world);
        drop(task);
    }

    /// Drops every task, as a runtime does that is dropped.
    pub(crate) fn drop_runtime(&self) {
        self.world().is_gone = true;
        let tasks = std::mem::take(&mut self.world().tasks);
        drop(tasks);
    }
}

impl World {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    fn take_woken(&mut self) -> Option<Task> {
        let woken = |(at, task): (usize, &Task)| task.woken.is_set().then_some(at);
        let woken: Vec<_> = self.tasks.iter().enumerate().filter_map(woken).collect();
        let last = woken.len().checked_sub(1)?;
        let chosen = self.order.as_mut().map_or(0, |order| order.below(last + 1));
        Some(self.tasks.remove(woken[chosen]))
    }
}

impl Runtime for Sim {
    type Sleep = SimSleep;

    fn now(&self) -> Instant {
        self.world().now
    }

    fn sleep_until(&self, deadline: Instant) -> SimSleep {
        SimSleep { sim: self.clone(), key: (deadline, self.world().next_id()) }
    }

    fn spawn(&self, future: BoxFuture<'static, ()>) -> Result<(), StartError> {
        if self.world().is_gone {
            return Err(StartError::Runtime("the simulated runtime is gone".into()));
        }
        self.start(future);
        Ok(())
    }
}

pub(crate) struct SimSleep {
    sim: Sim,
    key: (Instant, u64),
}

impl Future for SimSleep {
    type Output = ();

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let mut world = self.sim.world();
        if world.now >= self.key.0 {
            return Poll::Ready(());
        }
        let replaced = world.sleeps.insert(self.key, cx.waker().clone());
        drop(world);
        drop(replaced);
        Poll::Pending
    }
}

impl Drop for SimSleep {
    fn drop(&mut self) {
        let waker = self.sim.world().sleeps.remove(&self.key);
        drop(waker);
    }
}

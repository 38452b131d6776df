//! A runtime in virtual time, whose tasks run only when a test says so.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use fdv2_core::Instant;
use futures::future::BoxFuture;

use crate::{Runtime, StartError};

#[derive(Clone, Default)]
pub(crate) struct Sim(Arc<Mutex<World>>);

#[derive(Default)]
struct World {
    now: Instant,
    next_sleep: u64,
    sleeps: BTreeMap<(Instant, u64), Waker>,
    tasks: Vec<Task>,
    is_gone: bool,
}

struct Task {
    future: BoxFuture<'static, ()>,
    woken: Arc<Woken>,
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Release);
    }
}

impl Sim {
    fn world(&self) -> MutexGuard<'_, World> {
        self.0.lock().unwrap()
    }

    /// Polls every task that was woken, once. False if there was none.
    pub(crate) fn step(&self) -> bool {
        let tasks = std::mem::take(&mut self.world().tasks);
        let mut has_run = false;
        for mut task in tasks {
            let is_due = task.woken.0.swap(false, Ordering::AcqRel);
            has_run |= is_due;
            let waker = Waker::from(Arc::clone(&task.woken));
            let is_over =
                is_due && task.future.as_mut().poll(&mut Context::from_waker(&waker)).is_ready();
            if !is_over {
                self.world().tasks.push(task);
            }
        }
        has_run
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

    pub(crate) fn tasks(&self) -> usize {
        self.world().tasks.len()
    }

    /// When the first of all sleeps ends.
    pub(crate) fn next_sleep(&self) -> Option<Instant> {
        self.world().sleeps.first_key_value().map(|((at, _), _)| *at)
    }

    /// Drops every task, as a runtime does that is dropped.
    pub(crate) fn drop_runtime(&self) {
        self.world().is_gone = true;
        let tasks = std::mem::take(&mut self.world().tasks);
        drop(tasks);
    }
}

impl Runtime for Sim {
    type Sleep = SimSleep;

    fn now(&self) -> Instant {
        self.world().now
    }

    fn sleep_until(&self, deadline: Instant) -> SimSleep {
        let mut world = self.world();
        world.next_sleep += 1;
        SimSleep { sim: self.clone(), key: (deadline, world.next_sleep) }
    }

    fn spawn(&self, future: BoxFuture<'static, ()>) -> Result<(), StartError> {
        if self.world().is_gone {
            return Err(StartError::Runtime("the simulated runtime is gone".into()));
        }
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        self.world().tasks.push(Task { future, woken });
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
        world.sleeps.insert(self.key, cx.waker().clone());
        Poll::Pending
    }
}

impl Drop for SimSleep {
    fn drop(&mut self) {
        let waker = self.sim.world().sleeps.remove(&self.key);
        drop(waker);
    }
}

//! The one driver loop: it feeds the core and does as the core says.

mod alarm;
mod effects;
mod running;
mod storing;
mod turn;

use std::future::{Future, poll_fn};
use std::mem;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::task::{Context, Poll};

use fdv2_core::{DataSystem, Event, Outcome};
use futures::FutureExt;

use self::alarm::Alarm;
use self::effects::Effects;
use self::turn::Turn;
pub(crate) use self::turn::yield_now;
use crate::control::Order;
use crate::facts::End;
use crate::observe::Observer;
use crate::parts::Parts;
use crate::shared::Shared;
use crate::tap::{OpenTap, Tapped};
use crate::{Runtime, Transport};

/// The future that an adapter spawns. Whatever becomes of it, `shared` learns of its end.
pub(crate) fn drive<R: Runtime, T: Transport>(
    system: DataSystem,
    tap: Option<OpenTap>,
    runtime: R,
    transport: T,
    parts: Parts,
    shared: Arc<Shared>,
) -> impl Future<Output = ()> + Send {
    // Made here and not in the future, which may be dropped before it is polled.
    let last_words = LastWords(Arc::clone(&shared));
    let observer = Observer::new(Arc::clone(&shared), system.instance_id());
    let driver = Driver {
        system,
        observer,
        tap,
        alarm: Alarm::new(runtime),
        effects: Effects::new(transport, parts, Arc::clone(&shared)),
        turn: Turn::default(),
        is_clock_first: false,
        is_shutting_down: false,
        shared,
    };
    async move {
        let end = match AssertUnwindSafe(driver.run()).catch_unwind().await {
            Ok(()) => End::Closed,
            Err(_) => End::Panicked,
        };
        last_words.0.end(end);
    }
}

/// Says that the runtime is gone, unless the driver had the time to say more.
struct LastWords(Arc<Shared>);

impl Drop for LastWords {
    fn drop(&mut self) {
        self.0.end(End::RuntimeGone);
    }
}

struct Driver<R: Runtime, T> {
    system: DataSystem,
    observer: Observer,
    tap: Option<OpenTap>,
    alarm: Alarm<R>,
    effects: Effects<T>,
    turn: Turn,
    is_clock_first: bool,
    is_shutting_down: bool,
    /// The last to go: it frees the data away from the executor.
    shared: Arc<Shared>,
}

impl<R: Runtime, T: Transport> Driver<R, T> {
    async fn run(mut self) {
        // A client that is closed already has nobody to ask (B 10.1).
        if self.shared.control().order() == Order::Run {
            self.handle(Event::Start);
        }
        while let Some(event) = poll_fn(|cx| self.poll_event(cx)).await {
            self.turn.spend(bytes_of(&event));
            self.handle(event);
            if self.turn.is_over() {
                yield_now().await;
                self.begin_turn();
            }
        }
    }

    /// A stream that is always ready fills its turn, then an overdue clock goes first; a clock that
    /// is always overdue goes before what has arrived only once a turn (B 3.11).
    fn begin_turn(&mut self) {
        self.turn = Turn::default();
        self.is_clock_first = true;
    }

    fn handle(&mut self, event: Event) {
        let now = self.alarm.now();
        self.observer.on_event(&event);
        if let Some(tap) = self.tap.as_mut().filter(|tap| tap.is_open()) {
            let commands: Vec<_> = self.system.handle(now, event.clone()).collect();
            tap.tell(Tapped::Handled { now, event, commands: commands.clone() });
            for command in commands {
                self.observer.on_command(&command);
                self.effects.execute(command);
            }
        } else {
            for command in self.system.handle(now, event) {
                self.observer.on_command(&command);
                self.effects.execute(command);
            }
        }
        self.effects.settle();
        self.observer.on_done();
    }

    /// The next thing to tell the core. None when all is over.
    fn poll_event(&mut self, cx: &mut Context<'_>) -> Poll<Option<Event>> {
        if let Poll::Ready(ordered) = self.poll_order() {
            return Poll::Ready(ordered);
        }
        if mem::take(&mut self.is_clock_first) && self.is_overdue() {
            return Poll::Ready(Some(Event::Tick));
        }
        if let Some(read) = self.shared.control().next_read() {
            return Poll::Ready(Some(Event::StoreRead(read)));
        }
        if let Poll::Ready((id, outcome)) = self.effects.poll_outcome(cx) {
            return Poll::Ready(Some(Event::Effect { id, outcome }));
        }
        if self.poll_deadline(cx).is_ready() {
            return Poll::Ready(Some(Event::Tick));
        }
        // Waiting gives the executor to others.
        self.turn = Turn::default();
        self.shared.control().register(cx.waker());
        match self.shared.control().next_read() {
            Some(read) => Poll::Ready(Some(Event::StoreRead(read))),
            None => self.poll_order(),
        }
    }

    fn is_overdue(&self) -> bool {
        self.system.next_deadline().is_some_and(|deadline| self.alarm.now() >= deadline.at)
    }

    fn poll_deadline(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        match self.system.next_deadline() {
            Some(deadline) => self.alarm.poll(cx, deadline.at),
            None => Poll::Pending,
        }
    }

    fn poll_order(&mut self) -> Poll<Option<Event>> {
        match self.shared.control().order() {
            Order::End => Poll::Ready(None),
            Order::Close if !mem::replace(&mut self.is_shutting_down, true) => {
                Poll::Ready(Some(Event::Shutdown { grace: self.shared.control().grace() }))
            }
            Order::Close | Order::Run => Poll::Pending,
        }
    }
}

fn bytes_of(event: &Event) -> usize {
    match event {
        Event::Effect { outcome: Outcome::ResponseChunk(chunk), .. } => chunk.len(),
        _ => 0,
    }
}

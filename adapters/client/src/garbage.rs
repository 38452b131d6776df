//! Freeing large values away from the driver: a hundred thousand flags take up to a second.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use fdv2_core::Snapshot;
use fdv2_core::snapshot::Garbage;

use crate::reading::Cache;
use crate::store::Answer;

/// How often to see whether readers have let go of something.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// Something to be freed on the thread for it.
pub(crate) trait Remains: Send + 'static {
    /// Whether a reader still holds some of it.
    fn is_shared(&self) -> bool;
}

impl Remains for Garbage {
    fn is_shared(&self) -> bool {
        self.is_shared()
    }
}

impl Remains for Arc<Cache> {
    fn is_shared(&self) -> bool {
        Arc::strong_count(self) > 1
    }
}

impl Remains for Answer {
    /// What it shares with others is freed with theirs.
    fn is_shared(&self) -> bool {
        false
    }
}

impl Remains for Arc<Snapshot> {
    fn is_shared(&self) -> bool {
        Self::strong_count(self) > 1
    }
}

/// A thread of our own that frees things. No runtime waits for it, nor does the process.
///
/// It starts with the first thing, and ends when the graveyard is dropped. What readers still hold
/// is kept until they let go, so that it is never they who free it; at the end it is left to them.
#[derive(Default)]
pub(crate) struct Graveyard(OnceLock<Option<Sender<Box<dyn Remains>>>>);

impl Graveyard {
    /// Frees `remains` soon. Where no thread can be had it is freed at once.
    pub(crate) fn bury(&self, remains: impl Remains) {
        if let Some(digger) = self.0.get_or_init(start) {
            // An error gives the remains back, which frees them here.
            drop(digger.send(Box::new(remains)));
        }
    }
}

fn start() -> Option<Sender<Box<dyn Remains>>> {
    let (sender, inbox) = channel();
    thread::Builder::new().name("fdv2-garbage".into()).spawn(move || dig(&inbox)).ok()?;
    Some(sender)
}

fn dig(inbox: &Receiver<Box<dyn Remains>>) {
    let mut held_by_readers: Vec<Box<dyn Remains>> = Vec::new();
    let mut looked = Instant::now();
    loop {
        let next = if held_by_readers.is_empty() {
            inbox.recv().map_err(RecvTimeoutError::from)
        } else {
            inbox.recv_timeout(LOOK_AGAIN)
        };
        match next {
            Ok(remains) if remains.is_shared() => held_by_readers.push(remains),
            Ok(remains) => drop(remains),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if looked.elapsed() >= LOOK_AGAIN {
            held_by_readers.retain(|remains| remains.is_shared());
            looked = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tells the thread that frees it.
    struct Corpse(Sender<Option<String>>);

    impl Drop for Corpse {
        fn drop(&mut self) {
            drop(self.0.send(thread::current().name().map(str::to_owned)));
        }
    }

    struct Body(Arc<Corpse>);

    impl Remains for Body {
        fn is_shared(&self) -> bool {
            Arc::strong_count(&self.0) > 1
        }
    }

    const LONG: Duration = Duration::from_secs(30);

    fn corpse() -> (Arc<Corpse>, Receiver<Option<String>>) {
        let (freed_by, freed) = channel();
        (Arc::new(Corpse(freed_by)), freed)
    }

    #[test]
    fn what_is_buried_is_freed_on_the_thread_for_it() {
        let graveyard = Graveyard::default();
        let (corpse, freed) = corpse();
        graveyard.bury(Body(corpse));
        assert_eq!(freed.recv_timeout(LONG).unwrap().as_deref(), Some("fdv2-garbage"));
    }

    #[test]
    fn what_a_reader_holds_is_freed_after_him_and_not_by_him() {
        let graveyard = Graveyard::default();
        let (corpse, freed) = corpse();
        let reader = Arc::clone(&corpse);
        graveyard.bury(Body(corpse));
        assert!(freed.recv_timeout(LOOK_AGAIN * 2).is_err());
        drop(reader);
        assert_eq!(freed.recv_timeout(LONG).unwrap().as_deref(), Some("fdv2-garbage"));
    }

    #[test]
    fn at_the_end_what_a_reader_holds_is_left_to_him() {
        let graveyard = Graveyard::default();
        let (corpse, freed) = corpse();
        let reader = Arc::clone(&corpse);
        graveyard.bury(Body(corpse));
        drop(graveyard);
        while Arc::strong_count(&reader) > 1 {
            thread::yield_now();
        }
        drop(reader);
        assert_ne!(freed.recv_timeout(LONG).unwrap().as_deref(), Some("fdv2-garbage"));
    }
}

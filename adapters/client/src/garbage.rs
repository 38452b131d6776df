//! Freeing large values away from the driver: a hundred thousand flags take up to a second.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
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

/// So many things may wait for the thread. Each takes some kilobytes after a small change, and
/// large ones take longer to come than to go.
const BACKLOG: usize = 256;

/// A thread of our own that frees things. No runtime waits for it, nor does the process.
///
/// It starts with the first thing, and ends when the graveyard is dropped. What readers still hold
/// is kept until they let go, so that it is never they who free it; at the end it is left to them.
#[derive(Default)]
pub(crate) struct Graveyard(OnceLock<Option<SyncSender<Box<dyn Remains>>>>);

impl Graveyard {
    /// Frees `remains` soon. It is freed at once where no thread can be had, and where more would
    /// wait for it than may: on a busy machine, memory would fill with small things that come
    /// faster than the thread has its turn.
    pub(crate) fn bury(&self, remains: impl Remains) {
        if let Some(digger) = self.0.get_or_init(start) {
            // An error gives the remains back, which frees them here.
            drop(digger.try_send(Box::new(remains)));
        }
    }
}

fn start() -> Option<SyncSender<Box<dyn Remains>>> {
    let (sender, inbox) = sync_channel(BACKLOG);
    thread::Builder::new().name("fdv2-garbage".into()).spawn(move || dig(&inbox)).ok()?;
    Some(sender)
}

fn dig(inbox: &Receiver<Box<dyn Remains>>) {
    let mut held_by_readers: Vec<Box<dyn Remains>> = Vec::new();
    let mut looked = Instant::now();
    let mut enough = BACKLOG;
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
        // In a tenth of a second very many small things can come, of which readers soon let go.
        if held_by_readers.len() >= enough || looked.elapsed() >= LOOK_AGAIN {
            held_by_readers.retain(|remains| remains.is_shared());
            looked = Instant::now();
            enough = BACKLOG + 2 * held_by_readers.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

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

    /// The thread has its hands full until the test lets go of it.
    struct Heavy(Receiver<()>);

    impl Remains for Heavy {
        fn is_shared(&self) -> bool {
            false
        }
    }

    impl Drop for Heavy {
        fn drop(&mut self) {
            let _ = self.0.recv();
        }
    }

    #[test]
    fn what_comes_faster_than_it_is_freed_does_not_pile_up() {
        let graveyard = Graveyard::default();
        let (let_go, held) = channel();
        graveyard.bury(Heavy(held));
        let waiting: Vec<_> = (0..BACKLOG + 3)
            .map(|_| {
                let (corpse, freed) = corpse();
                graveyard.bury(Body(corpse));
                freed
            })
            .collect();
        // Whether the thread has begun with the first is its own affair.
        let here: Vec<_> = waiting.iter().filter_map(|freed| freed.try_recv().ok()).collect();
        assert!((3..=4).contains(&here.len()), "{}", here.len());
        assert!(here.iter().all(|freed_by| freed_by.as_deref() != Some("fdv2-garbage")));
        let_go.send(()).unwrap();
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

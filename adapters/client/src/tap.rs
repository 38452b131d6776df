//! What enters the core and what comes out, handed to another thread: for a recording.

use std::fmt;
use std::iter::FusedIterator;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use fdv2_core::{Command, Config, Event, Instant, Outcome, SourceUpdate};

use crate::StartError;

/// So many things wait for a reader that is slow.
const QUEUE: usize = 4096;
/// And so many bytes of bodies, heads and change sets.
const QUEUED_BYTES: usize = 64 << 20;

/// Sees all that enters the core of one client, and all that comes out. See [`tap`].
#[derive(Clone)]
pub struct Tap(Arc<Inlet>);

struct Inlet {
    sender: Mutex<Option<SyncSender<Tapped>>>,
    level: Arc<Level>,
}

/// The reader's end of a [`Tap`]: an iterator that waits for the next thing, to be read on a thread
/// where waiting and writing are allowed. It ends with the client, or when it did not keep up.
pub struct TapReader {
    receiver: Receiver<Tapped>,
    level: Arc<Level>,
}

/// One thing that a tap gives. The configuration and the requests among the commands hold the SDK
/// key; `Debug` does not show it (B 11.1), and whoever writes them down otherwise has to leave it
/// out, see [`Config::without_secrets`].
#[derive(Clone, Debug)]
pub enum Tapped {
    /// A client begins. Comes first, once.
    Began {
        /// What it was started with.
        config: Config,
        /// Its randomness.
        seed: u64,
    },
    /// The core has handled an event.
    Handled {
        /// When.
        now: Instant,
        /// What went in.
        event: Event,
        /// What came out.
        commands: Vec<Command>,
    },
}

/// How much is in the queue.
#[derive(Default)]
struct Level {
    bytes: AtomicUsize,
    is_cut_off: AtomicBool,
}

/// A tap for one client, and the end to read it from.
///
/// The client never waits for the reader. If that falls far behind, the client goes on without it
/// ([`TapReader::is_cut_off`]).
pub fn tap() -> (Tap, TapReader) {
    let (sender, receiver) = sync_channel(QUEUE);
    let level = Arc::<Level>::default();
    let inlet = Inlet { sender: Mutex::new(Some(sender)), level: Arc::clone(&level) };
    (Tap(Arc::new(inlet)), TapReader { receiver, level })
}

impl Tap {
    /// Opens it for a client.
    ///
    /// # Errors
    /// [`StartError::UsedTap`] if another client has it.
    pub(crate) fn open(&self, config: &Config, seed: u64) -> Result<OpenTap, StartError> {
        let sender = self.0.sender.lock().unwrap_or_else(PoisonError::into_inner).take();
        let sender = sender.ok_or(StartError::UsedTap)?;
        let mut tap = OpenTap { sender: Some(sender), level: Arc::clone(&self.0.level) };
        tap.tell(Tapped::Began { config: config.clone(), seed });
        Ok(tap)
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tap").finish_non_exhaustive()
    }
}

/// The driver's end.
pub(crate) struct OpenTap {
    sender: Option<SyncSender<Tapped>>,
    level: Arc<Level>,
}

impl OpenTap {
    /// Hands it on, or lets go of a reader that does not keep up. Never waits.
    pub(crate) fn tell(&mut self, tapped: Tapped) {
        let Some(sender) = &self.sender else { return };
        let bytes = tapped.bytes();
        let is_full = self.level.bytes.fetch_add(bytes, Ordering::Relaxed) > QUEUED_BYTES;
        if is_full || sender.try_send(tapped).is_err() {
            self.level.is_cut_off.store(true, Ordering::Release);
            self.sender = None;
        }
    }

    /// Whether somebody listens.
    pub(crate) fn is_open(&self) -> bool {
        self.sender.is_some()
    }
}

impl Tapped {
    fn bytes(&self) -> usize {
        let brought = match self {
            Self::Handled { event: Event::Effect { outcome, .. }, .. } => match outcome {
                Outcome::ResponseChunk(chunk) => chunk.len(),
                Outcome::ResponseHead(head) => {
                    head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
                }
                Outcome::SourceUpdate(SourceUpdate::ChangeSet(change_set)) => change_set.bytes(),
                _ => 0,
            },
            _ => 0,
        };
        brought + mem::size_of::<Self>()
    }
}

impl TapReader {
    /// Whether the client went on without its reader, which did not keep up.
    pub fn is_cut_off(&self) -> bool {
        self.level.is_cut_off.load(Ordering::Acquire)
    }
}

impl Iterator for TapReader {
    type Item = Tapped;

    fn next(&mut self) -> Option<Tapped> {
        let tapped = self.receiver.recv().ok()?;
        self.level.bytes.fetch_sub(tapped.bytes(), Ordering::Relaxed);
        Some(tapped)
    }
}

impl FusedIterator for TapReader {}

impl fmt::Debug for TapReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TapReader").field("is_cut_off", &self.is_cut_off()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use fdv2_core::ResponseHead;
    use fdv2_core::model::Kind;
    use fdv2_core::snapshot::ChangeSetBuilder;

    use super::*;

    fn config() -> Config {
        Config::offline().build().unwrap()
    }

    fn tick() -> Tapped {
        Tapped::Handled { now: Instant::EPOCH, event: Event::Tick, commands: Vec::new() }
    }

    #[test]
    fn a_tap_is_for_one_client() {
        let (tap, mut reader) = tap();
        let opened = tap.clone().open(&config(), 7).unwrap();
        assert!(matches!(tap.open(&config(), 8), Err(StartError::UsedTap)));
        drop(opened);
        assert!(matches!(reader.next(), Some(Tapped::Began { seed: 7, .. })));
        assert!(reader.next().is_none());
        assert!(!reader.is_cut_off());
    }

    /// B 11.1.
    #[test]
    fn the_sdk_key_is_not_shown() {
        let config = Config::streaming("sdk-s3cret").header("x-token", "s3cret").build().unwrap();
        let (tap, mut reader) = tap();
        let mut opened = tap.open(&config, 7).unwrap();
        let mut system = fdv2_core::DataSystem::new(config, 7);
        let commands: Vec<_> = system.handle(Instant::EPOCH, Event::Start).collect();
        assert!(commands.iter().any(|command| matches!(command, Command::Start { .. })));
        opened.tell(Tapped::Handled { now: Instant::EPOCH, event: Event::Start, commands });
        drop(opened);
        let shown = format!("{:?}{:?}", reader.next().unwrap(), reader.next().unwrap());
        assert!(shown.contains("authorization") && !shown.contains("s3cret"), "{shown}");
    }

    #[test]
    fn a_reader_that_does_not_keep_up_is_left_with_what_it_has() {
        let (tap, mut reader) = tap();
        let mut opened = tap.open(&config(), 7).unwrap();
        (0..QUEUE + 10).for_each(|_| opened.tell(tick()));
        assert!(!opened.is_open());
        assert_eq!(reader.by_ref().count(), QUEUE);
        assert!(reader.is_cut_off());
    }

    /// What custom sources bring, and heads, which can be large.
    #[test]
    fn bytes_count_wherever_they_are() {
        let mut change_set = ChangeSetBuilder::full();
        let flag = format!(r#"{{"x":"{}"}}"#, "x".repeat(1 << 20));
        change_set.put(Kind::Flag, "f", 1, &flag).unwrap();
        let change_set = change_set.finish(None);
        let headers = [(http::header::SERVER, "x".repeat(1 << 18).parse().unwrap())];
        let head = ResponseHead { status: 200, headers: headers.into_iter().collect() };
        for (outcome, most) in
            [(Outcome::SourceUpdate(change_set.into()), 64), (Outcome::ResponseHead(head), 256)]
        {
            let (tap, reader) = tap();
            let mut opened = tap.open(&config(), 7).unwrap();
            let id = fdv2_core::EffectId { lane: fdv2_core::Lane::Source, generation: 1 };
            let told = (0..=most).take_while(|_| {
                let event = Event::Effect { id, outcome: outcome.clone() };
                opened.tell(Tapped::Handled { now: Instant::EPOCH, event, commands: Vec::new() });
                opened.is_open()
            });
            assert_eq!(told.count(), most);
            assert!(reader.is_cut_off());
        }
    }

    #[test]
    fn the_bytes_that_wait_are_bounded_and_what_was_read_makes_room() {
        let (tap, mut reader) = tap();
        let mut opened = tap.open(&config(), 7).unwrap();
        let id = fdv2_core::EffectId { lane: fdv2_core::Lane::Source, generation: 1 };
        let chunk = || {
            let outcome = Outcome::ResponseChunk(vec![0; 1 << 20].into());
            let event = Event::Effect { id, outcome };
            Tapped::Handled { now: Instant::EPOCH, event, commands: Vec::new() }
        };
        for _ in 0..200 {
            opened.tell(chunk());
            assert!(reader.next().is_some());
        }
        assert!(opened.is_open());
        (0..100).for_each(|_| opened.tell(chunk()));
        assert!(!opened.is_open() && reader.is_cut_off());
    }
}

//! Files as a source of a client.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use fdv2_client::config::Custom;
use fdv2_client::core::effect::CustomError;
use fdv2_client::core::{OpenSource, SourceUpdate};
use fdv2_client::{CustomSource, NamedSource, status::ErrorKind};
use futures::channel::mpsc;
use futures::stream::{self, BoxStream, StreamExt};

use crate::DuplicateKeys;
use crate::attempt::{Attempt, Known};

/// How often files are looked at, if nothing else is said.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// How often to see whether the attempt before has ended: it does so at once unless it hangs.
const TURN: Duration = Duration::from_millis(10);

/// Zero would be a hot loop.
const LEAST: Duration = Duration::from_millis(1);

/// Flags from files, as initializer, as synchronizer or as both (B 4.6).
///
/// ```
/// use fdv2_client::{Config, NamedSource};
/// use fdv2_files::FileSource;
///
/// let files = FileSource::new(["flags.json", "more.yaml"]);
/// let config = Config::keyless().synchronizer(files.configured()).build()?;
/// // let client = ClientBuilder::new(config).source(files).start()?;
/// # Ok::<(), fdv2_client::ConfigError>(())
/// ```
///
/// As synchronizer it reads the files again when they change; as initializer it reads them once.
/// What it brings has no selector, so that it counts as [cached] (B 6.5), and goes to no persistent
/// store (B 9.4). A flag or segment without version has the number of the load that brought it as
/// it is. Files that cannot be used change nothing: the client's status says what is wrong, with
/// file, line and column, and they are read again when they change.
///
/// All reading is done on a thread of its own, never on an executor. A source is of one client.
///
/// [cached]: fdv2_client::Availability::Cached
#[derive(Debug)]
pub struct FileSource {
    name: Arc<str>,
    paths: Vec<PathBuf>,
    duplicates: DuplicateKeys,
    check_interval: Duration,
    /// What is known of the files, from one attempt to the next.
    known: Arc<Mutex<Option<Known>>>,
}

impl FileSource {
    /// Flags from these files together, named `files`.
    pub fn new<P: Into<PathBuf>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self {
            name: "files".into(),
            paths: paths.into_iter().map(Into::into).collect(),
            duplicates: DuplicateKeys::default(),
            check_interval: CHECK_INTERVAL,
            known: Arc::default(),
        }
    }

    /// Has another name, so that one client can have several of them.
    pub fn named(mut self, name: impl Into<Arc<str>>) -> Self {
        self.name = name.into();
        self
    }

    /// What is done when a key stands in two files. It is an error by default.
    pub fn duplicate_keys(mut self, policy: DuplicateKeys) -> Self {
        self.duplicates = policy;
        self
    }

    /// How often the files are looked at: 1 s. At least 1 ms. A change counts at the next look, a
    /// fault and a change in YAML at the one after that, which is not more than 1 s later.
    pub fn check_interval(mut self, interval: Duration) -> Self {
        self.check_interval = interval.max(LEAST);
        self
    }
}

impl NamedSource for FileSource {
    fn configured(&self) -> Custom {
        Custom::new(Arc::clone(&self.name)).file()
    }
}

impl CustomSource for FileSource {
    fn open(&self, _: OpenSource) -> BoxStream<'static, SourceUpdate> {
        let known = Arc::clone(&self.known);
        let (paths, duplicates) = (self.paths.clone(), self.duplicates);
        let interval = self.check_interval;
        // Its end stops the thread.
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (updates, told) = mpsc::channel(1);
        let work = move || {
            let Some(mut known) = take_turn(&known, &stopped) else { return };
            let files = known.take().unwrap_or_else(|| Known::new(paths, duplicates));
            *known = Some(Attempt::new(files, interval, updates).run(&stopped));
        };
        match thread::Builder::new().name("fdv2-files".to_owned()).spawn(work) {
            Ok(_) => told
                .map(move |update| {
                    let _ = &stop;
                    update
                })
                .boxed(),
            Err(error) => {
                let message = format!("no thread to read the files on: {error}").into();
                let error = CustomError { kind: ErrorKind::Unknown, message };
                stream::iter([SourceUpdate::Failed(error)]).boxed()
            }
        }
    }
}

/// Waits for the attempt before this one, which may hang in a read. `None` when this one is given
/// up first.
fn take_turn<'a>(
    known: &'a Mutex<Option<Known>>,
    stopped: &Receiver<()>,
) -> Option<MutexGuard<'a, Option<Known>>> {
    loop {
        match known.try_lock() {
            Ok(known) => return Some(known),
            // What panicked has left nothing: everything is read anew.
            Err(TryLockError::Poisoned(panicked)) => return Some(panicked.into_inner()),
            Err(TryLockError::WouldBlock) => {}
        }
        if stopped.recv_timeout(TURN) != Err(RecvTimeoutError::Timeout) {
            return None;
        }
    }
}

#[cfg(test)]
mod tests;

//! What the files say, look by look.

use std::path::PathBuf;
use std::sync::Arc;

use crate::item::FileItem;
use crate::set::{FileSet, SetLook};
use crate::{DuplicateKeys, FileError};

/// Looks at files, and knows what they say. Each look blocks, so it belongs on a thread for that.
///
/// A change of a file becomes visible whole or not at all: a file that is being written, that is
/// gone for a moment or that cannot be used leaves what was known. A fault counts when a second
/// look finds one, too: what is mended by then was a write half done.
///
/// ```
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("flags.json");
/// # std::fs::write(&path, r#"{"flagValues": {"dark-mode": true}}"#)?;
/// use fdv2_files::{DuplicateKeys, State, Watcher};
///
/// let mut watcher = Watcher::new([path], DuplicateKeys::Fail);
/// match watcher.look() {
///     Some(State::Good(load)) => assert_eq!(load.items.len(), 1),
///     Some(State::Broken(error)) => panic!("{error}"),
///     None => panic!("a good file in JSON needs one look"),
/// }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Watcher {
    files: FileSet,
    state: Option<State>,
    /// The newest good load, whatever came after it.
    newest: Option<Arc<Load>>,
    /// The last look found a fault.
    is_doubtful: bool,
    is_unsure: bool,
}

/// What is known of the files.
#[derive(Clone, Debug)]
pub enum State {
    /// They can be used, and say this.
    Good(Arc<Load>),
    /// They cannot be used as they are.
    Broken(FileError),
}

/// What the files said at one time.
#[derive(Clone, Debug)]
pub struct Load {
    /// Counts the loads that differ from the one before, from 1.
    pub number: u64,
    /// All flags and segments, in the order of their ids.
    pub items: Vec<FileItem>,
}

impl Watcher {
    /// Will look at these files, which together say what the flags are.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>, duplicates: DuplicateKeys) -> Self {
        Self {
            files: FileSet::new(paths, duplicates),
            state: None,
            newest: None,
            is_doubtful: false,
            is_unsure: false,
        }
    }

    /// What is known now; `None` before a look has come to an end that counts.
    pub fn state(&self) -> Option<&State> {
        self.state.as_ref()
    }

    /// Whether the last look found something of which only another one can tell whether it counts:
    /// then look again soon.
    pub fn is_unsure(&self) -> bool {
        self.is_unsure
    }

    /// Reads the files that may have changed, and tells the new state if there is one. Blocks.
    pub fn look(&mut self) -> Option<&State> {
        let look = self.files.look();
        let was_doubtful = std::mem::replace(&mut self.is_doubtful, false);
        self.is_unsure = matches!(look, SetLook::Unsettled);
        let is_news = match look {
            SetLook::Same | SetLook::Unsettled => false,
            SetLook::Items(items) => self.on_items(items),
            SetLook::Faulty(error) => self.on_fault(error, was_doubtful),
        };
        self.state.as_ref().filter(|_| is_news)
    }

    fn on_fault(&mut self, error: FileError, was_doubtful: bool) -> bool {
        self.is_doubtful = true;
        let is_known = matches!(&self.state, Some(State::Broken(known)) if *known == error);
        let is_news = was_doubtful && !is_known;
        self.is_unsure = !was_doubtful && !is_known;
        if is_news {
            self.state = Some(State::Broken(error));
        }
        is_news
    }

    fn on_items(&mut self, items: Vec<FileItem>) -> bool {
        let is_same = |load: &&Arc<Load>| {
            load.items.len() == items.len()
                && load.items.iter().zip(&items).all(|(old, new)| old.is_same(new))
        };
        if let Some(same) = self.newest.as_ref().filter(is_same) {
            let was_good = matches!(self.state, Some(State::Good(_)));
            self.state = Some(State::Good(Arc::clone(same)));
            return !was_good;
        }
        let number = self.newest.as_ref().map_or(1, |load| load.number + 1);
        let load = Arc::new(Load { number, items });
        self.newest = Some(Arc::clone(&load));
        self.state = Some(State::Good(load));
        true
    }
}

#[cfg(test)]
mod tests;

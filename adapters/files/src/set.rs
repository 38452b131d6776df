//! Several files that together say what the flags are.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Fault;
use crate::item::{FileItem, ItemId};
use crate::parse::{self, Format};
use crate::read::{Look, Reader};
use crate::{FileError, Position};

/// What is done when a flag or a segment stands in two files, or in two parts of one.
///
/// Twice in the same object of one file is an error in either case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The files cannot be used (B 4.6).
    #[default]
    Fail,
    /// The first one counts, in the order in which the files were named.
    KeepFirst,
}

/// What a look at all files found.
#[derive(Debug)]
pub(crate) enum SetLook {
    /// What was known.
    Same,
    /// Something new, of which only the next look can tell whether it is whole.
    Unsettled,
    /// All of them can be used. In the order of the items' ids.
    Items(Vec<FileItem>),
    /// One of them cannot be used, or they contradict each other.
    Faulty(FileError),
}

/// Files, looked at again and again.
#[derive(Debug)]
pub(crate) struct FileSet {
    files: Vec<Part>,
    duplicates: DuplicateKeys,
    /// Something changed since the last [`SetLook::Items`].
    is_changed: bool,
    /// What is wrong with all of them together, each being good.
    contradiction: Option<FileError>,
}

#[derive(Debug)]
struct Part {
    reader: Reader,
    /// What it says, while it can be used.
    items: Option<Vec<FileItem>>,
}

impl FileSet {
    pub(crate) fn new(paths: impl IntoIterator<Item = PathBuf>, duplicates: DuplicateKeys) -> Self {
        let part = |path| Part { reader: Reader::new(path), items: None };
        Self {
            files: paths.into_iter().map(part).collect(),
            duplicates,
            is_changed: true,
            contradiction: None,
        }
    }

    /// Reads those files that may say something else than at the last look.
    pub(crate) fn look(&mut self) -> SetLook {
        if self.files.is_empty() {
            return SetLook::Faulty(no_file());
        }
        let mut fault = None;
        let mut is_settled = true;
        for part in &mut self.files {
            match part.reader.look() {
                Look::Same => {}
                Look::Items(items) => {
                    part.items = Some(items);
                    self.is_changed = true;
                    self.contradiction = None;
                }
                Look::Unsettled => {
                    self.is_changed = true;
                    is_settled = false;
                }
                Look::Faulty(found) => {
                    part.items = None;
                    self.is_changed = true;
                    fault.get_or_insert_with(|| found.in_file(part.reader.path()));
                }
            }
        }
        match (fault, &self.contradiction) {
            (Some(fault), _) => SetLook::Faulty(fault),
            _ if !is_settled => SetLook::Unsettled,
            (None, Some(contradiction)) => SetLook::Faulty(contradiction.clone()),
            (None, None) if !self.is_changed => SetLook::Same,
            (None, None) => self.unite(),
        }
    }

    fn unite(&mut self) -> SetLook {
        let parts = self
            .files
            .iter()
            .filter_map(|part| part.items.as_ref().map(|items| (part.reader.path(), &items[..])));
        match unite(parts, self.duplicates) {
            Ok(items) => {
                self.is_changed = false;
                SetLook::Items(items)
            }
            Err(contradiction) => {
                self.contradiction = Some(contradiction.clone());
                SetLook::Faulty(contradiction)
            }
        }
    }
}

/// A list that came out empty by mistake must not take every flag away.
fn no_file() -> FileError {
    let message = "no flag file was named; name at least one".to_owned();
    FileError { file: PathBuf::new(), position: None, message }
}

/// The flags and segments of a flag file with these contents, in the order of their ids. Its name
/// tells the format: JSON for `.json`, YAML for `.yaml` and `.yml`; with another name, JSON if it
/// begins with a brace.
///
/// # Errors
/// [`FileError`] if the file cannot be used, the same key twice included.
pub fn parse(file: &Path, contents: &[u8]) -> Result<Vec<FileItem>, FileError> {
    let items = parse::parse(contents, Format::of(file, contents));
    let items = items.map_err(|fault| fault.in_file(file))?;
    unite([(file, &items[..])], DuplicateKeys::Fail)
}

/// The items of all parts, in the order of their ids.
fn unite<'a>(
    parts: impl IntoIterator<Item = (&'a Path, &'a [FileItem])>,
    duplicates: DuplicateKeys,
) -> Result<Vec<FileItem>, FileError> {
    let mut first: BTreeMap<&ItemId, (&Path, &FileItem)> = BTreeMap::new();
    for (path, items) in parts {
        for item in items {
            match first.get(&item.id) {
                None => drop(first.insert(&item.id, (path, item))),
                Some(_) if duplicates == DuplicateKeys::KeepFirst => {}
                Some((other, there)) => {
                    return Err(second(item, other, there.position).in_file(path));
                }
            }
        }
    }
    Ok(first.into_values().map(|(_, item)| item.clone()).collect())
}

fn second(item: &FileItem, other: &Path, there: Position) -> Fault {
    let ItemId { kind, key } = &item.id;
    let place = format!("{}:{there}", other.display());
    let what = format!("there is a second {} {key:?}; the first is at {place}", kind.name());
    Fault::at(item.position, what)
}

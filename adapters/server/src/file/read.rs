//! Reading a file that others may be writing at the same moment.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::error::Fault;
use super::item::FileItem;
use super::parse::parse;

/// The largest flag file that is read: the limit on one transfer (B 1.13).
const MAX_BYTES: u64 = 256 << 20;

/// A file whose time of change is younger than this may change again without it showing.
const FRESH: Duration = Duration::from_secs(2);

/// What tells one state of the file from another: where the links lead, its size, its time.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp {
    target: PathBuf,
    bytes: u64,
    modified: Option<SystemTime>,
}

impl Stamp {
    fn of(path: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path)?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(io::Error::other("this is not a file"));
        }
        Ok(Self { target, bytes: metadata.len(), modified: metadata.modified().ok() })
    }

    fn is_fresh(&self) -> bool {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.is_none_or(|age| age < FRESH)
    }
}

/// What a look at the file found.
#[derive(Debug)]
pub(super) enum Look {
    /// What it said at the last look.
    Same,
    /// It could be used.
    Items(Vec<FileItem>),
    /// It cannot be used.
    Faulty(Fault),
}

/// One file, looked at again and again.
#[derive(Debug)]
pub(super) struct Reader {
    path: PathBuf,
    /// The file's state at the last look, if a change from it would show.
    stamp: Option<Stamp>,
    /// The digest of what could be used at the last look.
    digest: Option<u64>,
}

impl Reader {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, stamp: None, digest: None }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file if it may say something else than at the last look.
    pub(super) fn look(&mut self) -> Look {
        let result = match self.read_if_changed() {
            Ok(Some(bytes)) => self.parse_if_changed(&bytes),
            Ok(None) => Ok(None),
            Err(error) => Err(Fault::of_file(describe(&error))),
        };
        match result {
            Ok(None) => Look::Same,
            Ok(Some(items)) => Look::Items(items),
            Err(fault) => {
                // It may be a write half done: the next look reads again.
                *self = Self::new(std::mem::take(&mut self.path));
                Look::Faulty(fault)
            }
        }
    }

    fn read_if_changed(&mut self) -> io::Result<Option<Vec<u8>>> {
        let before = Stamp::of(&self.path)?;
        if self.stamp.as_ref() == Some(&before) {
            return Ok(None);
        }
        let bytes = read(&before.target)?;
        if Stamp::of(&self.path)? != before {
            return Err(io::Error::other("it changed while it was read"));
        }
        self.stamp = (!before.is_fresh()).then_some(before);
        Ok(Some(bytes))
    }

    fn parse_if_changed(&mut self, bytes: &[u8]) -> Result<Option<Vec<FileItem>>, Fault> {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let digest = Some(hasher.finish());
        if digest == self.digest {
            return Ok(None);
        }
        let items = parse(bytes)?;
        self.digest = digest;
        Ok(Some(items))
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::Error::other("the file is larger than 256 MiB"));
    }
    Ok(bytes)
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "reading the file is not permitted".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    }
}

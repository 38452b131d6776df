//! Reading a file that others may be writing at the same moment.

use std::fs::File;
use std::hash::{DefaultHasher, Hasher};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::Fault;
use crate::item::FileItem;
use crate::parse::{Format, parse};
use crate::stamp::Stamp;

/// The largest flag file that is read: the limit on one transfer (B 1.13).
const MAX_BYTES: u64 = 256 << 20;

/// What a look at one file found.
#[derive(Debug)]
pub(crate) enum Look {
    /// What it said at the last look.
    Same,
    /// It could be used.
    Items(Vec<FileItem>),
    /// Something new, of which only the next look can tell whether it is whole.
    Unsettled,
    /// It cannot be used.
    Faulty(Fault),
}

/// One file, looked at again and again.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    /// The file's state at the last look, if a change from it would show.
    stamp: Option<Stamp>,
    /// So its time said when it was read last.
    was_written_long_ago: bool,
    last: Last,
}

/// What the last look found.
#[derive(Debug)]
enum Last {
    Nothing,
    /// Something that could be used, of this digest.
    Good(u64),
    /// Something that may be half written, of this digest.
    Unsettled(u64),
    Faulty(Fault),
}

impl Reader {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self { path, stamp: None, was_written_long_ago: false, last: Last::Nothing }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file if it may say something else than at the last look.
    pub(crate) fn look(&mut self) -> Look {
        match self.read_if_changed() {
            Ok(Some(bytes)) => self.parse_if_changed(&bytes),
            Ok(None) => match &self.last {
                Last::Faulty(fault) => Look::Faulty(fault.clone()),
                Last::Nothing | Last::Good(_) | Last::Unsettled(_) => Look::Same,
            },
            Err(error) => {
                self.stamp = None;
                self.faulty(Fault::of_file(describe(&error)))
            }
        }
    }

    fn read_if_changed(&mut self) -> io::Result<Option<Vec<u8>>> {
        let before = Stamp::of(&self.path)?;
        if self.stamp.as_ref() == Some(&before) {
            return Ok(None);
        }
        if before.bytes() > MAX_BYTES {
            return Err(too_large());
        }
        let bytes = read(before.target())?;
        if Stamp::of(&self.path)? != before {
            return Err(io::Error::other("it changed while it was read"));
        }
        self.was_written_long_ago = before.was_written_long_ago();
        self.stamp = before.would_tell().then_some(before);
        Ok(Some(bytes))
    }

    fn parse_if_changed(&mut self, bytes: &[u8]) -> Look {
        let mut hasher = DefaultHasher::new();
        hasher.write(bytes);
        let digest = hasher.finish();
        if matches!(self.last, Last::Good(known) if known == digest) {
            return Look::Same;
        }
        let format = Format::of(&self.path, bytes);
        match parse(bytes, format) {
            Ok(_) if format == Format::Yaml && !self.is_settled(digest) => {
                // It is read again, whether its times tell of a change or not.
                self.stamp = None;
                match std::mem::replace(&mut self.last, Last::Unsettled(digest)) {
                    Last::Unsettled(_) => Look::Faulty(Fault::of_file("it keeps changing")),
                    Last::Nothing | Last::Good(_) | Last::Faulty(_) => Look::Unsettled,
                }
            }
            Ok(items) => {
                self.last = Last::Good(digest);
                Look::Items(items)
            }
            Err(fault) => self.faulty(fault),
        }
    }

    /// Whether what was read is whole, as far as can be known. The beginning of a YAML file may be
    /// good YAML, so it has to be old, or still be the same at the next look. One that was seen to
    /// change is not old, whatever its time says.
    fn is_settled(&self, digest: u64) -> bool {
        match self.last {
            Last::Nothing => self.was_written_long_ago,
            Last::Unsettled(known) => known == digest,
            Last::Good(_) | Last::Faulty(_) => false,
        }
    }

    fn faulty(&mut self, fault: Fault) -> Look {
        self.last = Last::Faulty(fault.clone());
        Look::Faulty(fault)
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(too_large());
    }
    Ok(bytes)
}

fn too_large() -> io::Error {
    io::Error::other("the file is larger than 256 MiB")
}

fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "reading the file is not permitted".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    }
}

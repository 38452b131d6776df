//! What can be wrong with a flag file.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a flag file cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file; empty if none was named.
    pub file: PathBuf,
    /// Where in it, if the fault has a place.
    pub position: Option<Position>,
    /// What is wrong, for people.
    pub message: String,
}

/// A place in a file, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in characters.
    pub column: usize,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.file.as_os_str().is_empty() {
            return f.write_str(&self.message);
        }
        write!(f, "{}", self.file.display())?;
        if let Some(position) = self.position {
            write!(f, ":{position}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileError {}

/// `line:column`.
impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A fault in the text, before it is known which file it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) position: Option<Position>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn at(position: Position, message: impl Into<String>) -> Self {
        Self { position: Some(position), message: message.into() }
    }

    /// A fault of the file as a whole.
    pub(crate) fn of_file(message: impl Into<String>) -> Self {
        Self { position: None, message: message.into() }
    }

    /// The fault with the file it is in.
    pub(crate) fn in_file(self, file: &Path) -> FileError {
        FileError { file: file.to_owned(), position: self.position, message: self.message }
    }
}

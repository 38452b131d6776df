//! What can be wrong with a flag file.

use std::fmt;
use std::path::{Path, PathBuf};

/// Why a flag file cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The file.
    pub file: PathBuf,
    /// Where in it, if the fault has a place.
    pub position: Option<Position>,
    /// What is wrong, for people.
    pub message: String,
}

/// A place in a file, both counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column, in bytes.
    pub column: usize,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some(Position { line, column }) = self.position {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for FileError {}

/// A fault in the text, before it is known which file it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) position: Option<Position>,
    pub(super) message: String,
}

impl Fault {
    /// A fault at a byte of `text`.
    pub(super) fn at(text: &[u8], offset: usize, message: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.len() - line_start;
        Self { position: Some(Position { line, column }), message: message.into() }
    }

    /// A fault in the JSON text that begins at a byte of `text`, told as serde_json does: with the
    /// place at its end, counted from where the JSON begins.
    pub(super) fn in_json(text: &[u8], offset: usize, told: &str) -> Self {
        let Some((message, place)) = split_place(told) else { return Self::at(text, offset, told) };
        let mut fault = Self::at(text, offset, message);
        if let Some(position) = &mut fault.position {
            let first_column = if place.line == 1 { position.column } else { 1 };
            position.line += place.line.saturating_sub(1);
            position.column = first_column + place.column.saturating_sub(1);
        }
        fault
    }

    /// A fault of the file as a whole.
    pub(super) fn of_file(message: impl Into<String>) -> Self {
        Self { position: None, message: message.into() }
    }

    /// The fault with the file it is in.
    pub(super) fn in_file(&self, file: &Path) -> FileError {
        FileError { file: file.to_owned(), position: self.position, message: self.message.clone() }
    }
}

/// Takes the place off the end of what serde_json says.
fn split_place(told: &str) -> Option<(&str, Position)> {
    let (message, place) = told.rsplit_once(" at line ")?;
    let (line, column) = place.split_once(" column ")?;
    Some((message, Position { line: line.parse().ok()?, column: column.parse().ok()? }))
}

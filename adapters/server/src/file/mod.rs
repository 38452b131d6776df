//! The flag file: reading, parsing, watching.

mod error;
mod item;
mod json;
mod parse;
mod read;
mod watch;

pub use error::{FileError, Position};
pub(crate) use item::{FileItem, ItemId};
pub(crate) use watch::Watcher;

/// The items of a good file, for tests.
#[cfg(test)]
pub(crate) fn parse_items(text: &str) -> Vec<FileItem> {
    parse::parse(text.as_bytes()).expect("a good file")
}

//! Directories of a test's own.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// An empty directory, removed with all that is in it when it is dropped.
pub struct Scratch(TempDir);

impl Scratch {
    /// A new one.
    pub fn new() -> Self {
        Self(TempDir::new().expect("the directory for temporary files can be written"))
    }

    /// Where a file of this name is or would be.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

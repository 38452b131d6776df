//! Directories of a test's own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

static MADE: AtomicUsize = AtomicUsize::new(0);

/// An empty directory, removed with all that is in it when it is dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    /// A new one.
    pub fn new() -> Self {
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("fdv2-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the directory for temporary files can be written");
        Self(path)
    }

    /// Where a file of this name is or would be.
    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The directory.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Default for Scratch {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left behind is in the directory for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

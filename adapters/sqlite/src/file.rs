//! Which file a path leads to.

use std::path::Path;

/// Names one file for as long as it exists, whatever its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FileId {
    #[cfg(unix)]
    device_and_inode: (u64, u64),
}

impl FileId {
    /// `None` if there is no file.
    #[cfg(unix)]
    pub(crate) fn of(path: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata().ok()?;
        Some(Self { device_and_inode: (metadata.dev(), metadata.ino()) })
    }

    /// Where an open file cannot be removed it stays the same.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Path) -> Option<Self> {
        Some(Self {})
    }
}

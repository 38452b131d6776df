//! Telling whether a file is still what it was, without reading it.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A file whose time of change is younger than this may change again without it showing.
const FRESH: Duration = Duration::from_secs(2);

/// What tells one state of the file from another: where the links lead, its size, its times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    target: PathBuf,
    bytes: u64,
    /// When it was written, as far as it says. Many programs set it to what it was elsewhere.
    modified: Option<SystemTime>,
    /// When it was written, renamed or told another time. No program sets it.
    changed: Option<SystemTime>,
}

impl Stamp {
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let target = fs::canonicalize(path)?;
        let metadata = fs::metadata(&target)?;
        if !metadata.is_file() {
            return Err(io::Error::other("this is not a file"));
        }
        let modified = metadata.modified().ok();
        let changed = changed(&metadata).or(modified);
        Ok(Self { target, bytes: metadata.len(), modified, changed })
    }

    /// The file itself, behind all links.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// So its time says.
    pub(crate) fn was_written_long_ago(&self) -> bool {
        is_old(self.modified)
    }

    /// Whether a change from this state would show.
    pub(crate) fn would_tell(&self) -> bool {
        is_old(self.modified) && is_old(self.changed)
    }
}

#[cfg(unix)]
fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanos = u64::try_from(metadata.ctime_nsec()).ok()?;
    let since = Duration::from_secs(seconds).checked_add(Duration::from_nanos(nanos))?;
    SystemTime::UNIX_EPOCH.checked_add(since)
}

#[cfg(not(unix))]
fn changed(_: &Metadata) -> Option<SystemTime> {
    None
}

fn is_old(time: Option<SystemTime>) -> bool {
    time.and_then(|time| time.elapsed().ok()).is_some_and(|age| age >= FRESH)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::File;
    use std::time::Instant;

    use tempfile::TempDir;

    use super::*;

    /// Writes a file with an old time, as what unpacks an archive or copies with its times does.
    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }

    #[test]
    fn an_edit_that_keeps_size_and_time_shows() {
        let dir = TempDir::new().unwrap();
        let [path, new] = ["a", "b"].map(|name| dir.path().join(name));
        write(&path, "1");
        let first = Stamp::of(&path).unwrap();
        assert!(first.was_written_long_ago() && !first.would_tell());
        let begun = Instant::now();
        // A system's clock for files goes in steps.
        while Stamp::of(&path).unwrap() == first {
            assert!(begun.elapsed() < Duration::from_secs(60), "the edit in place does not show");
            write(&path, "2");
        }
        let second = Stamp::of(&path).unwrap();
        while Stamp::of(&path).unwrap() == second {
            assert!(begun.elapsed() < Duration::from_secs(60), "the other file does not show");
            write(&new, "3");
            fs::rename(&new, &path).unwrap();
        }
    }
}

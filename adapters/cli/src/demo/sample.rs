//! A temporary copy of the sample flag file, and its edits.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use std::{env, fs, io, process};

use serde_json::Value;

use crate::failure::Failure;

const FLAGS: &str = include_str!("flags.json");

/// A flag file in a directory of its own, which is removed in the end.
pub(crate) struct Sample {
    dir: PathBuf,
    file: PathBuf,
}

impl Sample {
    pub(crate) fn create() -> Result<Self, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("fdv2-demo-{}-{}", process::id(), now.subsec_nanos());
        let dir = env::temp_dir().join(name);
        let file = dir.join("flags.json");
        let fail = |error: io::Error| {
            Failure::Failed(format!("{} cannot be written: {error}", file.display()))
        };
        fs::create_dir(&dir).map_err(fail)?;
        let sample = Self { dir, file: file.clone() };
        fs::write(&sample.file, FLAGS).map_err(fail)?;
        Ok(sample)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.file
    }

    /// Sets the part of the file that the JSON pointer names, and saves the file as an editor
    /// does: whole, under its old name.
    pub(crate) fn edit(&self, pointer: &str, value: Value) -> Result<(), Failure> {
        self.try_edit(pointer, value).map_err(|error| {
            Failure::Failed(format!("{} cannot be edited: {error}", self.file.display()))
        })
    }

    fn try_edit(&self, pointer: &str, value: Value) -> io::Result<()> {
        let mut flags: Value = serde_json::from_slice(&fs::read(&self.file)?)?;
        let place = flags.pointer_mut(pointer);
        *place.ok_or_else(|| io::Error::other(format!("there is no {pointer} in it")))? = value;
        let new = self.dir.join("flags.json.new");
        fs::write(&new, serde_json::to_vec_pretty(&flags)?)?;
        fs::rename(new, &self.file)
    }
}

impl Drop for Sample {
    fn drop(&mut self) {
        // It lies in the directory for temporary files, so that a failure harms nobody.
        let _ = fs::remove_dir_all(&self.dir);
    }
}

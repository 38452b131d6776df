//! A temporary copy of the sample flag file, and its edits.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::Value;
use tempfile::TempDir;

use crate::failure::Failure;

const FLAGS: &str = include_str!("flags.json");

/// A flag file in a directory of its own, which is removed in the end.
pub(crate) struct Sample {
    dir: TempDir,
    file: PathBuf,
}

impl Sample {
    pub(crate) fn create() -> Result<Self, Failure> {
        Self::try_create().map_err(|error| {
            Failure::Failed(format!("no temporary flag file can be written: {error}"))
        })
    }

    fn try_create() -> io::Result<Self> {
        let dir = tempfile::Builder::new().prefix("fdv2-demo-").tempdir()?;
        let file = dir.path().join("flags.json");
        fs::write(&file, FLAGS)?;
        Ok(Self { dir, file })
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
        let new = self.dir.path().join("flags.json.new");
        fs::write(&new, serde_json::to_vec_pretty(&flags)?)?;
        fs::rename(new, &self.file)
    }
}

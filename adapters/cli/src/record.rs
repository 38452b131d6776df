//! The recording of `fdv2 watch --record`.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter};
use std::path::Path;
use std::time::Duration;

use fdv2_client::Tap;
use fdv2_recording::{Ending, Options, RecordError, Recorded};
use tokio::task::{JoinHandle, spawn_blocking};

use crate::failure::Failure;

/// How long the end of the program waits for a disk that does not answer.
const END_LIMIT: Duration = Duration::from_secs(5);

/// A recording that is being written.
pub(crate) struct Recording(JoinHandle<Result<Ending, RecordError>>);

impl Recording {
    /// Begins one in a new file, which nobody else can read.
    pub(crate) fn begin(path: &Path, options: Options) -> Result<(Tap, Self), Failure> {
        let failed = |error: io::Error| {
            let why = match error.kind() {
                io::ErrorKind::AlreadyExists => {
                    "there is such a file; name another one, or remove it".to_owned()
                }
                _ => error.to_string(),
            };
            Failure::Failed(format!("{}: {why}", path.display()))
        };
        let file = create(path).map_err(failed)?;
        let (tap, recorded): (Tap, Recorded) =
            fdv2_recording::record(BufWriter::new(file), options).map_err(failed)?;
        Ok((tap, Self(spawn_blocking(move || recorded.wait()))))
    }

    /// Waits until it has ended, and says why. Can be asked again until it has answered.
    pub(crate) async fn ended(&mut self) -> String {
        match (&mut self.0).await {
            Ok(Ok(ending)) => ending.words().to_owned(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => "the thread that writes it panicked".to_owned(),
        }
    }

    /// The client is closed: waits for the rest to be written.
    ///
    /// # Errors
    /// The file is not whole.
    pub(crate) async fn finish(self, path: &Path) -> Result<(), Failure> {
        let why = match tokio::time::timeout(END_LIMIT, self.0).await {
            Ok(Ok(Ok(_))) => return Ok(()),
            Ok(Ok(Err(error))) => error.to_string(),
            Ok(Err(_)) => "the thread that writes it panicked".to_owned(),
            Err(_) => "it is not written in time".to_owned(),
        };
        Err(Failure::Failed(format!("{} is cut off: {why}", path.display())))
    }
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

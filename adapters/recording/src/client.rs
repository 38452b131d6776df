//! Recording a running client, on a thread of its own.

use std::io::{self, Write};
use std::thread::{self, JoinHandle};

use fdv2_client::{Tap, TapReader, Tapped, tap};

use crate::error::RecordError;
use crate::line::Ending;
use crate::write::{Options, Recorder};

/// The thread that writes the recording of a client.
#[derive(Debug)]
pub struct Recorded(JoinHandle<Result<Ending, RecordError>>);

/// Records the client that is started with the tap that this gives.
///
/// Writing never holds up the client: when `out` is too slow, is full or fails, the recording ends,
/// and the client goes on. `out` is flushed with each event.
///
/// # Errors
/// There is no thread to write on.
pub fn record(out: impl Write + Send + 'static, options: Options) -> io::Result<(Tap, Recorded)> {
    let (tap, reader) = tap();
    let thread = thread::Builder::new().name("fdv2-recording".to_owned());
    let thread = thread.spawn(move || write_all(reader, out, &options))?;
    Ok((tap, Recorded(thread)))
}

impl Recorded {
    /// Whether the recording has ended.
    pub fn is_ended(&self) -> bool {
        self.0.is_finished()
    }

    /// Waits until the recording has ended: the client is closed, or something ended it earlier.
    ///
    /// # Errors
    /// [`RecordError`]: what was written is cut off.
    pub fn wait(self) -> Result<Ending, RecordError> {
        self.0.join().unwrap_or_else(|_| {
            Err(RecordError::Write(io::Error::other("the thread that writes it panicked")))
        })
    }
}

fn write_all(
    mut reader: TapReader,
    out: impl Write,
    options: &Options,
) -> Result<Ending, RecordError> {
    // A client that could not be started has nothing to record.
    let Some(Tapped::Began { config, seed }) = reader.next() else { return Ok(Ending::Closed) };
    let mut recorder = Recorder::begin(out, &config, seed, options)?;
    while recorder.ended().is_none() {
        match reader.next() {
            Some(Tapped::Handled { now, event, commands }) => {
                recorder.record(now, &event, &commands)?;
            }
            Some(Tapped::Began { .. }) => {}
            None => break,
        }
    }
    let ending = recorder.ended().unwrap_or(match reader.is_cut_off() {
        true => Ending::TooSlow,
        false => Ending::Closed,
    });
    recorder.end(ending)?;
    Ok(ending)
}

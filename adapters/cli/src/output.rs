//! Standard output, written by a thread of its own.
//!
//! A reader that does not read blocks that thread, and not the handling of signals.

use std::io::{self, Write};
use std::thread;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::failure::Failure;
use crate::style::Style;

/// So many lines wait for a slow reader; then their writer waits, too.
const QUEUE: usize = 64;

/// How long the end of the program waits for lines that nobody reads.
const END_LIMIT: Duration = Duration::from_secs(1);

/// Takes lines for standard output.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    lines: mpsc::Sender<String>,
    pub(crate) style: Style,
}

/// The thread that writes.
pub(crate) struct Printer(oneshot::Receiver<io::Result<()>>);

impl Output {
    pub(crate) fn start() -> Result<(Self, Printer), Failure> {
        let (lines, queue) = mpsc::channel(QUEUE);
        let (told, done) = oneshot::channel();
        let work = move || {
            // At the end of the program nobody may be left to be told.
            let _ = told.send(write_all(queue));
        };
        let started = thread::Builder::new().name("fdv2-output".to_owned()).spawn(work);
        match started {
            Ok(_) => Ok((Self { lines, style: Style::detect() }, Printer(done))),
            Err(error) => Err(Failure::Failed(format!("a thread cannot be started: {error}"))),
        }
    }

    /// Writes one line. What came from elsewhere stays text: it neither begins another line nor
    /// orders the terminal about.
    pub(crate) async fn line(&self, text: impl Into<String>) -> Result<(), Failure> {
        let line = self.style.harmless(text.into());
        self.lines.send(line).await.map_err(|_| Failure::OutputClosed)
    }

    /// Ends once nobody reads the output any more.
    pub(crate) async fn closed(&self) {
        self.lines.closed().await;
    }
}

impl Printer {
    /// Waits until all lines are written. All senders must be gone.
    pub(crate) async fn end(self) -> Result<(), Failure> {
        match tokio::time::timeout(END_LIMIT, self.0).await {
            Ok(Ok(Err(error))) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Failure::Failed(format!("standard output cannot be written: {error}")))
            }
            _ => Ok(()),
        }
    }
}

fn write_all(mut queue: mpsc::Receiver<String>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    while let Some(mut line) = queue.blocking_recv() {
        line.push('\n');
        stdout.write_all(line.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

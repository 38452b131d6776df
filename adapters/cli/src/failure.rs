//! How a command ends when it does not end well.

use std::io::{self, Write};
use std::process::ExitCode;

use crate::style::Style;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was said on the command line cannot be meant: exit code 2.
    Usage(String),
    /// Something went wrong: exit code 1.
    Failed(String),
    /// The output takes no more. If that is because its reader has gone, all is well.
    OutputClosed,
}

impl Failure {
    /// Says why on standard error, and returns the exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, code) = match self {
            Self::Usage(message) => (message, ExitCode::from(2)),
            Self::Failed(message) => (message, ExitCode::FAILURE),
            Self::OutputClosed => return ExitCode::SUCCESS,
        };
        // Without a place to say it, the exit code has to do.
        let _ = writeln!(io::stderr(), "error: {}", Style::plain().harmless(message));
        code
    }
}

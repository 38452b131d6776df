//! What can be wrong with a recording.

/// Why a recording cannot be read on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Damage {
    /// The file itself cannot be read.
    #[error("the recording cannot be read: {0}")]
    Unreadable(String),
    /// The first line is not that of a recording.
    #[error(
        "this is not a recording: its first line does not say so; record one with `fdv2 watch --record FILE`"
    )]
    NotOne,
    /// It was written in another version of the format.
    #[error("{}", another_version(*.version, *.known))]
    Version {
        /// The version that it says.
        version: u32,
        /// The version that is read here.
        known: u32,
    },
    /// The configuration on the first line is none.
    #[error("the first line holds a configuration that is refused: {0}")]
    Config(String),
    /// A line is not what was written.
    #[error(
        "line {line} is damaged: its checksum does not fit; copy the file again, as a binary file"
    )]
    Checksum {
        /// Counted from 1.
        line: u64,
    },
    /// The file ends in the middle of a line.
    #[error("the file is cut off in the middle of line {line}; what stands before it is whole")]
    CutOff {
        /// Counted from 1.
        line: u64,
    },
    /// The file ends without the line that says so.
    #[error(
        "the file ends after line {line} without saying so: its writer was stopped, or the rest \
         was lost; what stands there is whole"
    )]
    NoEnd {
        /// The last one, counted from 1.
        line: u64,
    },
    /// A line is longer than any can be.
    #[error("line {line} is longer than any line of a recording")]
    TooLong {
        /// Counted from 1.
        line: u64,
    },
    /// Lines are missing, or stand elsewhere.
    #[error("line {line} says that it is number {says}: lines are missing, or out of order")]
    Order {
        /// Counted from 1.
        line: u64,
        /// The number that it has in it.
        says: u64,
    },
    /// Something follows the end.
    #[error("something follows the end of the recording, in line {line}")]
    BehindTheEnd {
        /// Counted from 1.
        line: u64,
    },
    /// The line is whole, and makes no sense.
    #[error("line {line} makes no sense: {why}")]
    Nonsense {
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        why: String,
    },
}

fn another_version(version: u32, known: u32) -> String {
    let advice = if version > known {
        "read it with a newer fdv2"
    } else {
        "read it with the fdv2 that wrote it, which its first line names"
    };
    format!(
        "the recording is of version {version} of the format, and this reads version {known}; {advice}"
    )
}

/// Why something cannot be recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The configuration holds something that cannot be written down.
    #[error("the configuration holds something that a recording cannot hold yet")]
    Config,
    /// The recording may not even have its first and its last line.
    #[error("a recording of this client has at least {least} bytes; allow more")]
    MaxSize {
        /// In bytes.
        least: u64,
    },
    /// The recording cannot be written.
    #[error("the recording cannot be written: {0}")]
    Write(#[from] std::io::Error),
}

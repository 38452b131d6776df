//! The lines of a recording: a checksum, a space, one JSON object.

use std::borrow::Cow;
use std::io::{BufRead, Read, Write};

use serde::{Deserialize, Serialize};

use crate::error::Damage;
use crate::fact::Fact;
use crate::seconds::Seconds;
use crate::settings::Settings;

/// The name of the format, on the first line.
pub(crate) const FORMAT: &str = "fdv2-recording";

/// The version of the format that is written and read.
pub(crate) const VERSION: u32 = 1;

/// The longest line that is written or read, in bytes. One slice of a body has 16 KiB, one item of
/// a change set 16 MiB.
pub(crate) const LONGEST: usize = 64 << 20;

/// The most bytes that the lines of one change set have.
pub(crate) const LARGEST_CHANGE_SET: u64 = 1 << 30;

/// What the first line says of itself, whatever the version.
#[derive(Deserialize)]
pub(crate) struct Title {
    pub(crate) format: String,
    pub(crate) version: u32,
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Header {
    pub(crate) format: String,
    pub(crate) version: u32,
    /// Which program wrote it, for people.
    pub(crate) writer: String,
    /// As text, since not every reader of JSON has 64 bits.
    pub(crate) seed: String,
    pub(crate) is_redacted: bool,
    pub(crate) config: Settings,
}

/// Any other line. They are numbered, so that a missing one is missed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Numbered<'a> {
    pub(crate) n: u64,
    #[serde(borrow)]
    pub(crate) line: Line<'a>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Line<'a> {
    /// A put of the change set that follows.
    Put {
        kind: ItemKind,
        #[serde(borrow)]
        key: Cow<'a, str>,
        version: u64,
        #[serde(borrow)]
        object: Cow<'a, str>,
    },
    /// A deletion of the change set that follows.
    Delete {
        kind: ItemKind,
        #[serde(borrow)]
        key: Cow<'a, str>,
        version: u64,
    },
    Event {
        at: Seconds,
        event: Fact,
        /// Of all commands so far.
        digest: String,
    },
    End(Ending),
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum ItemKind {
    Flag,
    Segment,
}

/// Why a recording ends. It is the last line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Ending {
    /// There was nothing more to record.
    Closed,
    /// The recording has the size that it may have.
    MaxSize,
    /// What it is written to did not keep up with the client, which went on without it.
    TooSlow,
    /// With texts and numbers hidden, the client would have done something else.
    Redaction,
    /// Something happened that cannot be written down in this version of the format.
    Unwritable,
}

impl Ending {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Self::Closed => "there was nothing more to record",
            Self::MaxSize => "it reached the size that it may have",
            Self::TooSlow => "writing it did not keep up with the client",
            Self::Redaction => {
                "with texts and numbers hidden, the client would have done otherwise"
            }
            Self::Unwritable => "something happened that this format cannot hold",
        }
    }
}

/// Writes `line` behind its checksum into `buffer`, which it replaces. False if it is too long.
pub(crate) fn encode(line: &impl Serialize, buffer: &mut Vec<u8>) -> bool {
    buffer.clear();
    buffer.extend_from_slice(b"00000000 ");
    if serde_json::to_writer(&mut *buffer, line).is_err() {
        return false;
    }
    let checksum = format!("{:08x}", checksum(buffer.get(9..).unwrap_or_default()));
    if let Some(place) = buffer.get_mut(..8) {
        place.copy_from_slice(checksum.as_bytes());
    }
    buffer.push(b'\n');
    buffer.len() <= LONGEST
}

/// Reads the next line into `buffer`, which it replaces, and checks it. False at the end.
pub(crate) fn read(
    input: &mut impl BufRead,
    buffer: &mut Vec<u8>,
    number: u64,
) -> Result<bool, Damage> {
    buffer.clear();
    let mut limited = input.by_ref().take(LONGEST as u64 + 1);
    limited.read_until(b'\n', buffer).map_err(|error| Damage::Unreadable(error.to_string()))?;
    let Some((end, line)) = buffer.split_last() else { return Ok(false) };
    if *end != b'\n' {
        return Err(match buffer.len() > LONGEST {
            true => Damage::TooLong { line: number },
            false => Damage::CutOff { line: number },
        });
    }
    let broken = Damage::Checksum { line: number };
    let (Some(said), Some(b' '), Some(json)) = (line.get(..8), line.get(8), line.get(9..)) else {
        return Err(broken);
    };
    if *said != *format!("{:08x}", checksum(json)).as_bytes() {
        return Err(broken);
    }
    Ok(true)
}

/// The JSON of a line that was read.
pub(crate) fn json(buffer: &[u8]) -> &[u8] {
    buffer.get(9..).unwrap_or_default()
}

fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}

/// Writes bytes, counting them.
pub(crate) struct Counted<W> {
    pub(crate) out: W,
    pub(crate) written: u64,
}

impl<W: Write> Counted<W> {
    pub(crate) fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.out.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }
}

//! Server-sent events: bytes in, frames out.
//!
//! [`Parser`] follows the WHATWG standard for event streams (B 1.16), with three differences that
//! a client of flags needs: text that is not UTF-8 is an error instead of being replaced (B 1.10),
//! an event has a largest size (B 1.13), and `retry` is handed out as it came (B 8.3).
//!
//! ```
//! use bytes::Bytes;
//! use fdv2_core::sse::{Frame, Parser};
//!
//! let mut parser = Parser::new(1024);
//! parser.push(Bytes::from_static(b"event: heartbeat\r\nda"));
//! assert_eq!(parser.next(), Ok(None));
//! parser.push(Bytes::from_static(b"ta: {}\r\n\r"));
//! assert_eq!(parser.next(), Ok(Some(Frame::Event { name: "heartbeat", data: "{}" })));
//! ```

mod line;
mod parser;

pub use parser::Parser;

use std::time::Duration;

/// One thing that a stream tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    /// An event that a blank line has ended. One without a `data` line is none, as the standard
    /// says.
    Event {
        /// Its type, `message` if it named none.
        name: &'a str,
        /// Its data: the lines joined by LF.
        data: &'a str,
    },
    /// A `retry` field: the new initial delay, not clamped (B 8.3). A number beyond what fits is
    /// the largest that does.
    Retry(Duration),
    /// A comment line has ended. Servers use them to keep a connection alive.
    Comment,
}

/// The event that is being received and that no blank line has ended yet, or the one that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenEvent<'a> {
    /// Its type as far as it is known: `None` until an `event` line has ended; of several lines the
    /// first, which no later one takes back.
    pub name: Option<&'a str>,
    /// Bytes of its fields that have come in so far, line ends left out. Comments and unknown
    /// fields do not count.
    pub bytes: usize,
    /// How many came with the newest chunk that was read, the ends of lines included.
    pub fresh: usize,
}

/// Why a stream cannot be read on. Each is invalid data (B 1.11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SseError {
    /// An event, or a line of any kind, is larger than allowed (B 1.13).
    #[error("an event on the stream is larger than {limit} bytes")]
    TooLarge {
        /// The largest size in bytes.
        limit: usize,
    },
    /// An event's name, data or id is not UTF-8 (B 1.10).
    #[error("an event on the stream is not UTF-8")]
    NotUtf8,
}

#[cfg(test)]
mod tests;

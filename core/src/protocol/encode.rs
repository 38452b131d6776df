//! The server's side of the wire: events as frames of a stream or as elements of a poll body, and
//! FDv1 bodies (C 1.6, 1.8, 1.10).
//!
//! Whatever the texts hold, what is written reads back as it was: keys and reasons are quoted, and
//! an object that spreads over several lines becomes several `data` lines.
//!
//! ```
//! use fdv2_core::model::Kind;
//! use fdv2_core::protocol::encode::Message;
//!
//! let mut out = Vec::new();
//! let put = Message::PutObject { kind: Kind::Flag, key: "f", version: 1, object: "{}" };
//! put.write_frame(&mut out);
//! assert_eq!(out, b"event: put-object\ndata: {\"kind\":\"flag\",\"key\":\"f\",\"version\":1,\"object\":{}}\n\n");
//! ```

use super::event::IntentCode;
use crate::model::Kind;

/// One event that a server sends. Texts are borrowed, so that writing copies them once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message<'a> {
    /// Opens a transfer (B 1.1).
    ServerIntent {
        /// The payload's id.
        payload: &'a str,
        /// The version that the transfer leads to.
        target: u64,
        /// What the transfer does.
        code: IntentCode,
        /// Why, for people.
        reason: &'a str,
    },
    /// A flag or segment.
    PutObject {
        /// Which of the two.
        kind: Kind,
        /// Its key.
        key: &'a str,
        /// The envelope's version.
        version: u64,
        /// Its JSON text, written as it is.
        object: &'a str,
    },
    /// A flag or segment is gone.
    DeleteObject {
        /// Which of the two.
        kind: Kind,
        /// Its key.
        key: &'a str,
        /// The envelope's version.
        version: u64,
    },
    /// Completes a transfer (B 1.2).
    PayloadTransferred {
        /// The selector's state.
        state: &'a str,
        /// The selector's version.
        version: u64,
    },
    /// Says that the connection lives (B 1.7).
    Heartbeat,
    /// Aborts a transfer (B 1.5).
    Error {
        /// The payload's id.
        payload: &'a str,
        /// Why, for people.
        reason: &'a str,
    },
    /// Ends the connection (B 1.6).
    Goodbye {
        /// Why, for people.
        reason: &'a str,
        /// In seconds; its presence is the order to fall back to FDv1 (B 5.1).
        protocol_fallback_ttl: Option<u64>,
    },
}

impl Message<'_> {
    /// The event's name on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ServerIntent { .. } => "server-intent",
            Self::PutObject { .. } => "put-object",
            Self::DeleteObject { .. } => "delete-object",
            Self::PayloadTransferred { .. } => "payload-transferred",
            Self::Heartbeat => "heartbeat",
            Self::Error { .. } => "error",
            Self::Goodbye { .. } => "goodbye",
        }
    }

    /// Appends the event as a frame of a stream.
    pub fn write_frame(&self, out: &mut Vec<u8>) {
        write(out, &["event: ", self.name(), "\ndata: "]);
        let start = out.len();
        self.write_data(out);
        split_lines(out, start);
        write(out, &["\n\n"]);
    }

    /// Appends the event as an element of a poll body's `events`, without a comma.
    pub fn write_element(&self, out: &mut Vec<u8>) {
        write(out, &[r#"{"event":""#, self.name(), r#"","data":"#]);
        self.write_data(out);
        write(out, &["}"]);
    }

    /// Appends the event's data: a JSON object.
    fn write_data(&self, out: &mut Vec<u8>) {
        match *self {
            Self::ServerIntent { payload, target, code, reason } => {
                let (payload, reason, target) =
                    (quoted(payload), quoted(reason), target.to_string());
                write(out, &[r#"{"payloads":[{"id":"#, &payload, r#","target":"#, &target]);
                write(out, &[r#","intentCode":""#, code.name(), r#"","reason":"#, &reason, "}]}"]);
            }
            Self::PutObject { kind, key, version, object } => {
                write_envelope(out, kind, key, version);
                write(out, &[r#","object":"#, object, "}"]);
            }
            Self::DeleteObject { kind, key, version } => {
                write_envelope(out, kind, key, version);
                write(out, &["}"]);
            }
            Self::PayloadTransferred { state, version } => {
                let (state, version) = (quoted(state), version.to_string());
                write(out, &[r#"{"state":"#, &state, r#","version":"#, &version, "}"]);
            }
            Self::Heartbeat => write(out, &["{}"]),
            Self::Error { payload, reason } => {
                let (payload, reason) = (quoted(payload), quoted(reason));
                write(out, &[r#"{"payloadId":"#, &payload, r#","reason":"#, &reason, "}"]);
            }
            Self::Goodbye { reason, protocol_fallback_ttl } => {
                let ttl = protocol_fallback_ttl
                    .map(|seconds| format!(r#","protocolFallbackTTL":{seconds}"#))
                    .unwrap_or_default();
                write(out, &[r#"{"reason":"#, &quoted(reason), r#","silent":false"#]);
                write(out, &[r#","catastrophe":false"#, &ttl, "}"]);
            }
        }
    }
}

/// Appends a comment, which keeps a connection alive and means nothing. What follows a line end in
/// `text` is left out.
pub fn write_comment(out: &mut Vec<u8>, text: &str) {
    let line = text.split(['\n', '\r']).next().unwrap_or_default();
    write(out, &[": ", line, "\n\n"]);
}

/// A poll body of these events.
pub fn poll_body<'a>(messages: impl IntoIterator<Item = Message<'a>>) -> Vec<u8> {
    let mut out = br#"{"events":["#.to_vec();
    for (index, message) in messages.into_iter().enumerate() {
        write(&mut out, if index == 0 { &[] } else { &[","] });
        message.write_element(&mut out);
    }
    write(&mut out, &["]}"]);
    out
}

/// An FDv1 body of these items, each a key and its JSON text.
pub fn fdv1_body<'a>(
    flags: impl IntoIterator<Item = (&'a str, &'a str)>,
    segments: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Vec<u8> {
    let mut out = br#"{"flags":{"#.to_vec();
    write_members(&mut out, flags);
    write(&mut out, &[r#"},"segments":{"#]);
    write_members(&mut out, segments);
    write(&mut out, &["}}"]);
    out
}

fn write_members<'a>(out: &mut Vec<u8>, items: impl IntoIterator<Item = (&'a str, &'a str)>) {
    for (index, (key, object)) in items.into_iter().enumerate() {
        write(out, if index == 0 { &[] } else { &[","] });
        write(out, &[&quoted(key), ":", object]);
    }
}

/// Appends the members that puts and deletes share, without the closing brace.
fn write_envelope(out: &mut Vec<u8>, kind: Kind, key: &str, version: u64) {
    let (key, version) = (quoted(key), version.to_string());
    write(out, &[r#"{"kind":""#, kind.name(), r#"","key":"#, &key, r#","version":"#, &version]);
}

/// Turns the line ends after `start` into breaks between `data` lines.
fn split_lines(out: &mut Vec<u8>, start: usize) {
    let text = out.get(start..).unwrap_or_default();
    if memchr::memchr2(b'\n', b'\r', text).is_none() {
        return;
    }
    let text = out.split_off(start);
    let mut is_after_cr = false;
    for byte in text {
        match byte {
            b'\n' if is_after_cr => {}
            b'\n' | b'\r' => write(out, &["\ndata: "]),
            _ => out.push(byte),
        }
        is_after_cr = byte == b'\r';
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write(out: &mut Vec<u8>, parts: &[&str]) {
    parts.iter().for_each(|part| out.extend_from_slice(part.as_bytes()));
}

#[cfg(test)]
mod tests;

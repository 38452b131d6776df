//! An event stream with its texts hidden, byte by byte.

use super::json::JsonMask;
use super::{Known, hidden};

const FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

const EVENTS: [&str; 8] = [
    "server-intent",
    "put-object",
    "delete-object",
    "payload-transferred",
    "error",
    "goodbye",
    "heartbeat",
    "heart-beat",
];

const BOM: [u8; 3] = [0xef, 0xbb, 0xbf];

/// Where in a line the next byte stands.
#[derive(Clone, Copy, Debug)]
enum At {
    Field(Known),
    /// Behind the colon, before the one space that may stand there.
    Colon(Option<Field>),
    Value(Option<Field>),
}

#[derive(Clone, Copy, Debug)]
enum Field {
    Data,
    Event(Known),
    Retry,
}

/// Hides what is in an event stream.
#[derive(Clone, Debug)]
pub(super) struct SseMask {
    at: At,
    json: JsonMask,
    is_line_empty: bool,
    is_after_cr: bool,
    /// So many bytes of a byte order mark have come, from the start.
    bom: Option<usize>,
}

impl Default for SseMask {
    fn default() -> Self {
        Self {
            at: At::Field(Known::default()),
            json: JsonMask::body(),
            is_line_empty: true,
            is_after_cr: false,
            bom: Some(0),
        }
    }
}

impl SseMask {
    pub(super) fn mask(&mut self, byte: u8) -> u8 {
        if let Some(come) = self.bom.take()
            && BOM.get(come) == Some(&byte)
        {
            self.bom = Some(come + 1);
            return byte;
        }
        let is_after_cr = std::mem::replace(&mut self.is_after_cr, byte == b'\r');
        match byte {
            b'\n' if is_after_cr => return byte,
            b'\n' | b'\r' => {
                self.end_line();
                return byte;
            }
            _ => self.is_line_empty = false,
        }
        let (masked, at) = match (self.at, byte) {
            (At::Field(known), b':') => {
                let field = match known.word(&FIELDS) {
                    Some("data") => Some(Field::Data),
                    Some("event") => Some(Field::Event(Known::default())),
                    Some("retry") => Some(Field::Retry),
                    _ => None,
                };
                (byte, At::Colon(field))
            }
            (At::Field(mut known), _) => (known.mask(byte, &FIELDS), At::Field(known)),
            (At::Colon(field), b' ') => (byte, At::Value(field)),
            (At::Colon(field) | At::Value(field), _) => {
                let (masked, field) = self.value(byte, field);
                (masked, At::Value(field))
            }
        };
        self.at = at;
        masked
    }

    fn value(&mut self, byte: u8, field: Option<Field>) -> (u8, Option<Field>) {
        match field {
            Some(Field::Data) => (self.json.mask(byte), field),
            Some(Field::Event(mut known)) => (known.mask(byte, &EVENTS), Some(Field::Event(known))),
            Some(Field::Retry) if byte.is_ascii_digit() => (byte, field),
            _ => (hidden(byte), field),
        }
    }

    fn end_line(&mut self) {
        self.at = At::Field(Known::default());
        if std::mem::replace(&mut self.is_line_empty, true) {
            self.json = JsonMask::body();
        }
    }
}

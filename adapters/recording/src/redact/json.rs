//! JSON with its texts and numbers hidden, byte by byte.

use super::{Known, hidden};

/// Deeper than any object that is decoded. What is further down is hidden as a whole.
const DEEPEST: usize = 128;

/// The names of members that the protocol has.
const PROTOCOL: [&str; 16] = [
    "data",
    "event",
    "events",
    "flags",
    "id",
    "intentCode",
    "key",
    "kind",
    "object",
    "payloads",
    "protocolFallbackTTL",
    "reason",
    "segments",
    "state",
    "target",
    "version",
];

/// The names of members that flags and segments have.
const MODEL: [&str; 44] = [
    "attribute",
    "bucketBy",
    "clauses",
    "clientSide",
    "clientSideAvailability",
    "contextKind",
    "contextTargets",
    "debugEventsUntilDate",
    "deleted",
    "excluded",
    "excludedContexts",
    "fallthrough",
    "generation",
    "id",
    "included",
    "includedContexts",
    "key",
    "kind",
    "negate",
    "offVariation",
    "on",
    "op",
    "prerequisites",
    "rollout",
    "rolloutContextKind",
    "rules",
    "salt",
    "seed",
    "segmentMatch",
    "targets",
    "trackEvents",
    "trackEventsFallthrough",
    "unbounded",
    "unboundedContextKind",
    "untracked",
    "usingEnvironmentId",
    "usingMobileKey",
    "value",
    "values",
    "variation",
    "variations",
    "version",
    "weight",
    "weightedVariations",
];

const LITERALS: [&str; 3] = ["true", "false", "null"];

/// What a value is part of, and so what is hidden in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The protocol's own objects.
    Protocol,
    /// Items by key.
    Items,
    /// A flag or a segment.
    Item,
    /// What a flag needs.
    Prerequisites,
    /// Anything else in an item.
    Inside,
    /// Values that are the user's.
    Free,
    /// A text or a number that is shown.
    Shown,
}

impl Place {
    /// The place of the member of this name.
    fn member(self, name: &str) -> Self {
        match (self, name) {
            (Self::Protocol, "events" | "payloads" | "data") => Self::Protocol,
            (Self::Protocol, "object") | (Self::Items, _) => Self::Item,
            (Self::Protocol, "flags" | "segments") => Self::Items,
            (
                Self::Protocol,
                "event"
                | "kind"
                | "key"
                | "intentCode"
                | "state"
                | "version"
                | "target"
                | "protocolFallbackTTL",
            )
            | (Self::Item, "key" | "version" | "offVariation" | "generation")
            | (Self::Prerequisites, "key" | "variation")
            | (Self::Inside, "op" | "variation" | "weight") => Self::Shown,
            (Self::Item, "prerequisites") => Self::Prerequisites,
            (Self::Item, "variations") | (Self::Inside, "values") => Self::Free,
            (Self::Item | Self::Inside, _) => Self::Inside,
            (Self::Protocol | Self::Prerequisites | Self::Free | Self::Shown, _) => Self::Free,
        }
    }

    /// The place of what is within a value that stands here.
    fn within(self) -> Self {
        if self == Self::Shown { Self::Free } else { self }
    }

    fn names(self) -> &'static [&'static str] {
        match self {
            Self::Protocol => &PROTOCOL,
            Self::Item | Self::Prerequisites | Self::Inside => &MODEL,
            Self::Items | Self::Free | Self::Shown => &[],
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    is_object: bool,
    /// The next text is a member's name.
    awaits_name: bool,
    place: Place,
    /// Where the value stands that comes next.
    value: Place,
}

/// What the byte before was part of.
#[derive(Clone, Copy, Debug)]
enum Token {
    None,
    Literal(Known),
    Number { is_exponent: bool },
    Text { is_name: bool, known: Known, escape: Escape },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    Begun,
    /// The digits of `\u` so far, and whether they are a surrogate's.
    Unicode {
        digits: u8,
        is_surrogate: bool,
    },
}

/// Hides what is in a JSON text.
#[derive(Clone, Debug)]
pub(super) struct JsonMask {
    root: Place,
    frames: Vec<Frame>,
    /// Open brackets beyond the deepest.
    deeper: usize,
    token: Token,
}

impl JsonMask {
    /// The body of a poll, or the data of an event.
    pub(super) fn body() -> Self {
        Self { root: Place::Protocol, frames: Vec::new(), deeper: 0, token: Token::None }
    }

    /// A flag or a segment.
    pub(super) fn item() -> Self {
        Self { root: Place::Item, ..Self::body() }
    }

    pub(super) fn mask(&mut self, byte: u8) -> u8 {
        if let Token::Text { is_name, known, escape } = self.token {
            return self.mask_text(byte, is_name, known, escape);
        }
        match byte {
            b'"' => self.begin_text(),
            b'{' | b'[' => self.open(byte == b'{'),
            b'}' | b']' => self.close(),
            b',' => self.next_member(),
            b':' | b' ' | b'\t' | b'\r' | b'\n' => self.token = Token::None,
            _ => return self.mask_word(byte),
        }
        byte
    }

    fn place(&self) -> Place {
        if self.deeper > 0 {
            return Place::Free;
        }
        self.frames.last().map_or(self.root, |frame| frame.value)
    }

    fn open(&mut self, is_object: bool) {
        self.token = Token::None;
        if self.deeper > 0 || self.frames.len() >= DEEPEST {
            self.deeper += 1;
            return;
        }
        let place = self.place().within();
        self.frames.push(Frame { is_object, awaits_name: is_object, place, value: place });
    }

    fn close(&mut self) {
        self.token = Token::None;
        match self.deeper {
            0 => drop(self.frames.pop()),
            _ => self.deeper -= 1,
        }
    }

    fn next_member(&mut self) {
        self.token = Token::None;
        if let Some(frame) = self.frames.last_mut().filter(|_| self.deeper == 0) {
            frame.awaits_name = frame.is_object;
        }
    }

    fn begin_text(&mut self) {
        let is_name = self.deeper == 0 && self.frames.last().is_some_and(|frame| frame.awaits_name);
        self.token = Token::Text { is_name, known: Known::default(), escape: Escape::None };
    }

    fn mask_text(&mut self, byte: u8, is_name: bool, mut known: Known, escape: Escape) -> u8 {
        let place = self.frames.last().map_or(self.root, |frame| frame.place);
        let is_shown = match is_name {
            true => place == Place::Items,
            false => self.place() == Place::Shown,
        };
        let (masked, escape) = match (escape, byte) {
            (Escape::None, b'"') => {
                self.end_text(is_name, known);
                return byte;
            }
            (Escape::None, b'\\') => {
                known.is_lost = true;
                (byte, Escape::Begun)
            }
            (Escape::None, _) if is_shown => (byte, Escape::None),
            (Escape::None, _) if is_name => (known.mask(byte, place.names()), Escape::None),
            (Escape::None, _) => (hidden(byte), Escape::None),
            (Escape::Begun, b'u') => (byte, Escape::Unicode { digits: 0, is_surrogate: false }),
            (Escape::Begun, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                (byte, Escape::None)
            }
            (Escape::Begun, _) => (b'x', Escape::None),
            (Escape::Unicode { digits, is_surrogate }, _) => {
                let (masked, is_surrogate) = unicode_digit(byte, digits, is_surrogate);
                let next = match digits {
                    0..3 => Escape::Unicode { digits: digits + 1, is_surrogate },
                    _ => Escape::None,
                };
                (if is_shown && byte.is_ascii_hexdigit() { byte } else { masked }, next)
            }
        };
        self.token = Token::Text { is_name, known, escape };
        masked
    }

    fn end_text(&mut self, is_name: bool, known: Known) {
        self.token = Token::None;
        let Some(frame) = self.frames.last_mut().filter(|_| is_name) else { return };
        let name = known.word(frame.place.names()).unwrap_or_default();
        frame.awaits_name = false;
        frame.value = match frame.place {
            Place::Protocol if name.is_empty() => Place::Free,
            place => place.member(name),
        };
    }

    fn mask_word(&mut self, byte: u8) -> u8 {
        let (masked, token) = match (self.token, byte) {
            (Token::None, b'-' | b'0'..=b'9') => {
                (self.digit(byte, false), Token::Number { is_exponent: false })
            }
            (Token::Number { .. }, b'e' | b'E') => (byte, Token::Number { is_exponent: true }),
            (Token::Number { is_exponent }, b'0'..=b'9' | b'.' | b'+' | b'-') => {
                (self.digit(byte, is_exponent), Token::Number { is_exponent })
            }
            (Token::None, _) => known_literal(Known::default(), byte),
            (Token::Literal(known), _) => known_literal(known, byte),
            (token, _) => (hidden(byte), token),
        };
        self.token = token;
        masked
    }

    /// Zeros and exponents stay, so that whole numbers stay whole, and none becomes too large.
    fn digit(&self, byte: u8, is_exponent: bool) -> u8 {
        match byte {
            b'1'..=b'9' if !is_exponent && self.place() != Place::Shown => b'1',
            _ => byte,
        }
    }
}

fn known_literal(mut known: Known, byte: u8) -> (u8, Token) {
    let masked = known.mask(byte, &LITERALS);
    (masked, Token::Literal(known))
}

/// A digit of an escape: an `x`, or one of a surrogate, which has to be a surrogate.
fn unicode_digit(byte: u8, digits: u8, is_surrogate: bool) -> (u8, bool) {
    let is_surrogate = match digits {
        0 => matches!(byte, b'd' | b'D'),
        1 => is_surrogate && matches!(byte, b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F'),
        _ => is_surrogate,
    };
    let masked = match (byte.is_ascii_hexdigit(), digits) {
        (false, _) => b'z',
        (true, 0) if is_surrogate => byte,
        (true, 1) if is_surrogate => byte,
        (true, 0 | 1) => b'0',
        (true, 2) => b'7',
        (true, _) => b'8',
    };
    (masked, is_surrogate)
}

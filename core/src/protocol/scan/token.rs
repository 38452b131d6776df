//! The grammar of single JSON tokens, over bytes that may be cut anywhere.

use super::utf8::{NotUtf8, Utf8};

/// A token that is being read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    /// A string, after its opening quote.
    Quoted(Quoted),
    Number(Number),
    /// `true`, `false` or `null`: what is still to come.
    Literal(&'static [u8]),
}

/// What is wrong with a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Fault {
    NotUtf8,
    Grammar(&'static str),
}

impl From<NotUtf8> for Fault {
    fn from(_: NotUtf8) -> Self {
        Self::NotUtf8
    }
}

impl Token {
    /// A token that begins with `byte`, which has been read.
    pub(super) fn after(byte: u8) -> Option<Self> {
        Some(match byte {
            b'"' => Self::Quoted(Quoted::default()),
            b'-' => Self::Number(Number::Minus),
            b'0' => Self::Number(Number::Zero),
            b'1'..=b'9' => Self::Number(Number::Whole),
            b't' => Self::Literal(b"rue"),
            b'f' => Self::Literal(b"alse"),
            b'n' => Self::Literal(b"ull"),
            _ => return None,
        })
    }

    /// Reads on from `at`, and moves it to the end of the token, to the end of the bytes or to the
    /// fault. Whether the token has ended.
    pub(super) fn read(&mut self, bytes: &[u8], at: &mut usize) -> Result<bool, Fault> {
        match self {
            Self::Quoted(quoted) => quoted.read(bytes, at),
            Self::Number(number) => number.read(bytes, at),
            Self::Literal(rest) => read_literal(rest, bytes, at),
        }
    }
}

fn read_literal(rest: &mut &'static [u8], bytes: &[u8], at: &mut usize) -> Result<bool, Fault> {
    while let Some((expected, after)) = rest.split_first() {
        match bytes.get(*at) {
            None => return Ok(false),
            Some(byte) if byte == expected => *at += 1,
            Some(_) => return Err(Fault::Grammar("a word that is no value")),
        }
        *rest = after;
    }
    Ok(true)
}

/// A string.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Quoted {
    escape: Escape,
    utf8: Utf8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Escape {
    #[default]
    None,
    /// After a backslash.
    Begun,
    /// In `\u`: so many hexadecimal digits are missing.
    Digits(u8),
}

impl Quoted {
    fn read(&mut self, bytes: &[u8], at: &mut usize) -> Result<bool, Fault> {
        while let Some(&byte) = bytes.get(*at) {
            if self.escape != Escape::None {
                self.escape = self.escape.after(byte)?;
                *at += 1;
                continue;
            }
            self.read_plain(bytes, at)?;
            match bytes.get(*at) {
                None => return Ok(false),
                Some(b'"') => {
                    *at += 1;
                    return Ok(true);
                }
                Some(b'\\') => self.escape = Escape::Begun,
                Some(_) => return Err(Fault::Grammar("a control character in a string")),
            }
            *at += 1;
        }
        Ok(false)
    }

    /// Reads up to a quote, a backslash or a control character.
    fn read_plain(&mut self, bytes: &[u8], at: &mut usize) -> Result<(), Fault> {
        let rest = bytes.get(*at..).unwrap_or_default();
        let end = rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1F));
        let len = end.unwrap_or(rest.len());
        self.utf8.read(rest.get(..len).unwrap_or_default())?;
        if end.is_some() {
            self.utf8.finish()?;
        }
        *at += len;
        Ok(())
    }
}

impl Escape {
    fn after(self, byte: u8) -> Result<Self, Fault> {
        match (self, byte) {
            (Self::Begun, b'u') => Ok(Self::Digits(4)),
            (Self::Begun, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(Self::None),
            (Self::Digits(1), byte) if byte.is_ascii_hexdigit() => Ok(Self::None),
            (Self::Digits(missing), byte) if byte.is_ascii_hexdigit() => {
                Ok(Self::Digits(missing - 1))
            }
            _ => Err(Fault::Grammar("an escape that is none")),
        }
    }
}

/// A number: what its last byte was.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Minus,
    /// The one zero that a whole part may begin with.
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigits,
}

impl Number {
    fn read(&mut self, bytes: &[u8], at: &mut usize) -> Result<bool, Fault> {
        while let Some(&byte) = bytes.get(*at) {
            match self.after(byte) {
                Some(next) => *self = next,
                None if self.is_whole() => return Ok(true),
                None => return Err(Fault::Grammar("a number that is none")),
            }
            *at += 1;
        }
        Ok(false)
    }

    fn after(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Self::Whole,
            (Self::Zero | Self::Whole, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigits, b'0'..=b'9') => {
                Self::ExponentDigits
            }
            _ => return None,
        })
    }

    fn is_whole(self) -> bool {
        matches!(self, Self::Zero | Self::Whole | Self::Fraction | Self::ExponentDigits)
    }
}

//! The grammar of strings, numbers and words, over bytes that may be cut anywhere.

use super::Fault;

/// An escape in a string, after its backslash.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Escape {
    Begun,
    /// In `\u`: so many hexadecimal digits are missing.
    Digits(u8),
}

/// Reads a string on from `at`, to behind its closing quote or to the end of the chunk; whether it
/// has ended. The escape is the one that the chunk begins or ends in.
pub(super) fn read_string(
    escape: &mut Option<Escape>,
    chunk: &[u8],
    at: &mut usize,
) -> Result<bool, Fault> {
    while let Some(&byte) = chunk.get(*at) {
        if let Some(begun) = *escape {
            *escape = begun.after(byte).ok_or(Fault::grammar("an escape that is none"))?;
            *at += 1;
            continue;
        }
        *at += plain_run(chunk.get(*at..).unwrap_or_default());
        match chunk.get(*at) {
            None => return Ok(false),
            Some(b'"') => {
                *at += 1;
                return Ok(true);
            }
            Some(b'\\') => *escape = Some(Escape::Begun),
            Some(_) => return Err(Fault::grammar("a control character in a string")),
        }
        *at += 1;
    }
    Ok(false)
}

impl Escape {
    /// What follows once `byte` is added: nothing if the escape ends with it. `None` if that is no
    /// escape.
    fn after(self, byte: u8) -> Option<Option<Self>> {
        match (self, byte) {
            (Self::Begun, b'u') => Some(Some(Self::Digits(4))),
            (Self::Begun, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Some(None),
            (Self::Digits(missing), byte) if byte.is_ascii_hexdigit() => {
                Some((missing > 1).then(|| Self::Digits(missing - 1)))
            }
            _ => None,
        }
    }
}

/// How many bytes there are before the first quote, backslash or control character.
fn plain_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return index * 8 + special.trailing_zeros() as usize / 8;
        }
    }
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..=0x1F);
    words.len() * 8 + rest.iter().position(is_special).unwrap_or(rest.len())
}

/// Sets the highest bit of each byte that is special. Bytes after the first may be set wrongly.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x8080_8080_8080_8080;
    let below = |word: u64, bound: u64| word.wrapping_sub(ONES * bound) & !word & HIGHEST;
    let quote = below(word ^ (ONES * u64::from(b'"')), 1);
    let backslash = below(word ^ (ONES * u64::from(b'\\')), 1);
    below(word, 0x20) | quote | backslash
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
    /// Reads on from `at`, to the first byte that is not the number's or to the end of the chunk;
    /// whether it has ended.
    pub(super) fn read(&mut self, chunk: &[u8], at: &mut usize) -> Result<bool, Fault> {
        while let Some(&byte) = chunk.get(*at) {
            match self.after(byte) {
                Some(next) => *self = next,
                None if self.is_whole() => return Ok(true),
                None => return Err(Fault::grammar("a number that is none")),
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

/// Reads `true`, `false` or `null` on from `at`; whether it has ended. `rest` is what is to come.
pub(super) fn read_word(
    rest: &mut &'static [u8],
    chunk: &[u8],
    at: &mut usize,
) -> Result<bool, Fault> {
    while let Some((expected, after)) = rest.split_first() {
        match chunk.get(*at) {
            None => return Ok(false),
            Some(byte) if byte == expected => *at += 1,
            Some(_) => return Err(Fault::grammar("a word that is no value")),
        }
        *rest = after;
    }
    Ok(true)
}

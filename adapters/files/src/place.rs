//! From the offset of a byte to the line and column that an editor shows.

use crate::Position;

/// Finds the places of bytes in one text. Cheap for bytes that come in order.
#[derive(Clone, Debug)]
pub(crate) struct Places<'a> {
    text: &'a [u8],
    offset: usize,
    position: Position,
}

impl<'a> Places<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, offset: 0, position: Position { line: 1, column: 1 } }
    }

    /// Where the byte at `offset` is; behind the end of the text is where it ends.
    pub(crate) fn of(&mut self, offset: usize) -> Position {
        if offset < self.offset {
            *self = Self::new(self.text);
        }
        let offset = offset.min(self.text.len());
        for byte in self.text.get(self.offset..offset).unwrap_or_default() {
            self.position.pass(*byte);
        }
        self.offset = offset;
        self.position
    }
}

impl Position {
    fn pass(&mut self, byte: u8) {
        let is_continuation = byte & 0b1100_0000 == 0b1000_0000;
        if byte == b'\n' {
            *self = Self { line: self.line + 1, column: 1 };
        } else if !is_continuation {
            self.column += 1;
        }
    }
}

/// Takes the place off the end of what serde_json says, and makes it the offset in `text` of the
/// byte that it had come to.
pub(crate) fn split_told<'a>(text: &str, told: &'a str) -> (&'a str, usize) {
    let parse = || {
        let (message, place) = told.rsplit_once(" at line ")?;
        let (line, column) = place.split_once(" column ")?;
        let (line, column) = (line.parse::<usize>().ok()?, column.parse::<usize>().ok()?);
        let line_start = match line.checked_sub(2) {
            None => 0,
            Some(newlines) => text.match_indices('\n').nth(newlines)?.0 + 1,
        };
        Some((message, line_start + column.saturating_sub(1)))
    };
    parse().unwrap_or((told, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, column: usize) -> Position {
        Position { line, column }
    }

    #[test]
    fn columns_count_characters_and_lines_newlines() {
        let text = "aé\n😀b\n".as_bytes();
        let mut places = Places::new(text);
        assert_eq!(places.of(0), at(1, 1));
        assert_eq!(places.of(3), at(1, 3));
        assert_eq!(places.of(4), at(2, 1));
        assert_eq!(places.of(8), at(2, 2));
        assert_eq!(places.of(1), at(1, 2), "backwards");
        assert_eq!(places.of(99), at(3, 1));
    }

    #[test]
    fn what_serde_json_tells_becomes_an_offset() {
        let text = "{\n \"a\": tru}";
        let error = serde_json::from_str::<serde_json::Value>(text).unwrap_err().to_string();
        let (message, offset) = split_told(text, &error);
        assert_eq!(message, "expected ident");
        assert_eq!(text.get(offset..), Some("}"));
        assert_eq!(split_told(text, "no place"), ("no place", 0));
    }
}

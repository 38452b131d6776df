//! Where in a line the parser stands.

/// The longest name of a field that means something.
const LONGEST_NAME: usize = 5;

/// The state of the line that is being read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    /// At the start of the stream, after so many bytes of a byte order mark.
    ByteOrderMark(usize),
    /// Before the colon.
    Name(FieldName),
    /// In the value of a field.
    Value {
        field: Field,
        /// Nothing of the value was read yet: one space may still be dropped.
        is_start: bool,
    },
    /// In a comment or an unknown field. Nothing of it is kept, but for its length.
    Ignored { is_comment: bool, bytes: usize },
}

impl Line {
    /// Before the first byte of a line.
    pub(super) const START: Self = Self::Name(FieldName { bytes: [0; LONGEST_NAME], len: 0 });
}

/// The fields that mean something.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Field {
    Event,
    Data,
    Id,
    Retry,
}

/// A field's name so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct FieldName {
    bytes: [u8; LONGEST_NAME],
    len: usize,
}

impl FieldName {
    /// Adds a byte; false if no known name is that long.
    pub(super) fn push(&mut self, byte: u8) -> bool {
        let Some(place) = self.bytes.get_mut(self.len) else { return false };
        *place = byte;
        self.len += 1;
        true
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The field of that name, if it means something.
    pub(super) fn field(&self) -> Option<Field> {
        match self.bytes.get(..self.len)? {
            b"event" => Some(Field::Event),
            b"data" => Some(Field::Data),
            b"id" => Some(Field::Id),
            b"retry" => Some(Field::Retry),
            _ => None,
        }
    }
}

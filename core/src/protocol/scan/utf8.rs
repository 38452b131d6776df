//! Strict UTF-8 over bytes that may be cut anywhere (B 1.10).

/// What has come in of a character that is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Utf8 {
    bytes: [u8; 4],
    len: usize,
}

/// The bytes are not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NotUtf8;

impl Utf8 {
    /// Checks the next bytes.
    pub(super) fn read(&mut self, mut bytes: &[u8]) -> Result<(), NotUtf8> {
        while self.len > 0 {
            let Some((&byte, rest)) = bytes.split_first() else { return Ok(()) };
            self.add(byte)?;
            bytes = rest;
        }
        let Err(error) = simdutf8::compat::from_utf8(bytes) else { return Ok(()) };
        if error.error_len().is_some() {
            return Err(NotUtf8);
        }
        let cut = bytes.get(error.valid_up_to()..).unwrap_or_default();
        cut.iter().try_for_each(|&byte| self.add(byte))
    }

    fn add(&mut self, byte: u8) -> Result<(), NotUtf8> {
        *self.bytes.get_mut(self.len).ok_or(NotUtf8)? = byte;
        self.len += 1;
        match std::str::from_utf8(self.bytes.get(..self.len).unwrap_or_default()) {
            Ok(_) => self.len = 0,
            Err(error) if error.error_len().is_some() => return Err(NotUtf8),
            Err(_) => {}
        }
        Ok(())
    }
}

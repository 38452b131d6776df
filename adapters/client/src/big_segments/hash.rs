//! What a context is called in a store of memberships.

use std::fmt;
use std::str;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// So long are 32 bytes in Base64.
const LENGTH: usize = 44;

/// The name of a context in a store of memberships: the SHA-256 of its key in Base64. The key alone
/// counts, whatever the context's kind (C 3.7).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextHash([u8; LENGTH]);

impl ContextHash {
    /// The name of the context with this key.
    pub fn of(key: &str) -> Self {
        let mut text = [b'='; LENGTH];
        let written = STANDARD.encode_slice(Sha256::digest(key.as_bytes()), &mut text);
        debug_assert_eq!(written, Ok(LENGTH), "32 bytes take 44 characters");
        Self(text)
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        // Base64 is ASCII.
        str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Display for ContextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ContextHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ContextHash").field(&self.as_str()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// C 3.7.
    #[test]
    fn a_context_is_known_by_the_hash_of_its_key() {
        let hash = ContextHash::of("user-key");
        assert_eq!(hash.as_str(), "CEXjZY7cHJG/ydFy7q4+YEFwVrG3/pkJwA4FAjrbfx0=");
        assert_ne!(ContextHash::of(""), ContextHash::of("ä"));
        assert_eq!(ContextHash::of(&"x".repeat(1 << 20)).as_str().len(), LENGTH);
    }
}

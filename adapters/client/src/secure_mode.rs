//! Proof that a client-side SDK asks for a context that this service knows.

use fdv2_core::config::SdkKey;
use fdv2_core::context::Context;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// The HMAC-SHA256 of the context's canonical key under the SDK key, in hexadecimal (C 3.7).
pub(crate) fn hash(key: &SdkKey, context: &Context) -> Option<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.expose().as_bytes()).ok()?;
    mac.update(context.canonical_key().as_bytes());
    Some(mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use fdv2_core::Config;
    use fdv2_core::context::ContextBuilder;

    use super::*;

    fn hash_of(context: &mut ContextBuilder) -> Option<String> {
        let config = Config::builder("sdk-01234567-89ab-cdef-0123-456789abcdef").build().unwrap();
        hash(config.sdk_key().unwrap(), &context.build().unwrap())
    }

    /// C 3.7.
    #[test]
    fn c_3_7_the_hash_is_that_of_the_vendors_sdks() {
        assert_eq!(
            hash_of(&mut ContextBuilder::new("user-key-123")).as_deref(),
            Some("73df666a13f2c474e50aa34ca5a761e89abb737fb139ff65fdde7fa85c9dcacd")
        );
        assert_eq!(
            hash_of(ContextBuilder::new("user-key-123").kind("other")).as_deref(),
            Some("98a933ca26d2951547fc021981ebcdeda95fbca2ac3f767ae67f7042d5458f72")
        );
    }
}

//! The headers that every request of one client has (C 1.4).

use http::{HeaderMap, HeaderValue, header};
use sha1::{Digest, Sha1};

use crate::config::{Config, INSTANCE_ID};

const USER_AGENT: &str = concat!("fdv2/", env!("CARGO_PKG_VERSION"));

/// What is configured, the credentials, and what tells the client of this seed from others.
pub(super) fn common(config: &Config, seed: u64) -> HeaderMap {
    let inner = config.inner();
    let mut headers = inner.headers.clone();
    if let Some(key) = &inner.sdk_key {
        headers.insert(header::AUTHORIZATION, key.header_value());
    }
    headers.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(USER_AGENT));
    if let Ok(id) = HeaderValue::try_from(instance_id(seed)) {
        headers.insert(INSTANCE_ID, id);
    }
    headers
}

/// A UUID of version 4 whose random bits are made of the seed.
///
/// They are a digest of it, because peers read them and must not learn the seed, which guards the
/// collections against keys made to collide.
fn instance_id(seed: u64) -> String {
    let digest = Sha1::new().chain_update("instance id").chain_update(seed.to_be_bytes());
    let bits = digest.finalize().iter().fold(0, |bits, byte| (bits << 8) | u128::from(*byte));
    let bits = bits & !(0xf << 76) | (0x4 << 76);
    let bits = bits & !(0b11 << 62) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        (bits >> 96) as u32,
        (bits >> 80) as u16,
        (bits >> 64) as u16,
        (bits >> 48) as u16,
        bits & 0xffff_ffff_ffff,
    )
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// C 1.4.
    #[test]
    fn an_instance_id_has_the_form_of_a_random_uuid() {
        for seed in [0, 1, u64::MAX] {
            let id = instance_id(seed);
            let lengths: Vec<_> = id.split('-').map(str::len).collect();
            assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
            assert!(id.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit()), "{id}");
            assert_eq!(id.as_bytes()[14], b'4', "{id}");
            assert!(b"89ab".contains(&id.as_bytes()[19]), "{id}");
        }
    }

    /// C 2.9.
    #[test]
    fn a_seed_gives_the_same_instance_id_and_another_seed_another() {
        assert_eq!(instance_id(7), instance_id(7));
        let ids: BTreeSet<_> = (0..1_000).map(instance_id).collect();
        assert_eq!(ids.len(), 1_000);
    }
}

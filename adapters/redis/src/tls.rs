//! The cryptography behind `rediss://`.

use rustls::crypto::{CryptoProvider, ring};

/// `redis` uses the provider of the process, and panics where several could be that. The
/// application's choice stays, if it made one.
pub(crate) fn choose_provider() {
    if CryptoProvider::get_default().is_none() {
        // An error says that somebody else was faster, which is as good.
        let _ = ring::default_provider().install_default();
    }
}

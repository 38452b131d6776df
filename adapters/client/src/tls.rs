//! TLS settings, the same on every runtime.

use std::sync::{Arc, LazyLock};

/// The release of rustls that the settings are for.
pub use rustls;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};

use crate::StartError;

/// TLS 1.2 and 1.3 by rustls, with *ring* named as the provider of cryptography and the roots that
/// the operating system trusts, to which `extra_roots` are added.
///
/// The process-wide default provider of rustls is neither asked for nor set.
///
/// # Errors
/// [`StartError::Transport`] when one of `extra_roots` is not a certificate.
pub fn tls_config<'a>(
    extra_roots: impl IntoIterator<Item = CertificateDer<'a>>,
) -> Result<ClientConfig, StartError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(refused)?
        .with_root_certificates(roots(extra_roots)?)
        .with_no_client_auth())
}

/// What the operating system trusts, read once: that takes tens of milliseconds.
///
/// What cannot be read is left out: a missing store must not keep a client of a plain HTTP relay
/// from starting.
static SYSTEM_ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    Arc::new(roots)
});

fn roots<'a>(
    extra: impl IntoIterator<Item = CertificateDer<'a>>,
) -> Result<Arc<RootCertStore>, StartError> {
    let mut roots = Arc::clone(&SYSTEM_ROOTS);
    for certificate in extra {
        Arc::make_mut(&mut roots).add(certificate.into_owned()).map_err(refused)?;
    }
    Ok(roots)
}

fn refused(error: rustls::Error) -> StartError {
    StartError::Transport(error.to_string())
}

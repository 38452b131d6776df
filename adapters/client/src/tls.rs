//! TLS settings, the same on every runtime.

use std::sync::{Arc, LazyLock};

/// The release of rustls that the settings are for.
pub use rustls;
use rustls::client::WantsClientCert;
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ConfigBuilder, Error, RootCertStore, WantsVerifier};

use crate::StartError;

/// TLS 1.2 and 1.3 by rustls, with *ring* named as the provider of cryptography and the roots that
/// the operating system trusts, to which `extra_roots` are added.
///
/// The process-wide default provider of rustls is neither asked for nor set.
/// [`HttpOptions`](crate::http::HttpOptions) are for whoever has files or wants more.
///
/// # Errors
/// [`StartError::Transport`] when one of `extra_roots` is not a certificate.
pub fn tls_config<'a>(
    extra_roots: impl IntoIterator<Item = CertificateDer<'a>>,
) -> Result<ClientConfig, StartError> {
    let settings: Result<ConfigBuilder<ClientConfig, WantsClientCert>, Error> =
        builder().and_then(|builder| Ok(builder.with_root_certificates(roots(extra_roots)?)));
    match settings {
        Ok(settings) => Ok(settings.with_no_client_auth()),
        Err(error) => Err(StartError::Transport(error.to_string())),
    }
}

/// The versions of TLS, and *ring*, by name.
pub(crate) fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

/// What the operating system trusts, read once: that takes tens of milliseconds.
///
/// What cannot be read is left out: a missing store must not keep a client of a plain HTTP relay
/// from starting.
pub(crate) fn system_roots() -> Arc<RootCertStore> {
    static ROOTS: LazyLock<Arc<RootCertStore>> = LazyLock::new(|| {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(roots)
    });
    Arc::clone(&ROOTS)
}

fn roots<'a>(
    extra: impl IntoIterator<Item = CertificateDer<'a>>,
) -> Result<Arc<RootCertStore>, Error> {
    let mut roots = system_roots();
    for certificate in extra {
        Arc::make_mut(&mut roots).add(certificate.into_owned())?;
    }
    Ok(roots)
}

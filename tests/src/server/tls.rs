//! Certificates made on the spot.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A certificate for `localhost` that nobody trusts who was not told to.
pub struct SelfSigned {
    /// What a client has to trust.
    pub certificate: CertificateDer<'static>,
    /// The same as text.
    pub pem: String,
    /// What a server needs to show it.
    pub server: Arc<ServerConfig>,
}

impl SelfSigned {
    /// A fresh one.
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])
            .expect("a certificate can be made");
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let server = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| {
                config.with_no_client_auth().with_single_cert(vec![certificate.clone()], key)
            })
            .expect("the certificate fits its key");
        Self { certificate, pem: made.cert.pem(), server: Arc::new(server) }
    }
}

impl Default for SelfSigned {
    fn default() -> Self {
        Self::new()
    }
}

//! Certificates made on the spot.

use std::sync::Arc;

use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ConfigBuilder, RootCertStore, ServerConfig, WantsVerifier};

/// A certificate for `localhost` that nobody trusts who was not told to.
pub struct SelfSigned {
    /// What a client has to trust.
    pub certificate: CertificateDer<'static>,
    /// The same as text.
    pub pem: String,
    /// Its private key as text.
    pub key_pem: String,
    /// What a server needs to show it.
    pub server: Arc<ServerConfig>,
    key: PrivateKeyDer<'static>,
}

impl SelfSigned {
    /// A fresh one.
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])
            .expect("a certificate can be made");
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let server = settings()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key.clone_key())
            .expect("the certificate fits its key");
        Self {
            certificate,
            pem: made.cert.pem(),
            key_pem: made.signing_key.serialize_pem(),
            server: Arc::new(server),
            key,
        }
    }

    /// What a server needs to show it, and to serve nobody who does not show `client`.
    pub fn server_for(&self, client: &Self) -> Arc<ServerConfig> {
        let mut roots = RootCertStore::empty();
        roots.add(client.certificate.clone()).expect("a certificate");
        let provider = Arc::new(ring::default_provider());
        let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
        let server = settings()
            .with_client_cert_verifier(clients.build().expect("one root"))
            .with_single_cert(vec![self.certificate.clone()], self.key.clone_key());
        Arc::new(server.expect("the certificate fits its key"))
    }
}

fn settings() -> ConfigBuilder<ServerConfig, WantsVerifier> {
    ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("what ring offers suffices")
}

impl Default for SelfSigned {
    fn default() -> Self {
        Self::new()
    }
}

//! Which servers are trusted, and who we are to them.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::HttpOptionsError;
use super::pem::Pem;
use crate::tls;

/// Roots that were handed in.
#[derive(Clone, Debug)]
pub(super) enum Roots {
    Pem(Pem),
    Der(Vec<u8>),
}

impl Roots {
    fn add_to(&self, store: &mut RootCertStore) -> Result<(), HttpOptionsError> {
        match self {
            Self::Pem(pem) => {
                for (number, certificate) in pem.certificates()?.into_iter().enumerate() {
                    store.add(certificate).map_err(|error| {
                        pem.refused(format!(
                            "holds a bad certificate, number {}: {error}",
                            number + 1
                        ))
                    })?;
                }
                Ok(())
            }
            Self::Der(der) => {
                store.add(der.clone().into()).map_err(|error| HttpOptionsError::Certificate {
                    from: "what was given to `root_certificate_der`".to_owned(),
                    why: format!("is not one certificate in DER form: {error}"),
                })
            }
        }
    }
}

/// Our own certificate and its key.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) certificate: Pem,
    pub(super) key: Pem,
}

/// What was asked for, before it is checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Trust {
    pub(super) roots: Vec<Roots>,
    pub(super) is_only_these: bool,
    pub(super) is_anybody: bool,
    pub(super) identity: Option<Identity>,
}

impl Trust {
    /// Whether nothing was asked for.
    pub(super) fn is_usual(&self) -> bool {
        self.roots.is_empty() && !self.is_only_these && !self.is_anybody && self.identity.is_none()
    }

    pub(super) fn settings(&self) -> Result<ClientConfig, HttpOptionsError> {
        self.check()?;
        let builder = tls::builder().map_err(refused)?;
        let provider = Arc::clone(builder.crypto_provider());
        let builder = match self.is_anybody {
            true => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(TrustAnybody(provider))),
            false => builder.with_root_certificates(self.root_store()?),
        };
        let Some(identity) = &self.identity else { return Ok(builder.with_no_client_auth()) };
        let (chain, key) = (identity.certificate.certificates()?, identity.key.key()?);
        builder.with_client_auth_cert(chain, key).map_err(|error| {
            identity.key.refused(format!("holds no key for the client certificate: {error}"))
        })
    }

    fn check(&self) -> Result<(), HttpOptionsError> {
        let is_with_roots = !self.roots.is_empty();
        if self.is_anybody && (is_with_roots || self.is_only_these) {
            return Err(HttpOptionsError::Contradiction(
                "root certificates were given, and `dangerously_trust_any_server` asks for none; \
                 leave out the latter",
            ));
        }
        if self.is_only_these && !is_with_roots {
            return Err(HttpOptionsError::Contradiction(
                "`only_these_roots` was asked for without a root certificate, so that no server \
                 could be trusted; add one",
            ));
        }
        Ok(())
    }

    fn root_store(&self) -> Result<Arc<RootCertStore>, HttpOptionsError> {
        let mut store =
            if self.is_only_these { Arc::new(RootCertStore::empty()) } else { tls::system_roots() };
        for roots in &self.roots {
            roots.add_to(Arc::make_mut(&mut store))?;
        }
        Ok(store)
    }
}

fn refused(error: Error) -> HttpOptionsError {
    HttpOptionsError::Tls(error.to_string())
}

/// Asks for nothing. Whoever trusts anybody learns nothing from a signature either.
#[derive(Debug)]
struct TrustAnybody(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAnybody {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

//! Certificates and keys from files and text.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use rustls::pki_types::pem::{Error as PemError, PemObject, SectionKind};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::HttpOptionsError;
use super::secret::Secret;

/// More than any bundle of certificates.
const LARGEST: u64 = 4 << 20;

/// PEM text, or the file that holds it.
#[derive(Clone, Debug)]
pub(super) enum Pem {
    File(PathBuf),
    /// By the setting that it was given to.
    Text(&'static str, Secret<Vec<u8>>),
}

impl Pem {
    pub(super) fn text(setting: &'static str, text: &[u8]) -> Self {
        Self::Text(setting, Secret::new(text))
    }

    /// All certificates, at least one.
    pub(super) fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, HttpOptionsError> {
        let text = self.read()?;
        let mut has_key = false;
        let mut certificates = Vec::new();
        for section in <(SectionKind, Vec<u8>)>::pem_slice_iter(&text) {
            let (kind, der) = section.map_err(|error| self.refused(damage(&error)))?;
            match kind {
                SectionKind::Certificate => certificates.push(der.into()),
                kind => has_key |= is_key(kind),
            }
        }
        match certificates.is_empty() {
            false => Ok(certificates),
            true if has_key => Err(self.refused("holds a private key, and no certificate")),
            true => {
                Err(self.refused("holds no certificate in PEM form (-----BEGIN CERTIFICATE-----)"))
            }
        }
    }

    /// The first private key.
    pub(super) fn key(&self) -> Result<PrivateKeyDer<'static>, HttpOptionsError> {
        let text = self.read()?;
        PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
            _ if is_encrypted(&text) => {
                self.refused("holds a private key that is encrypted; decrypt it first")
            }
            PemError::NoItemsFound => {
                self.refused("holds no private key in PEM form (-----BEGIN PRIVATE KEY-----)")
            }
            error => self.refused(damage(&error)),
        })
    }

    pub(super) fn refused(&self, why: impl Into<String>) -> HttpOptionsError {
        let from = match self {
            Self::File(path) => format!("the file {path:?}"),
            Self::Text(setting, _) => format!("what was given to `{setting}`"),
        };
        HttpOptionsError::Certificate { from, why: why.into() }
    }

    fn read(&self) -> Result<Vec<u8>, HttpOptionsError> {
        match self {
            Self::Text(_, text) => Ok(text.expose().clone()),
            Self::File(path) => {
                let mut text = Vec::new();
                let read = File::open(path)
                    .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut text))
                    .map_err(|error| self.unreadable(&error))?;
                if read as u64 > LARGEST {
                    return Err(self.refused(format!("is larger than {LARGEST} bytes")));
                }
                Ok(text)
            }
        }
    }

    fn unreadable(&self, error: &io::Error) -> HttpOptionsError {
        self.refused(format!("cannot be read: {error}"))
    }
}

fn is_key(kind: SectionKind) -> bool {
    matches!(kind, SectionKind::PrivateKey | SectionKind::RsaPrivateKey | SectionKind::EcPrivateKey)
}

fn is_encrypted(text: &[u8]) -> bool {
    let holds = |what: &[u8]| text.windows(what.len()).any(|part| part == what);
    holds(b"BEGIN ENCRYPTED PRIVATE KEY") || holds(b"Proc-Type: 4,ENCRYPTED")
}

/// In words of ours: those of the error may quote a line of a key.
fn damage(error: &PemError) -> &'static str {
    match error {
        PemError::MissingSectionEnd { .. } => "is cut off: an END line is missing",
        PemError::IllegalSectionStart { .. } => "has a BEGIN line that is not whole",
        PemError::Base64Decode(_) => "holds something that is not Base64 between BEGIN and END",
        _ => "is not readable as PEM",
    }
}

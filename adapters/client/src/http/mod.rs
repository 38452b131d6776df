//! Settings of our own HTTP client, the same on every runtime: proxies, whom to trust, and who we
//! are.

mod choice;
mod environment;
mod error;
mod pem;
mod proxies;
mod proxy;
mod secret;
mod trust;

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use rustls::ClientConfig;

pub use choice::{Http, HttpChoice};
pub use error::HttpOptionsError;
pub use proxies::{ExplicitProxies, Proxies};
pub use proxy::{Proxy, ProxyUrl};

use pem::Pem;
use proxies::Wanted;
use trust::{Identity, Roots, Trust};

/// Settings of our own HTTP client, for the `http` of a runtime's `ClientBuilder`. Clones share what
/// was read, so that one can be given to many clients.
///
/// Connecting, the response head and silence have their limits in the
/// [`Timing`](crate::config::Timing) of the configuration.
///
/// ```
/// use fdv2_client::http::{HttpOptions, HttpOptionsError, Proxy};
///
/// # fn options() -> Result<HttpOptions, HttpOptionsError> {
/// let options = HttpOptions::builder()
///     .proxy(Proxy::new("http://proxy.example:3128").credentials("user", "p@ssword"))
///     .no_proxy_for("localhost, .internal.example, 10.0.0.0/8")
///     .root_certificate_file("/etc/ssl/our-own-ca.pem")
///     .build()?;
/// # Ok(options)
/// # }
/// # assert!(options().unwrap_err().to_string().contains("our-own-ca.pem"));
/// ```
#[derive(Clone)]
pub struct HttpOptions {
    tls: Arc<ClientConfig>,
    proxies: Proxies,
}

impl HttpOptions {
    /// The proxies of the environment, and the servers that the operating system trusts.
    pub fn builder() -> HttpOptionsBuilder {
        HttpOptionsBuilder::default()
    }

    /// The TLS settings.
    pub fn tls(&self) -> &Arc<ClientConfig> {
        &self.tls
    }

    /// The proxies.
    pub fn proxies(&self) -> &Proxies {
        &self.proxies
    }
}

/// These TLS settings, and the proxies of the environment.
impl From<ClientConfig> for HttpOptions {
    fn from(tls: ClientConfig) -> Self {
        Self { tls: Arc::new(tls), proxies: Proxies::Environment }
    }
}

/// Shows no password and no key (B 11.1).
impl fmt::Debug for HttpOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpOptions").field("proxies", &self.proxies).finish_non_exhaustive()
    }
}

/// Collects [`HttpOptions`]. Shows no password and no key in `Debug` (B 11.1).
#[derive(Clone, Debug, Default)]
#[must_use = "it does nothing before `build`"]
pub struct HttpOptionsBuilder {
    proxies: Wanted,
    trust: Trust,
    tls: Option<ClientConfig>,
}

impl HttpOptionsBuilder {
    /// Sends everything through this proxy, whatever the environment says.
    pub fn proxy(self, proxy: impl Into<Proxy>) -> Self {
        let proxy = proxy.into();
        self.http_proxy(proxy.clone()).https_proxy(proxy)
    }

    /// Sends requests to `http` addresses through this proxy, and none to `https` addresses unless
    /// [`https_proxy`](Self::https_proxy) says so, whatever the environment says.
    pub fn http_proxy(mut self, proxy: impl Into<Proxy>) -> Self {
        self.proxies.http = Some(proxy.into());
        self
    }

    /// Sends requests to `https` addresses through this proxy (CONNECT), and none to `http`
    /// addresses unless [`http_proxy`](Self::http_proxy) says so, whatever the environment says.
    pub fn https_proxy(mut self, proxy: impl Into<Proxy>) -> Self {
        self.proxies.https = Some(proxy.into());
        self
    }

    /// Uses no proxy, whatever the environment says.
    pub fn no_proxy(mut self) -> Self {
        self.proxies.is_direct = true;
        self
    }

    /// Reaches these hosts without the proxies that are named here. Separated by commas, as in
    /// `NO_PROXY`: a name, which stands for all in its domain, too; an address; a network such as
    /// `10.0.0.0/8`; or `*` for all hosts.
    pub fn no_proxy_for(mut self, hosts: &str) -> Self {
        self.proxies.except.extend(hosts.split(',').map(|host| host.trim().to_owned()));
        self
    }

    /// Trusts servers whose certificates lead to one of those in this PEM file, beside what the
    /// operating system trusts. The file is read by [`build`](Self::build).
    pub fn root_certificate_file(mut self, path: impl AsRef<Path>) -> Self {
        self.trust.roots.push(Roots::Pem(Pem::File(path.as_ref().to_owned())));
        self
    }

    /// As [`root_certificate_file`](Self::root_certificate_file), with the text itself.
    pub fn root_certificate_pem(mut self, text: impl AsRef<[u8]>) -> Self {
        let pem = Pem::text("root_certificate_pem", text.as_ref());
        self.trust.roots.push(Roots::Pem(pem));
        self
    }

    /// As [`root_certificate_file`](Self::root_certificate_file), with one certificate in DER form.
    pub fn root_certificate_der(mut self, certificate: impl AsRef<[u8]>) -> Self {
        self.trust.roots.push(Roots::Der(certificate.as_ref().to_owned()));
        self
    }

    /// Trusts the root certificates that are given here, and not those of the operating system.
    pub fn only_these_roots(mut self) -> Self {
        self.trust.is_only_these = true;
        self
    }

    /// Trusts whoever answers: no certificate is checked, neither its issuer nor its name nor its
    /// age.
    ///
    /// **Anybody on the way can then read the SDK key and send flags of their own.** It is for tests
    /// against servers on the same machine. A server with a certificate of one's own is better
    /// trusted with [`root_certificate_file`](Self::root_certificate_file).
    pub fn dangerously_trust_any_server(mut self) -> Self {
        self.trust.is_anybody = true;
        self
    }

    /// Shows servers that ask for it the certificate in this PEM file, with those that lead to its
    /// root behind it, and proves it with the unencrypted private key in that PEM file. Both are
    /// read by [`build`](Self::build), and can be the same file.
    pub fn client_certificate_files(
        mut self,
        certificate: impl AsRef<Path>,
        key: impl AsRef<Path>,
    ) -> Self {
        self.trust.identity = Some(Identity {
            certificate: Pem::File(certificate.as_ref().to_owned()),
            key: Pem::File(key.as_ref().to_owned()),
        });
        self
    }

    /// As [`client_certificate_files`](Self::client_certificate_files), with the texts themselves.
    pub fn client_certificate_pem(
        mut self,
        certificate: impl AsRef<[u8]>,
        key: impl AsRef<[u8]>,
    ) -> Self {
        self.trust.identity = Some(Identity {
            certificate: Pem::text("client_certificate_pem", certificate.as_ref()),
            key: Pem::text("client_certificate_pem", key.as_ref()),
        });
        self
    }

    /// The TLS settings as a whole, in place of everything that is said about certificates here.
    pub fn tls(mut self, settings: ClientConfig) -> Self {
        self.tls = Some(settings);
        self
    }

    /// Checks all, and reads the files.
    ///
    /// It blocks while it reads them, and the first time in a process also for what the operating
    /// system trusts, together some tens of milliseconds: on an executor that serves others, call it
    /// on a thread of the blocking pool. The start of a client then reads nothing.
    ///
    /// # Errors
    /// [`HttpOptionsError`] says which setting or file is wrong, and how.
    pub fn build(self) -> Result<HttpOptions, HttpOptionsError> {
        let proxies = self.proxies.resolve()?;
        let tls = match self.tls {
            Some(_) if !self.trust.is_usual() => {
                return Err(HttpOptionsError::Contradiction(
                    "`tls` gives the TLS settings as a whole, so certificates have to be a part of \
                     them; leave out `tls` or the other settings of certificates",
                ));
            }
            Some(settings) => settings,
            None => self.trust.settings()?,
        };
        Ok(HttpOptions { tls: Arc::new(tls), proxies })
    }
}

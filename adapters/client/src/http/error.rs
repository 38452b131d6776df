//! What can be wrong with the settings of an HTTP client.

/// Why [`HttpOptions`](super::HttpOptions) were refused (B 11.2). Each says what to change, and none
/// shows a password or a key (B 11.1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HttpOptionsError {
    /// A proxy cannot be used. Its address is not repeated, since it may hold a password.
    #[error("the address of the {target} proxy {why}")]
    Proxy {
        /// For which addresses it was to be.
        target: &'static str,
        /// What is wrong, and what to write instead.
        why: &'static str,
    },
    /// One of the hosts that are to be reached without a proxy means nothing.
    #[error("{entry:?} cannot be kept from the proxies: {why}")]
    Exception {
        /// As it was given.
        entry: String,
        /// What is wrong, and what to write instead.
        why: &'static str,
    },
    /// A certificate or a key cannot be used.
    #[error("{from} {why}")]
    Certificate {
        /// The file, by its path, or the setting that it was given to.
        from: String,
        /// What is wrong with it.
        why: String,
    },
    /// rustls refuses the settings.
    #[error("the TLS settings cannot be used: {0}")]
    Tls(String),
    /// Two settings contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

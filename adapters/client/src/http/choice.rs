//! Whose HTTP client it is, and how ours is set up.

use rustls::ClientConfig;

use super::{HttpOptions, HttpOptionsError};
use crate::StartError;

/// What the `ClientBuilder` of a runtime was told about HTTP; `C` is the runtime's own kind of HTTP
/// client. For the crates of runtimes.
#[doc(hidden)]
pub struct HttpChoice<C> {
    own: Option<C>,
    tls: Option<ClientConfig>,
    options: Option<HttpOptions>,
}

/// What was chosen. For the crates of runtimes.
#[doc(hidden)]
pub enum Http<C> {
    /// The application's own client.
    Own(C),
    /// One of ours with these settings.
    Ours(HttpOptions),
}

impl<C> HttpChoice<C> {
    /// Nothing was said.
    pub fn new() -> Self {
        Self { own: None, tls: None, options: None }
    }

    /// The application's own client.
    pub fn own(&mut self, client: C) {
        self.own = Some(client);
    }

    /// A client of ours with these TLS settings.
    pub fn tls(&mut self, settings: ClientConfig) {
        self.tls = Some(settings);
    }

    /// A client of ours with these settings.
    pub fn options(&mut self, options: HttpOptions) {
        self.options = Some(options);
    }

    /// What was chosen.
    ///
    /// # Errors
    /// [`StartError::Contradiction`] when one setting would silently be without effect beside
    /// another, and [`StartError::Transport`] when there are no TLS settings to be had.
    pub fn decide(self) -> Result<Http<C>, StartError> {
        let unusable = |error: HttpOptionsError| StartError::Transport(error.to_string());
        match (self.own, self.tls, self.options) {
            (Some(client), None, None) => Ok(Http::Own(client)),
            (Some(_), ..) => Err(StartError::Contradiction(
                "an HTTP client of the application's own was handed in, which `http` and `tls` do \
                 not reach; set that client up itself, or leave it out",
            )),
            (None, Some(_), Some(_)) => Err(StartError::Contradiction(
                "TLS settings were given by `tls` and by `http`; give them once, by the `tls` of \
                 `HttpOptions`",
            )),
            (None, Some(settings), None) => {
                HttpOptions::builder().tls(settings).build().map(Http::Ours).map_err(unusable)
            }
            (None, None, Some(options)) => Ok(Http::Ours(options)),
            (None, None, None) => HttpOptions::builder().build().map(Http::Ours).map_err(unusable),
        }
    }
}

impl<C> Default for HttpChoice<C> {
    fn default() -> Self {
        Self::new()
    }
}

/// The methods of a runtime's `ClientBuilder` that set up its field `http`, an [`HttpChoice`]: the
/// same on every runtime. For the crates of runtimes.
#[doc(hidden)]
#[macro_export]
macro_rules! http_of_a_builder {
    () => {
        /// Sets up our own HTTP client: proxies, trusted servers, a certificate of ours.
        ///
        /// Not together with `http_client` or `tls`, which is an error at the start.
        pub fn http(mut self, options: $crate::http::HttpOptions) -> Self {
            self.http.options(options);
            self
        }

        /// The TLS settings of our own HTTP client, in place of
        /// [`tls_config`](crate::tls::tls_config).
        ///
        /// Not together with `http_client` or `http`, which is an error at the start.
        pub fn tls(mut self, settings: $crate::tls::rustls::ClientConfig) -> Self {
            self.http.tls(settings);
            self
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::tls_config;

    fn decided(own: bool, tls: bool, options: bool) -> Result<Http<()>, StartError> {
        let mut choice = HttpChoice::new();
        if own {
            choice.own(());
        }
        if tls {
            choice.tls(tls_config([]).unwrap());
        }
        if options {
            choice.options(HttpOptions::builder().build().unwrap());
        }
        choice.decide()
    }

    /// B 11.2.
    #[test]
    fn what_would_be_without_effect_is_refused() {
        for (own, tls, options) in
            [(true, true, false), (true, false, true), (true, true, true), (false, true, true)]
        {
            let decided = decided(own, tls, options);
            assert!(matches!(decided, Err(StartError::Contradiction(_))));
        }
        assert!(matches!(decided(true, false, false), Ok(Http::Own(()))));
        for (tls, options) in [(false, false), (true, false), (false, true)] {
            assert!(matches!(decided(false, tls, options), Ok(Http::Ours(_))));
        }
    }
}

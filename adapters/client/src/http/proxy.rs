//! One proxy: its address and what it wants to know.

use std::fmt;

use http::Uri;
use http::uri::Authority;
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::secret::Secret;

/// A proxy by its address, such as `http://user:p%40ss@proxy.example:3128`.
///
/// It begins with `http://`, which can be left out, or with `https://` for a proxy that is itself
/// spoken to over TLS. Both tunnel requests to `https` addresses (CONNECT). A port that is left out
/// is 80 or 443. `socks5://`, `socks5h://`, `socks4://` and `socks4a://`, port 1080 by default, are
/// for tokio alone: on smol they are an error at the start.
///
/// On tokio no proxy leads to an `https` address whose host is an IPv6 address, such as
/// `https://[::1]`: reqwest takes its brackets for a part of the name in the certificate. Use a name.
///
/// User and password in the address are percent-encoded: an `@` in a password is `%40`. As they
/// are, they can be given by [`credentials`](Self::credentials). Neither shows in `Debug` or in an
/// error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proxy {
    address: Secret<String>,
    credentials: Option<(Secret<String>, Secret<String>)>,
}

impl Proxy {
    /// The proxy at this address. It is read when the [options](super::HttpOptions) are built.
    pub fn new(address: &str) -> Self {
        Self { address: Secret::new(address), credentials: None }
    }

    /// User and password as they are, in place of those in the address.
    pub fn credentials(mut self, user: &str, password: &str) -> Self {
        self.credentials = Some((Secret::new(user), Secret::new(password)));
        self
    }

    /// The address in its one form, or what is wrong with it.
    pub(super) fn resolve(&self) -> Result<ProxyUrl, &'static str> {
        let text = self.address.expose();
        let uri: Uri = text.parse().map_err(|_| SYNTAX)?;
        let scheme = scheme(uri.scheme_str().unwrap_or("http"))?;
        if !matches!(uri.path(), "" | "/") || text.contains(['?', '#']) {
            return Err("has a path, a query or a fragment; it ends with the port");
        }
        let authority = uri.authority().ok_or("has no host")?;
        let in_address = authority.as_str().rsplit_once('@').map(|(userinfo, _)| userinfo);
        let userinfo = match (in_address, &self.credentials) {
            (Some(_), Some(_)) => {
                return Err(
                    "holds a user, and credentials were also given beside it; leave out one",
                );
            }
            (Some(userinfo), None) => Some(decoded(userinfo)?),
            (None, Some((user, password))) => {
                Some((user.expose().clone(), password.expose().clone()))
            }
            (None, None) => None,
        };
        let userinfo = userinfo.map(|(user, password)| encoded(&user, &password)).transpose()?;
        let place = format!("{}:{}", authority.host(), port(authority, scheme)?);
        Ok(ProxyUrl {
            url: Secret::new(format!("{scheme}://{}{place}", userinfo.unwrap_or_default())),
            shown: format!("{scheme}://{place}"),
            is_socks: scheme.starts_with("socks"),
        })
    }

    /// What is wrong with the address for somebody who reads it as it is.
    pub(super) fn check_as_written(&self) -> Result<(), &'static str> {
        self.resolve()?;
        // The user would be taken to end at the first of them.
        if self.address.expose().matches('@').count() > 1 { Err(SYNTAX) } else { Ok(()) }
    }
}

impl From<&str> for Proxy {
    fn from(address: &str) -> Self {
        Self::new(address)
    }
}

impl From<String> for Proxy {
    fn from(address: String) -> Self {
        Self::new(&address)
    }
}

const SYNTAX: &str = "is not a valid URL; it should look like http://user:password@host:3128, \
                      with special characters in user and password percent-encoded";

fn scheme(name: &str) -> Result<&'static str, &'static str> {
    let known = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"];
    let known = known.into_iter().find(|known| known.eq_ignore_ascii_case(name));
    known.ok_or("begins with something else than http://, https:// or socks5://")
}

fn port(authority: &Authority, scheme: &str) -> Result<u16, &'static str> {
    let host = authority.host();
    if host.is_empty() {
        return Err("has no host");
    }
    let place = authority.as_str().rsplit_once('@').map_or(authority.as_str(), |(_, place)| place);
    match place.strip_prefix(host).and_then(|port| port.strip_prefix(':')) {
        Some(port) => match port.parse() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err("has a port that is none"),
        },
        None => Ok(match scheme {
            "http" => 80,
            "https" => 443,
            _ => 1080,
        }),
    }
}

fn decoded(userinfo: &str) -> Result<(String, String), &'static str> {
    let (user, password) = userinfo.split_once(':').unwrap_or((userinfo, ""));
    let decoded = |text: &str| match percent_decode_str(text).decode_utf8() {
        Ok(text) => Ok(text.into_owned()),
        Err(_) => Err("holds a user or password that is not UTF-8 when it is percent-decoded"),
    };
    Ok((decoded(user)?, decoded(password)?))
}

/// Of the one form that every HTTP client reads the same way.
fn encoded(user: &str, password: &str) -> Result<String, &'static str> {
    if user.contains(':') {
        return Err("has a user whose name holds a colon, which Basic authentication cannot send");
    }
    if user.chars().chain(password.chars()).any(char::is_control) {
        return Err("has a user or password that holds a control character");
    }
    let encoded = |text| utf8_percent_encode(text, NON_ALPHANUMERIC);
    Ok(format!("{}:{}@", encoded(user), encoded(password)))
}

/// The address of a proxy that was found to be usable.
#[derive(Clone, PartialEq, Eq)]
pub struct ProxyUrl {
    url: Secret<String>,
    shown: String,
    is_socks: bool,
}

impl ProxyUrl {
    /// With user and password, percent-encoded, and with its port. Keep it out of everything that
    /// is written down.
    pub fn expose(&self) -> &str {
        self.url.expose()
    }

    /// Whether it is a SOCKS proxy.
    pub fn is_socks(&self) -> bool {
        self.is_socks
    }
}

/// Without user and password.
impl fmt::Debug for ProxyUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(proxy: impl Into<Proxy>) -> String {
        proxy.into().resolve().unwrap().expose().to_owned()
    }

    #[test]
    fn an_address_gets_one_form() {
        for (given, form) in [
            ("http://h:3128", "http://h:3128"),
            ("HTTP://h:3128/", "http://h:3128"),
            ("h:3128", "http://h:3128"),
            ("h", "http://h:80"),
            ("https://h.example", "https://h.example:443"),
            ("socks5h://h", "socks5h://h:1080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://u@h:1", "http://u:@h:1"),
            ("http://u:p%40s%3As@h:1", "http://u:p%40s%3As@h:1"),
            ("u:p:w@h:1", "http://u:p%3Aw@h:1"),
        ] {
            assert_eq!(url(given), form, "{given}");
        }
        assert_eq!(url(Proxy::new("h:1").credentials("ü", "p@/s")), "http://%C3%BC:p%40%2Fs@h:1");
    }

    /// B 11.1, 11.2.
    #[test]
    fn an_address_that_cannot_be_used_is_a_clear_error_without_the_password() {
        for (given, says) in [
            ("", "not a valid URL"),
            ("::bad", "not a valid URL"),
            ("http://", "not a valid URL"),
            ("http://u:s3cr3t/x@h", "path"),
            ("http://u:s3cr3t@h/path", "path"),
            ("http://u:s3cr3t@h?x", "path"),
            ("http://u:s3cr3t#x@h", "path"),
            ("ftp://u:s3cr3t@h", "http://"),
            ("http://u:s3cr3t@h:0", "port"),
            ("http://u:s3cr3t@h:", "port"),
            ("http://u:s3cr3t@h:70000", "port"),
            ("http://u:s3cr3t@", "host"),
            ("http://u%3Ax:s3cr3t@h", "colon"),
            ("http://u:s3cr3t%00@h", "control"),
            ("http://u:s3cr3t%ff@h", "UTF-8"),
            ("/path", "path"),
        ] {
            let proxy = Proxy::new(given);
            let error = proxy.resolve().unwrap_err();
            assert!(error.contains(says), "{given}: {error}");
            assert!(!format!("{error}{proxy:?}").contains("s3cr3t"));
        }
        let twice = Proxy::new("http://u:p@h").credentials("u", "p").resolve();
        assert!(twice.unwrap_err().contains("leave out one"));
        let shown = format!("{:?}", Proxy::new("http://u:s3cr3t@h").resolve().unwrap());
        assert_eq!(shown, "http://h:80");
    }
}

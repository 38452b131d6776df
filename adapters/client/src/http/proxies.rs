//! Which proxy is for which address.

use std::net::IpAddr;

use super::HttpOptionsError;
use super::proxy::{Proxy, ProxyUrl};

/// Which proxies requests go through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proxies {
    /// Those of the environment: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, or the same
    /// in lower case. Where it names none, those of the settings of macOS or Windows.
    ///
    /// A proxy in it that cannot be used is an error at the start, and a `*` in `NO_PROXY` means no
    /// proxy at all. In a CGI program (`REQUEST_METHOD`) none of it is read.
    #[default]
    Environment,
    /// None.
    Direct,
    /// These.
    Explicit(ExplicitProxies),
}

/// Proxies that were named, whatever the environment says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplicitProxies {
    http: Option<ProxyUrl>,
    https: Option<ProxyUrl>,
    except: String,
}

impl ExplicitProxies {
    /// For `http` addresses.
    pub fn http(&self) -> Option<&ProxyUrl> {
        self.http.as_ref()
    }

    /// For `https` addresses.
    pub fn https(&self) -> Option<&ProxyUrl> {
        self.https.as_ref()
    }

    /// The hosts that are reached without a proxy, as `NO_PROXY` has them.
    pub fn except(&self) -> &str {
        &self.except
    }
}

/// What was asked for, before it is checked.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    pub(super) http: Option<Proxy>,
    pub(super) https: Option<Proxy>,
    pub(super) is_direct: bool,
    pub(super) except: Vec<String>,
}

impl Wanted {
    pub(super) fn resolve(&self) -> Result<Proxies, HttpOptionsError> {
        let is_explicit = self.http.is_some() || self.https.is_some();
        if self.is_direct && is_explicit {
            return Err(HttpOptionsError::Contradiction(
                "a proxy was named, and `no_proxy` says that there is none; leave out one of them",
            ));
        }
        if !is_explicit && !self.except.is_empty() {
            return Err(HttpOptionsError::Contradiction(
                "`no_proxy_for` is an exception from proxies that are named with it; name one, or \
                 set NO_PROXY for the proxies of the environment",
            ));
        }
        if self.is_direct {
            return Ok(Proxies::Direct);
        }
        if !is_explicit {
            return Ok(Proxies::Environment);
        }
        let (http, https) = (resolve("http", &self.http)?, resolve("https", &self.https)?);
        let except =
            self.except.iter().map(|entry| exception(entry)).collect::<Result<Vec<_>, _>>();
        Ok(Proxies::Explicit(ExplicitProxies { http, https, except: except?.join(",") }))
    }
}

fn resolve(
    target: &'static str,
    proxy: &Option<Proxy>,
) -> Result<Option<ProxyUrl>, HttpOptionsError> {
    let resolved = proxy.as_ref().map(Proxy::resolve).transpose();
    resolved.map_err(|why| HttpOptionsError::Proxy { target, why })
}

/// Refuses what would match nothing without a word.
fn exception(entry: &str) -> Result<&str, HttpOptionsError> {
    let refused = |why| HttpOptionsError::Exception { entry: entry.to_owned(), why };
    if entry == "*" {
        // Alone, the star is understood as every name, but as no address.
        return Ok("*,0.0.0.0/0,::/0");
    }
    if entry.parse::<IpAddr>().is_ok() || is_network(entry) {
        return Ok(entry);
    }
    if entry.contains('*') {
        return Err(refused(
            "a star stands for all hosts; write `.example.com` for all in a domain",
        ));
    }
    if entry.contains(['/', ':', '[', ']']) {
        return Err(refused(
            "write a host without scheme, port and brackets, or a network such as 10.0.0.0/8",
        ));
    }
    if entry.is_empty() || entry.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Err(refused("it is empty or holds blanks; separate hosts by commas"));
    }
    Ok(entry)
}

fn is_network(entry: &str) -> bool {
    let Some((address, bits)) = entry.split_once('/') else { return false };
    let most = match address.parse() {
        Ok(IpAddr::V4(_)) => 32,
        Ok(IpAddr::V6(_)) => 128,
        Err(_) => return false,
    };
    bits.parse().is_ok_and(|bits: u8| bits <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn except(entries: &[&str]) -> Result<String, HttpOptionsError> {
        let except = entries.iter().map(|&entry| entry.to_owned()).collect();
        let wanted = Wanted { http: Some("h:1".into()), except, ..Wanted::default() };
        match wanted.resolve()? {
            Proxies::Explicit(proxies) => Ok(proxies.except().to_owned()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn exceptions_are_names_addresses_and_networks() {
        let entries = ["localhost", ".example.com", "10.0.0.0/8", "127.0.0.1", "::1", "fe80::/10"];
        assert_eq!(except(&entries), Ok(entries.join(",")));
        assert_eq!(except(&["*"]), Ok("*,0.0.0.0/0,::/0".to_owned()));
    }

    /// B 11.2.
    #[test]
    fn an_exception_that_would_match_nothing_is_a_clear_error() {
        for entry in ["", "a b", "h:80", "http://h", "[::1]", "*.example.com", "10.0.0.0/33", "a/8"]
        {
            let error = except(&[entry]).unwrap_err();
            assert!(matches!(&error, HttpOptionsError::Exception { .. }), "{entry}: {error}");
        }
    }

    /// B 11.2.
    #[test]
    fn contradictions_are_refused() {
        let proxy = || Some(Proxy::new("h:1"));
        let one_too_many = [
            Wanted { http: proxy(), is_direct: true, ..Wanted::default() },
            Wanted { https: proxy(), is_direct: true, ..Wanted::default() },
            Wanted { except: vec!["h".to_owned()], ..Wanted::default() },
            Wanted { except: vec!["h".to_owned()], is_direct: true, ..Wanted::default() },
        ];
        for wanted in one_too_many {
            let resolved = wanted.resolve();
            assert!(matches!(resolved, Err(HttpOptionsError::Contradiction(_))), "{wanted:?}");
        }
    }
}

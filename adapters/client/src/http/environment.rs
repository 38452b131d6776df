//! What the environment says about proxies, looked at before an HTTP client of ours takes it over.
//!
//! The clients read it themselves, and pass over without a word what they cannot read: requests, and
//! the SDK key with them, would then go past the proxy.

use super::proxy::Proxy;
use super::{HttpOptionsError, Proxies};
use crate::StartError;

/// In the order in which the clients look.
const NAMES: [[&str; 2]; 3] =
    [["HTTP_PROXY", "http_proxy"], ["HTTPS_PROXY", "https_proxy"], ["ALL_PROXY", "all_proxy"]];
const EXCEPTIONS: [&str; 2] = ["NO_PROXY", "no_proxy"];
/// Where this is set, a request of somebody else's may have made the others: they are not read.
const CGI: &str = "REQUEST_METHOD";

impl Proxies {
    /// As an HTTP client of ours is to take them. For the crates of runtimes.
    ///
    /// # Errors
    /// [`StartError::Transport`] when the environment names a proxy that cannot be used.
    #[doc(hidden)]
    pub fn settle(&self) -> Result<Self, StartError> {
        let variable = |name: &str| Some(std::env::var_os(name)?.to_string_lossy().into_owned());
        match self {
            Self::Environment => {
                settle(variable).map_err(|error| StartError::Transport(error.to_string()))
            }
            named => Ok(named.clone()),
        }
    }
}

fn settle(variable: impl Fn(&str) -> Option<String>) -> Result<Proxies, HttpOptionsError> {
    if variable(CGI).is_some() {
        return Ok(Proxies::Environment);
    }
    let first = |names: [&'static str; 2]| {
        names.into_iter().find_map(|name| variable(name).map(|value| (name, value)))
    };
    // The clients take the star for every name, but for no address.
    if first(EXCEPTIONS).is_some_and(|(_, hosts)| hosts.split(',').any(|host| host.trim() == "*")) {
        return Ok(Proxies::Direct);
    }
    for (target, address) in NAMES.into_iter().filter_map(first) {
        if !address.is_empty() {
            Proxy::new(&address)
                .check_as_written()
                .map_err(|why| HttpOptionsError::Proxy { target, why })?;
        }
    }
    Ok(Proxies::Environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(variables: &[(&str, &str)]) -> Result<Proxies, HttpOptionsError> {
        settle(|wanted| {
            let found = variables.iter().find(|(name, _)| *name == wanted);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    /// B 11.1, 11.2.
    #[test]
    fn a_proxy_that_would_be_passed_over_or_misread_is_a_clear_error_without_the_password() {
        for name in NAMES.into_iter().flatten() {
            for value in [
                "::bad",
                " http://u:s3cr3t@h:1",
                "http:/u:s3cr3t@h:1",
                "ftp://u:s3cr3t@h:1",
                "http://u:s3cr3t @h:1",
                "http://u:s3cr3t@x@h:1",
                "http://u:s3cr3t#x@h:1",
                "http://u:s3cr3t@h:99999",
                "http://u:s3cr3t%ff@h:1",
                "http://u:s3cr3t\u{fffd}@h:1",
            ] {
                let error = settled(&[(name, value)]).expect_err(value);
                let shown = format!("{error} {error:?}");
                assert!(error.to_string().contains(name) && !shown.contains("s3cr3t"), "{shown}");
            }
        }
    }

    #[test]
    fn what_can_be_used_is_left_to_the_client() {
        for value in ["", "h:1", "http://u:p%40@h:1/", "https://[::1]", "socks5h://u:p@h"] {
            let others = [("https_proxy", value), ("NO_PROXY", "127.0.0.1, *.local,169.254/16")];
            let settled = settled(&[&[("HTTP_PROXY", value)], &others[..]].concat());
            assert_eq!(settled, Ok(Proxies::Environment), "{value}");
        }
        assert_eq!(settled(&[]), Ok(Proxies::Environment));
    }

    /// H04.
    #[test]
    fn a_star_among_the_exceptions_means_no_proxy_for_addresses_too() {
        for hosts in ["*", " * ", "h,*", "*,h"] {
            for name in EXCEPTIONS {
                let settled = settled(&[("HTTP_PROXY", "h:1"), (name, hosts)]);
                assert_eq!(settled, Ok(Proxies::Direct), "{name}={hosts}");
            }
        }
        let upper_first = settled(&[("NO_PROXY", ""), ("no_proxy", "*")]);
        assert_eq!(upper_first, Ok(Proxies::Environment));
    }

    #[test]
    fn what_is_not_read_is_not_checked() {
        assert_eq!(settled(&[("HTTP_PROXY", "::bad"), (CGI, "GET")]), Ok(Proxies::Environment));
        let shadowed = settled(&[("HTTP_PROXY", "h:1"), ("http_proxy", "::bad")]);
        assert_eq!(shadowed, Ok(Proxies::Environment));
    }
}

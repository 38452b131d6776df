//! The URL of a database, checked before anything is connected.

use redis::io::tcp::TcpSettings;
use redis::{ConnectionInfo, IntoConnectionInfo, parse_redis_url};

/// How long a URL may be, in bytes.
const LONGEST: usize = 8 * 1024;

/// Why a URL cannot be used. It repeats nothing of the URL, which may hold a password (B 11.1).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RedisUrlError {
    /// It is none, or its port is none, or it is over 8 KiB long.
    #[error(
        "the Redis URL is not a valid URL; it should look like redis://user:password@host:6379/0"
    )]
    Syntax,
    /// It begins with something else.
    #[error("the Redis URL has to begin with redis:// or rediss://")]
    Scheme,
    /// It begins with `rediss://`, and this program has no TLS.
    #[error("a rediss:// URL needs the feature `tls` of fdv2-redis")]
    Tls,
    /// It has a query or a fragment.
    #[error("the Redis URL may have neither a query (?) nor a fragment (#)")]
    Extra,
    /// It has no host, or none that can be connected to.
    #[error("the Redis URL names no host that can be connected to")]
    Host,
    /// The database is not a number, or user or password are not UTF-8.
    #[error(
        "the Redis URL has a database that is not a number, or a user or password that is not UTF-8"
    )]
    Parts,
}

/// A database to connect to, and how errors call it.
pub(crate) struct Address {
    pub(crate) info: ConnectionInfo,
    pub(crate) name: String,
}

impl Address {
    pub(crate) fn parse(text: &str) -> Result<Self, RedisUrlError> {
        if text.len() > LONGEST {
            return Err(RedisUrlError::Syntax);
        }
        if !["redis://", "rediss://"].iter().any(|scheme| text.starts_with(scheme)) {
            return Err(RedisUrlError::Scheme);
        }
        if text.starts_with("rediss://") && !cfg!(feature = "tls") {
            return Err(RedisUrlError::Tls);
        }
        let url = parse_redis_url(text).ok_or(RedisUrlError::Syntax)?;
        if url.query().is_some() || url.fragment().is_some() {
            return Err(RedisUrlError::Extra);
        }
        let host = url.host_str().filter(|host| !host.is_empty() && !is_wildcard(host));
        let host = host.ok_or(RedisUrlError::Host)?;
        let name = format!("{host}:{}", url.port().unwrap_or(6379));
        let info = url.into_connection_info().map_err(|_| RedisUrlError::Parts)?;
        let tcp = TcpSettings::default().set_nodelay(true);
        Ok(Self { info: info.set_tcp_settings(tcp), name })
    }
}

fn is_wildcard(host: &str) -> bool {
    matches!(host, "0.0.0.0" | "[::]")
}

#[cfg(test)]
mod tests {
    use super::{Address, RedisUrlError};

    #[test]
    fn a_good_url_gives_host_and_port() {
        for (url, name) in [
            ("redis://localhost", "localhost:6379"),
            ("redis://u:s3cr3t@h:7000/2", "h:7000"),
            ("redis://:s3cr3t@[::1]:7000", "[::1]:7000"),
        ] {
            assert_eq!(Address::parse(url).map(|address| address.name), Ok(name.to_owned()));
        }
    }

    /// B 11.2.
    #[test]
    fn a_bad_url_is_refused_with_the_reason() {
        let long = format!("redis://{}", "h".repeat(9000));
        for (url, error) in [
            ("", RedisUrlError::Scheme),
            ("localhost:6379", RedisUrlError::Scheme),
            ("http://h", RedisUrlError::Scheme),
            ("redis://u:s3cr3t@h:port", RedisUrlError::Syntax),
            ("redis://u:s3cr3t@h:70000", RedisUrlError::Syntax),
            (&long, RedisUrlError::Syntax),
            ("redis://", RedisUrlError::Host),
            ("redis://0.0.0.0", RedisUrlError::Host),
            ("redis://h/?protocol=s3cr3t", RedisUrlError::Extra),
            ("redis://:s3#cr3t@h", RedisUrlError::Syntax),
            ("redis://h/s3cr3t", RedisUrlError::Parts),
            ("redis://:%ff@h", RedisUrlError::Parts),
        ] {
            assert_eq!(Address::parse(url).map(|address| address.name), Err(error), "{url}");
        }
        #[cfg(not(feature = "tls"))]
        assert_eq!(
            Address::parse("rediss://h").map(|address| address.name),
            Err(RedisUrlError::Tls)
        );
    }

    /// B 11.1, H06.
    #[test]
    fn no_error_repeats_anything_of_the_url() {
        for url in ["redis://u:s3cr3t@h:port", "s3cr3t", "redis://h/s3cr3t", "redis://h?s3cr3t"] {
            let error = Address::parse(url).map(|address| address.name).expect_err(url);
            assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
        }
    }
}

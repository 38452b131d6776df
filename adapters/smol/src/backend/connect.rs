//! One connect phase: look-up, TCP, proxy and TLS.

use std::io;
use std::net::{IpAddr, TcpStream};
use std::sync::Arc;

use async_io::Async;
use bytes::Bytes;
use fdv2_client::StartError;
use fdv2_client::http::HttpOptions;
use fdv2_client::tls::rustls::pki_types::ServerName;
use fdv2_client::transport::describe;
use fdv2_core::{TransportError, TransportErrorKind};
use futures::io::{AsyncRead, AsyncWrite};
use futures_rustls::TlsConnector;
use http::header::{self, HeaderValue};
use http::uri::{Authority, Uri};
use http::{Request, uri::Scheme};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

use super::paced::Paced;
use super::{proxy, tcp};

/// Bytes both ways: TCP, TLS, or TLS through a tunnel.
pub(super) trait Duplex: AsyncRead + AsyncWrite + Send + Sync + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Sync + Unpin> Duplex for T {}

pub(super) type Socket = Box<dyn Duplex>;

/// Opens connections.
pub(super) struct Connector {
    tls: TlsConnector,
    proxies: Matcher,
}

impl Connector {
    pub(super) fn new(options: &HttpOptions) -> Result<Self, StartError> {
        Ok(Self {
            tls: Arc::clone(options.tls()).into(),
            proxies: proxy::matcher(&options.proxies().settle()?)?,
        })
    }

    /// Opens a connection for `request`, which has an absolute address, and gives the request the
    /// form in which it goes over that connection.
    pub(super) async fn connect(
        &self,
        mut request: Request<Bytes>,
    ) -> Result<(Socket, Request<Bytes>), TransportError> {
        let target = Target::of(request.uri()).map_err(failure)?;
        let host = HeaderValue::try_from(target.authority.as_str());
        request.headers_mut().insert(
            header::HOST,
            host.map_err(|_| failure(io::Error::other("the address has no usable host")))?,
        );
        let socket = match self.proxies.intercept(request.uri()) {
            None => {
                to_origin_form(request.uri_mut());
                self.open(&target).await
            }
            Some(proxy) => self.open_through(&proxy, &target, &mut request).await,
        };
        Ok((socket.map_err(failure)?, request))
    }

    async fn open(&self, target: &Target) -> io::Result<Socket> {
        let tcp: Async<TcpStream> = tcp::connect(&target.host, target.port).await?;
        self.secure(target, Box::new(Paced::new(tcp))).await
    }

    async fn secure(&self, target: &Target, socket: Socket) -> io::Result<Socket> {
        if !target.is_secure {
            return Ok(socket);
        }
        let name = ServerName::try_from(target.host.clone()).map_err(io::Error::other)?;
        Ok(Box::new(self.tls.connect(name, socket).await?))
    }

    async fn open_through(
        &self,
        intercept: &Intercept,
        target: &Target,
        request: &mut Request<Bytes>,
    ) -> io::Result<Socket> {
        let proxy = Target::of(intercept.uri()).map_err(|_| {
            io::Error::other(
                "the proxy of the environment speaks SOCKS, which there is on tokio alone; name an \
                 HTTP proxy",
            )
        })?;
        let mut socket = self.open(&proxy).await?;
        if target.is_secure {
            proxy::tunnel(&mut socket, &target.with_port(), intercept.basic_auth()).await?;
            to_origin_form(request.uri_mut());
            return self.secure(target, socket).await;
        }
        if let Some(credentials) = intercept.basic_auth() {
            request.headers_mut().insert(header::PROXY_AUTHORIZATION, credentials.clone());
        }
        Ok(socket)
    }
}

fn to_origin_form(uri: &mut Uri) {
    let path = uri.path_and_query().cloned();
    *uri = path.map(Uri::from).unwrap_or_default();
}

fn failure(error: io::Error) -> TransportError {
    TransportError { kind: TransportErrorKind::Connect, message: describe(&error) }
}

/// Where a connection goes.
struct Target {
    is_secure: bool,
    authority: Authority,
    /// A name or an address, without the brackets of IPv6.
    host: String,
    port: u16,
}

impl Target {
    fn of(uri: &Uri) -> io::Result<Self> {
        let is_secure = match uri.scheme() {
            Some(scheme) if *scheme == Scheme::HTTP => false,
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            _ => return Err(io::Error::other("only http and https can be connected to")),
        };
        let Some(authority) = uri.authority().cloned() else {
            return Err(io::Error::other("the address has no host"));
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        let port = authority.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        Ok(Self { is_secure, authority, host, port })
    }

    fn with_port(&self) -> String {
        match self.host.parse() {
            Ok(IpAddr::V6(address)) => format!("[{address}]:{}", self.port),
            _ => format!("{}:{}", self.host, self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// B 11.1.
    #[test]
    fn a_socks_proxy_of_the_environment_is_named_without_its_password() {
        let tls = fdv2_client::tls::tls_config([]).unwrap();
        let proxies = Matcher::builder().all("socks5://u:s3cr3t@127.0.0.1:1").build();
        let connector = Connector { tls: Arc::new(tls).into(), proxies };
        for url in ["http://h/", "https://h/"] {
            let request = Request::get(url).body(Bytes::new()).unwrap();
            let error = smol::block_on(connector.connect(request)).err().unwrap().to_string();
            assert!(error.contains("SOCKS") && !error.contains("s3cr3t"), "{error}");
        }
    }

    #[test]
    fn addresses_are_taken_apart() {
        for (uri, host, with_port, is_secure) in [
            ("http://h", "h", "h:80", false),
            ("https://h/path?query", "h", "h:443", true),
            ("https://h.example:1/", "h.example", "h.example:1", true),
            ("http://[::1]:8080/", "::1", "[::1]:8080", false),
            ("https://[::1]/", "::1", "[::1]:443", true),
            ("https://127.0.0.1", "127.0.0.1", "127.0.0.1:443", true),
        ] {
            let target = Target::of(&uri.parse().unwrap()).unwrap();
            assert_eq!(target.host, host);
            assert_eq!(target.with_port(), with_port);
            assert_eq!(target.is_secure, is_secure);
            assert!(ServerName::try_from(target.host).is_ok());
        }
        for uri in ["socks5://h:1", "/path", "h:1"] {
            assert!(Target::of(&uri.parse().unwrap()).is_err(), "{uri}");
        }
    }
}

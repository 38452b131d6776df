//! Which proxy, and a tunnel through it.

use std::io;

use fdv2_client::StartError;
use fdv2_client::http::{Proxies, ProxyUrl};
use futures::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use http::HeaderValue;
use hyper_util::client::proxy::matcher::Matcher;

/// More than any proxy has to say.
const MAX_HEAD: usize = 16 << 10;

/// The rules by which an address has a proxy. reqwest has them from the same place.
pub(super) fn matcher(proxies: &Proxies) -> Result<Matcher, StartError> {
    match proxies {
        Proxies::Direct => Ok(Matcher::builder().build()),
        Proxies::Explicit(named) => {
            let rules = Matcher::builder().http(url(named.http())?).https(url(named.https())?);
            Ok(rules.no(named.except()).build())
        }
        _ => Ok(Matcher::from_system()),
    }
}

/// As the rules take it: nothing for none.
fn url(proxy: Option<&ProxyUrl>) -> Result<&str, StartError> {
    match proxy {
        Some(proxy) if proxy.is_socks() => Err(StartError::Transport(format!(
            "the proxy {proxy:?} speaks SOCKS, which there is on tokio alone; name an HTTP proxy"
        ))),
        proxy => Ok(proxy.map(ProxyUrl::expose).unwrap_or_default()),
    }
}

/// Asks the proxy at the other end of `socket` for a tunnel to `target`, a host and port.
pub(super) async fn tunnel(
    socket: &mut (impl AsyncRead + AsyncWrite + Unpin),
    target: &str,
    credentials: Option<&HeaderValue>,
) -> io::Result<()> {
    let mut request = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
    if let Some(credentials) = credentials {
        request.extend_from_slice(b"Proxy-Authorization: ");
        request.extend_from_slice(credentials.as_bytes());
        request.extend_from_slice(b"\r\n");
    }
    request.extend_from_slice(b"\r\n");
    socket.write_all(&request).await?;
    socket.flush().await?;
    match status(&read_head(socket).await?) {
        Some(200..300) => Ok(()),
        Some(407) => Err(io::Error::other("the proxy refuses the credentials")),
        Some(status) => Err(io::Error::other(format!("the proxy answers with status {status}"))),
        None => Err(io::Error::other("the proxy does not speak HTTP/1.1")),
    }
}

/// Byte by byte, so that nothing behind the head is taken from the tunnel. It is short, and once a
/// connection.
async fn read_head(socket: &mut (impl AsyncRead + Unpin)) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == MAX_HEAD {
            return Err(io::Error::other("the proxy's answer is too long"));
        }
        let mut byte = [0];
        socket.read_exact(&mut byte).await?;
        head.extend(byte);
    }
    Ok(head)
}

fn status(head: &[u8]) -> Option<u16> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let version = words.next()?;
    let status = words.next()?;
    if version.starts_with("HTTP/1.") && status.len() == 3 { status.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_of_a_proxy_is_read() {
        assert_eq!(status(b"HTTP/1.1 200 Connection established\r\n\r\n"), Some(200));
        assert_eq!(status(b"HTTP/1.0 407\r\n\r\n"), Some(407));
        assert_eq!(status(b"HTTP/1.1 20\r\n\r\n"), None);
        assert_eq!(status(b"ICY 200 OK\r\n\r\n"), None);
        assert_eq!(status(b"\r\n\r\n"), None);
    }

    #[test]
    fn an_endless_answer_is_an_error() {
        let mut endless = futures::io::repeat(b'x');
        assert!(smol::block_on(read_head(&mut endless)).is_err());
    }
}

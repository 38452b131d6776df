//! From a name to a connected socket.

use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use async_io::{Async, Timer};
use futures::future::{self, Either};
use futures::stream::{FuturesUnordered, StreamExt};

/// How long an address has before the next one is tried beside it.
const HEAD_START: Duration = Duration::from_millis(250);

/// Connects to the first address of `host` that answers.
pub(super) async fn connect(host: &str, port: u16) -> io::Result<Async<TcpStream>> {
    let socket = race(resolve(host, port).await?).await?;
    socket.get_ref().set_nodelay(true)?;
    Ok(socket)
}

/// Asks the system's resolver on smol's blocking pool, which nobody waits for (B 10.5).
async fn resolve(host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![(address, port).into()]);
    }
    let host = host.to_owned();
    smol::unblock(move || Ok((host.as_str(), port).to_socket_addrs()?.collect())).await
}

async fn race(addresses: Vec<SocketAddr>) -> io::Result<Async<TcpStream>> {
    let mut waiting = addresses.into_iter();
    let mut running = FuturesUnordered::new();
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the name has no addresses");
    loop {
        if let Some(address) = waiting.next() {
            running.push(Async::<TcpStream>::connect(address));
        }
        let head_start = match waiting.len() {
            0 => Timer::never(),
            _ => Timer::after(HEAD_START),
        };
        match future::select(running.next(), head_start).await {
            Either::Left((Some(Ok(socket)), _)) => return Ok(socket),
            Either::Left((Some(Err(error)), _)) => failure = error,
            Either::Left((None, _)) => return Err(failure),
            Either::Right(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_next_address_is_tried_when_one_refuses() {
        let refused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let open = listener.local_addr().unwrap();
        let socket = smol::block_on(race(vec![refused, refused, open])).unwrap();
        assert_eq!(socket.get_ref().peer_addr().unwrap(), open);
        assert!(smol::block_on(race(vec![refused, refused])).is_err());
    }

    #[test]
    fn an_address_that_hangs_does_not_hold_up_the_next() {
        // A backlog that is full: the kernel answers no further connection.
        let full = TcpListener::bind("127.0.0.1:0").unwrap();
        let hanging = full.local_addr().unwrap();
        let _fill: Vec<_> = (0..5000)
            .map_while(|_| TcpStream::connect_timeout(&hanging, Duration::from_millis(50)).ok())
            .collect();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let open = listener.local_addr().unwrap();
        let socket = smol::block_on(race(vec![hanging, open])).unwrap();
        assert_eq!(socket.get_ref().peer_addr().unwrap(), open);
    }

    #[test]
    fn no_address_is_an_error() {
        assert!(smol::block_on(race(Vec::new())).is_err());
    }
}

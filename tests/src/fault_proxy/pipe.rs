//! One connection through the proxy.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use socket2::SockRef;

use super::{Fault, Shared};

/// Passes bytes until one side ends or the fault does.
pub(super) fn connect(client: TcpStream, fault: Fault, shared: &Arc<Shared>) {
    let Ok(server) = TcpStream::connect(shared.target) else { return };
    let (Some(_client), Some(_server)) = (shared.keep(&client), shared.keep(&server)) else {
        return;
    };
    let (Ok(from), Ok(to)) = (client.try_clone(), server.try_clone()) else { return };
    let upward = thread::spawn(move || pass_up(from, to));
    // How a connection ends is what it is about.
    let _ = Downward { client: &client, server: &server, fault, passed: 0 }.pass();
    let _ = server.shutdown(Shutdown::Both);
    // A reset is what becomes of a socket that nobody has said good-bye on.
    let is_reset = matches!(fault, Fault::Reset(_));
    let _ = client.shutdown(if is_reset { Shutdown::Read } else { Shutdown::Both });
    let _ = upward.join();
}

/// From the client to the server.
fn pass_up(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}

/// From the server to the client.
struct Downward<'a> {
    client: &'a TcpStream,
    server: &'a TcpStream,
    fault: Fault,
    passed: usize,
}

impl Downward<'_> {
    fn pass(&mut self) -> io::Result<()> {
        self.client.set_nodelay(true)?;
        let mut buffer = [0; 4096];
        loop {
            let limit = self.until_fault().unwrap_or(buffer.len()).min(buffer.len());
            if limit == 0 {
                return self.fail();
            }
            let piece = buffer.get_mut(..limit).unwrap_or_default();
            let count = self.server.read(piece)?;
            let Some(piece) = piece.get(..count).filter(|piece| !piece.is_empty()) else {
                return Ok(());
            };
            self.write(piece)?;
            self.passed += count;
            self.duplicate(piece)?;
        }
    }

    /// How many bytes there are before the fault, if it comes at a byte.
    fn until_fault(&self) -> Option<usize> {
        match self.fault {
            Fault::Cut(after)
            | Fault::Reset(after)
            | Fault::Blackhole(after)
            | Fault::HalfOpen(after) => Some(after - self.passed),
            Fault::Duplicate { after, .. } if self.passed < after => Some(after - self.passed),
            _ => None,
        }
    }

    fn write(&mut self, piece: &[u8]) -> io::Result<()> {
        match self.fault {
            Fault::Delay(pause) => {
                thread::sleep(pause);
                self.client.write_all(piece)
            }
            Fault::Trickle(bytes, pause) => piece.chunks(bytes).try_for_each(|bytes| {
                self.client.write_all(bytes)?;
                thread::sleep(pause);
                Ok(())
            }),
            _ => self.client.write_all(piece),
        }
    }

    fn duplicate(&mut self, piece: &[u8]) -> io::Result<()> {
        let Fault::Duplicate { after, bytes } = self.fault else { return Ok(()) };
        if self.passed != after {
            return Ok(());
        }
        let last = piece.len().saturating_sub(bytes);
        self.client.write_all(piece.get(last..).unwrap_or_default())
    }

    fn fail(&mut self) -> io::Result<()> {
        match self.fault {
            Fault::Reset(_) => SockRef::from(self.client).set_linger(Some(Duration::ZERO)),
            Fault::Blackhole(_) => self.swallow(),
            Fault::HalfOpen(_) => {
                self.server.shutdown(Shutdown::Both)?;
                self.await_client()
            }
            _ => Ok(()),
        }
    }

    /// Reads on, so that the server does not notice either.
    fn swallow(&mut self) -> io::Result<()> {
        let mut server = self.server;
        io::copy(&mut server, &mut io::sink())?;
        self.await_client()
    }

    /// Until the client has left, or the proxy ends.
    fn await_client(&self) -> io::Result<()> {
        let mut client = self.client;
        io::copy(&mut client, &mut io::sink()).map(drop)
    }
}

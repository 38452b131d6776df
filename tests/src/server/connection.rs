//! One connection and its thread.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};
use socket2::SockRef;

use super::script::Step;
use super::{Received, Script, Shared};

trait Duplex: Read + Write {}

impl<T: Read + Write> Duplex for T {}

pub(super) struct Connection {
    raw: TcpStream,
    stream: Box<dyn Duplex>,
    cut: Option<(usize, Duration)>,
}

/// Whether another request may follow on the connection.
#[derive(PartialEq)]
enum Then {
    Next,
    Close,
}

impl Connection {
    /// Answers requests until the script or the client ends it. The socket is closed when what is
    /// returned is dropped.
    pub(super) fn serve(socket: TcpStream, shared: &Shared) -> Option<Self> {
        let mut connection = Self::open(socket, shared).ok()?;
        while let Ok(Then::Next) = connection.answer(shared) {}
        Some(connection)
    }

    fn open(socket: TcpStream, shared: &Shared) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        let raw = socket.try_clone()?;
        let stream: Box<dyn Duplex> = match &shared.tls {
            None => Box::new(socket),
            Some(tls) => {
                let session = ServerConnection::new(Arc::clone(tls)).map_err(io::Error::other)?;
                Box::new(StreamOwned::new(session, socket))
            }
        };
        Ok(Self { raw, stream, cut: None })
    }

    fn answer(&mut self, shared: &Shared) -> io::Result<Then> {
        let Some(request) = Received::read(&mut self.stream)? else { return Ok(Then::Close) };
        let Script(steps) = shared.script(&request);
        shared.log.request(request);
        self.cut = None;
        for step in steps {
            match step {
                Step::Write(bytes) => self.write(&bytes)?,
                Step::Cut(size, pause) => self.cut = Some((size, pause)),
                Step::Pause(pause) => thread::sleep(pause),
                Step::Hang => return self.hang(),
                Step::Reset => return self.reset(),
                Step::NextRequest => return Ok(Then::Next),
                Step::Tunnel(target) => return self.tunnel(target),
            }
        }
        Ok(Then::Close)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (size, pause) = self.cut.unwrap_or((bytes.len().max(1), Duration::ZERO));
        for piece in bytes.chunks(size) {
            self.stream.write_all(piece)?;
            self.stream.flush()?;
            if !pause.is_zero() {
                thread::sleep(pause);
            }
        }
        Ok(())
    }

    fn hang(&mut self) -> io::Result<Then> {
        let mut ignored = [0; 1024];
        while self.stream.read(&mut ignored)? > 0 {}
        Ok(Then::Close)
    }

    fn tunnel(&mut self, target: SocketAddr) -> io::Result<Then> {
        let mut target = TcpStream::connect(target)?;
        let (mut from, mut to) = (target.try_clone()?, self.raw.try_clone()?);
        let back = thread::spawn(move || {
            let _ = io::copy(&mut from, &mut to);
            let _ = to.shutdown(Shutdown::Both);
        });
        let copied = io::copy(&mut self.raw, &mut target);
        let _ = target.shutdown(Shutdown::Both);
        let _ = back.join();
        copied.map(|_| Then::Close)
    }

    fn reset(&mut self) -> io::Result<Then> {
        SockRef::from(&self.raw).set_linger(Some(Duration::ZERO))?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

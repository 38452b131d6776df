//! One connection and its thread.

use std::io::ErrorKind::{TimedOut, WouldBlock};
use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use rustls::{ServerConnection, StreamOwned};
use socket2::SockRef;

use super::live::{Live, Part};
use super::script::Step;
use super::{Received, Script, Shared};

/// How often to look for what a test writes.
const LOOK_AGAIN: Duration = Duration::from_millis(5);

trait Duplex: Read + Write {}

impl<T: Read + Write> Duplex for T {}

pub(super) struct Connection {
    raw: TcpStream,
    stream: Box<dyn Duplex>,
    cut: Option<(usize, Duration)>,
}

/// How long one way through a tunnel is listened to before it is the other's turn.
const TURN: Duration = Duration::from_millis(1);

/// Passes on what is there; `false` when there will be no more.
fn pass(from: &mut impl Read, to: &mut impl Write) -> io::Result<bool> {
    let mut buffer = [0; 4096];
    match from.read(&mut buffer) {
        Ok(0) => Ok(false),
        Ok(read) => {
            to.write_all(buffer.get(..read).unwrap_or_default())?;
            to.flush().map(|()| true)
        }
        Err(error) => match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Ok(true),
            _ => Err(error),
        },
    }
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
                Step::WriteOnAndOn(bytes) => loop {
                    self.write(&bytes)?;
                },
                Step::Hang => return self.hang(),
                Step::Reset => return self.reset(),
                Step::Live(live) => return self.live(&live),
                Step::NextRequest => return Ok(Then::Next),
                Step::Tunnel(target) if shared.tls.is_some() => {
                    return self.tunnel_by_turns(target);
                }
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

    fn live(&mut self, live: &Live) -> io::Result<Then> {
        let written = self.write_live(live);
        live.set_over();
        written.map(|()| Then::Close)
    }

    fn write_live(&mut self, live: &Live) -> io::Result<()> {
        loop {
            while let Some(part) = live.next() {
                match part {
                    Part::Bytes(bytes) => self.write(&bytes)?,
                    Part::End => return Ok(()),
                }
            }
            if self.has_left()? {
                return Ok(());
            }
        }
    }

    /// Whether the client has left: at once if it has, and else after a short wait.
    fn has_left(&mut self) -> io::Result<bool> {
        self.raw.set_read_timeout(Some(LOOK_AGAIN))?;
        let mut ignored = [0; 1024];
        let read = match self.raw.peek(&mut [0]) {
            Ok(0) => Ok(0),
            Ok(_) => self.stream.read(&mut ignored),
            Err(error) => Err(error),
        };
        self.raw.set_read_timeout(None)?;
        match read {
            Ok(size) => Ok(size == 0),
            Err(error) if matches!(error.kind(), WouldBlock | TimedOut) => Ok(false),
            Err(error) => Err(error),
        }
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

    /// Over TLS one thread has to do both ways.
    fn tunnel_by_turns(&mut self, target: SocketAddr) -> io::Result<Then> {
        let mut target = TcpStream::connect(target)?;
        for socket in [&self.raw, &target] {
            socket.set_read_timeout(Some(TURN))?;
        }
        while pass(&mut self.stream, &mut target)? && pass(&mut target, &mut self.stream)? {}
        Ok(Then::Close)
    }

    fn reset(&mut self) -> io::Result<Then> {
        SockRef::from(&self.raw).set_linger(Some(Duration::ZERO))?;
        Err(io::ErrorKind::ConnectionReset.into())
    }
}

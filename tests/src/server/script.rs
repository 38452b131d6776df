//! What a server does about one request.

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::SocketAddr;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Live;

/// Steps that follow one another. A script that has run out closes the connection, unless it ends
/// with [`keep_alive`](Self::keep_alive).
#[derive(Clone, Debug, Default)]
pub struct Script(pub(super) Vec<Step>);

#[derive(Clone, Debug)]
pub(super) enum Step {
    Write(Vec<u8>),
    /// From here on so many bytes a write, with a pause behind each.
    Cut(usize, Duration),
    Pause(Duration),
    /// Until the client has left.
    WriteOnAndOn(Vec<u8>),
    /// Until the client has left.
    Hang,
    Reset,
    /// What a test writes as it goes.
    Live(Live),
    NextRequest,
    /// Passes bytes both ways until one side ends.
    Tunnel(SocketAddr),
}

impl Script {
    /// Does nothing: the connection is closed without a word.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers with a status, headers, and a body whose length is told, and waits for the next
    /// request.
    pub fn response(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let length = body.len().to_string();
        let headers = [headers, &[("content-length", &length)]].concat();
        Self::new().head(status, &headers).write(body).keep_alive()
    }

    /// Begins a stream of events, in chunks.
    pub fn stream() -> Self {
        Self::new()
            .head(200, &[("content-type", "text/event-stream"), ("transfer-encoding", "chunked")])
    }

    /// Answers with a JSON body.
    pub fn json(body: &str) -> Self {
        Self::response(200, &[("content-type", "application/json")], body.as_bytes())
    }

    /// Answers with a status and no body.
    pub fn status(status: u16) -> Self {
        Self::response(status, &[], b"")
    }

    /// Redirects.
    pub fn redirect(status: u16, location: &str) -> Self {
        Self::response(status, &[("location", location)], b"")
    }

    /// Writes a status line and headers.
    pub fn head(self, status: u16, headers: &[(&str, &str)]) -> Self {
        let mut head = format!("HTTP/1.1 {status} Scripted\r\n");
        for (name, value) in headers {
            let _ = write!(head, "{name}: {value}\r\n");
        }
        head.push_str("\r\n");
        self.write(head)
    }

    /// Writes bytes.
    pub fn write(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.push(Step::Write(bytes.as_ref().to_vec()));
        self
    }

    /// Writes bytes as chunks of at most `size`.
    pub fn chunks(self, bytes: impl AsRef<[u8]>, size: usize) -> Self {
        self.write(framed(bytes.as_ref(), size))
    }

    /// Writes text as one chunk.
    pub fn chunk(self, text: &str) -> Self {
        self.chunks(text, text.len().max(1))
    }

    /// Writes the chunk that ends a body.
    pub fn last_chunk(self) -> Self {
        self.write("0\r\n\r\n")
    }

    /// Writes what follows `size` bytes at a time, with a pause behind each write.
    pub fn cut(mut self, size: usize, pause: Duration) -> Self {
        self.0.push(Step::Cut(size, pause));
        self
    }

    /// Waits.
    pub fn pause(mut self, pause: Duration) -> Self {
        self.0.push(Step::Pause(pause));
        self
    }

    /// Writes bytes again and again, as fast as they are taken, until the client leaves.
    pub fn write_on_and_on(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.0.push(Step::WriteOnAndOn(bytes.as_ref().to_vec()));
        self
    }

    /// Is silent until the client leaves.
    pub fn hang(mut self) -> Self {
        self.0.push(Step::Hang);
        self
    }

    /// Writes what `live` is given, until it is ended or the client leaves.
    pub fn live(mut self, live: &Live) -> Self {
        self.0.push(Step::Live(live.clone()));
        self
    }

    /// Resets the connection.
    pub fn reset(mut self) -> Self {
        self.0.push(Step::Reset);
        self
    }

    /// Answers as a proxy that has opened a tunnel to `target`, and is one.
    pub fn tunnel(target: SocketAddr) -> Self {
        let mut script = Self::new().head(200, &[]);
        script.0.push(Step::Tunnel(target));
        script
    }

    /// Waits for the next request on the same connection.
    pub fn keep_alive(mut self) -> Self {
        self.0.push(Step::NextRequest);
        self
    }
}

/// `bytes` as chunks of at most `size`.
pub(super) fn framed(bytes: &[u8], size: usize) -> Vec<u8> {
    let mut framed = Vec::new();
    for chunk in bytes.chunks(size) {
        framed.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        framed.extend_from_slice(chunk);
        framed.extend_from_slice(b"\r\n");
    }
    framed
}

/// Compresses each of `parts` so that it can be read before the next one is there.
pub fn gzip<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Vec<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    let mut compressed: Vec<Vec<u8>> = parts
        .into_iter()
        .map(|part| {
            encoder.write_all(part).and_then(|()| encoder.flush()).expect("memory is written to");
            std::mem::take(encoder.get_mut())
        })
        .collect();
    compressed.push(encoder.finish().expect("memory is written to"));
    compressed
}

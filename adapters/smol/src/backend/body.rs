//! One exchange over one connection, and the body that holds it.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use fdv2_client::transport::{describe, is_malformed};
use fdv2_core::{ResponseHead, TransportError, TransportErrorKind};
use futures::io::{AsyncBufRead, AsyncRead};
use http::Request;
use http_body_util::Full;
use http_client::Body;
use hyper::body::{Body as _, Frame, Incoming};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use smol_hyper::rt::FuturesIo;

use super::connect::Socket;

type HyperConnection = Connection<FuturesIo<Socket>, Full<Bytes>>;

/// hyper refuses a smaller buffer with a panic.
const LEAST_BUFFER: usize = 8 << 10;

/// Sends `request` over `socket`.
pub(super) async fn exchange(
    socket: Socket,
    request: Request<Bytes>,
    head_bytes: usize,
) -> Result<(ResponseHead, Body), TransportError> {
    let handshake = Builder::new()
        .max_buf_size(head_bytes.max(LEAST_BUFFER))
        .max_header_size(head_bytes)
        .handshake(FuturesIo::new(socket));
    let (mut sender, connection) = handshake.await.map_err(failure)?;
    let mut connection = State::Open(Box::pin(connection));
    let mut response = pin!(sender.send_request(request.map(Full::new)));
    let response = poll_fn(|cx| {
        connection.poll(cx);
        response.as_mut().poll(cx)
    });
    let (parts, incoming) = response.await.map_err(failure)?.into_parts();
    let head = ResponseHead { status: parts.status.as_u16(), headers: parts.headers };
    let body = ResponseBody { connection, incoming, chunk: Bytes::new(), _sender: sender };
    Ok((head, Body::from_reader(body, None)))
}

/// A response's body. Dropping it closes the socket.
struct ResponseBody {
    connection: State,
    incoming: Incoming,
    chunk: Bytes,
    /// Its end would be the connection's.
    _sender: SendRequest<Full<Bytes>>,
}

enum State {
    Open(Pin<Box<HyperConnection>>),
    Ended(Option<hyper::Error>),
}

impl ResponseBody {
    fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let mut frame = Pin::new(&mut self.incoming).poll_frame(cx);
        if frame.is_pending() {
            self.connection.poll(cx);
            frame = Pin::new(&mut self.incoming).poll_frame(cx);
        }
        match ready!(frame) {
            Some(frame) => Poll::Ready(Some(frame.map_err(body_failure))),
            None => Poll::Ready(self.connection.take_failure().map(body_failure).map(Err)),
        }
    }
}

impl State {
    /// Lets the connection get on.
    fn poll(&mut self, cx: &mut Context<'_>) {
        if let Self::Open(connection) = self
            && let Poll::Ready(end) = connection.as_mut().poll(cx)
        {
            *self = Self::Ended(end.err());
        }
    }

    /// A connection that failed must not pass for a body that ended whole.
    fn take_failure(&mut self) -> Option<hyper::Error> {
        match self {
            Self::Open(_) => None,
            Self::Ended(failure) => failure.take(),
        }
    }
}

impl AsyncBufRead for ResponseBody {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let body = self.get_mut();
        while body.chunk.is_empty() {
            match ready!(body.poll_frame(cx)) {
                Some(frame) => body.chunk = frame?.into_data().unwrap_or_default(),
                None => break,
            }
        }
        Poll::Ready(Ok(&body.chunk))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        self.chunk.advance(amount);
    }
}

impl AsyncRead for ResponseBody {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        let mut ready = ready!(self.as_mut().poll_fill_buf(cx))?;
        let read = io::Read::read(&mut ready, buffer)?;
        self.consume(read);
        Poll::Ready(Ok(read))
    }
}

fn body_failure(error: hyper::Error) -> io::Error {
    io::Error::other(failure(error))
}

fn failure(error: hyper::Error) -> TransportError {
    let kind = match error.is_parse() || is_malformed(&error) {
        true => TransportErrorKind::Malformed,
        false => TransportErrorKind::Broken,
    };
    TransportError { kind, message: describe(&error) }
}

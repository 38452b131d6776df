//! A socket that leaves room for everything else.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::io::{AsyncRead, AsyncWrite};

/// So many bytes are read in a row before others have their turn.
const MOST: usize = 64 << 10;

/// Pauses for others between reads.
///
/// hyper and TLS read on until they have something to tell. A peer that sends faster than they take
/// in, and nothing that counts, such as interim responses, would keep a task from ever pausing, and
/// with it every timer of its executor. tokio's own sockets do the same.
pub(super) struct Paced<S> {
    socket: S,
    left: usize,
}

impl<S> Paced<S> {
    pub(super) fn new(socket: S) -> Self {
        Self { socket, left: MOST }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        if self.left == 0 {
            self.left = MOST;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.socket).poll_read(cx, buffer);
        self.left = match &read {
            Poll::Ready(Ok(size)) => self.left.saturating_sub(*size),
            Poll::Ready(Err(_)) | Poll::Pending => MOST,
        };
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.socket).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(cx)
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_close(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures::io::{AsyncReadExt, repeat};

    use super::*;

    #[test]
    fn a_reader_that_never_has_enough_pauses_and_goes_on() {
        let mut socket = Paced::new(repeat(b'x'));
        smol::block_on(async {
            for _ in 0..3 {
                let mut bytes = Vec::new();
                assert!(futures::poll!(socket.read_to_end(&mut bytes)).is_pending());
                assert!(!bytes.is_empty());
            }
            assert_eq!(socket.read(&mut [0; 4]).await.unwrap(), 4);
        });
    }
}

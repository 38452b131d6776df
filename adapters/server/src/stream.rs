//! The body of one stream: a first transfer, then changes as they come, and heartbeats.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fdv2_core::protocol::encode::Message;
use futures::Stream;
use tokio::sync::watch;

use crate::content::Content;
use crate::control::{OpenStream, Orders};
use crate::transfer::Transfer;

/// One client's stream.
///
/// It holds no queue. What it sends next follows from the load it has sent last, so that a client
/// which reads slowly gets the changes of several edits as one, and one which does not read at
/// all is dropped by the connection's stall limit.
pub(crate) struct Session {
    content: watch::Receiver<Arc<Content>>,
    orders: watch::Receiver<Orders>,
    /// The cuts that were over when the stream began.
    old_cuts: u64,
    heartbeat: Duration,
    /// The load that the client holds once the transfer has ended.
    sent: u64,
    transfer: Option<Transfer>,
    _open: OpenStream,
}

impl Session {
    /// A stream to a client that holds `basis`.
    pub(crate) fn new(
        mut content: watch::Receiver<Arc<Content>>,
        orders: watch::Receiver<Orders>,
        heartbeat: Duration,
        basis: Option<&str>,
        open: OpenStream,
    ) -> Self {
        let current = content.borrow_and_update().clone();
        let old_cuts = orders.borrow().cuts;
        let need = current.need_of(basis);
        let sent = current.number();
        let transfer = Some(Transfer::stream(current, need));
        Self { content, orders, old_cuts, heartbeat, sent, transfer, _open: open }
    }

    /// The bytes of the body. An error breaks the connection.
    pub(crate) fn into_body(self) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
        futures::stream::unfold(Some(self), async |session| {
            let mut session = session?;
            match session.next().await {
                Ok(bytes) => bytes.map(|bytes| (Ok(bytes), Some(session))),
                Err(cut) => Some((Err(cut), None)),
            }
        })
    }

    /// The next bytes; `None` at a clean end.
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let orders = *self.orders.borrow_and_update();
            if orders.cuts != self.old_cuts {
                return Err(io::Error::other("the stream was cut"));
            }
            if orders.stop {
                return Ok(None);
            }
            if let Some(piece) = self.transfer.as_mut().and_then(Iterator::next) {
                return Ok(Some(piece));
            }
            self.transfer = None;
            tokio::select! {
                biased;
                changed = self.orders.changed() => if changed.is_err() { return Ok(None) },
                changed = self.content.changed() => match changed {
                    Ok(()) => self.begin_changes(),
                    Err(_) => return Ok(None),
                },
                () = tokio::time::sleep(self.heartbeat) => return Ok(Some(heartbeat())),
            }
        }
    }

    fn begin_changes(&mut self) {
        let current = self.content.borrow_and_update().clone();
        let need = current.need_after(self.sent);
        self.sent = current.number();
        self.transfer = Some(Transfer::stream(current, need));
    }
}

fn heartbeat() -> Bytes {
    let mut out = Vec::new();
    Message::Heartbeat.write_frame(&mut out);
    out.into()
}

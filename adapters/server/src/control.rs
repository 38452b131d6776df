//! The knobs: what streams are told from outside, and how many there are.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::watch;

use crate::notice::{Board, Notice};

/// What connections have to obey.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Orders {
    /// How often all streams were cut.
    pub(crate) cuts: u64,
    /// New streams are answered with 503.
    pub(crate) refuse_streams: bool,
    /// End what you are doing.
    pub(crate) stop: bool,
}

/// Gives the orders, and counts the streams.
#[derive(Debug)]
pub(crate) struct Control {
    orders: watch::Sender<Orders>,
    open: AtomicUsize,
    board: Board,
}

impl Control {
    pub(crate) fn new(board: Board) -> Self {
        Self { orders: watch::Sender::new(Orders::default()), open: AtomicUsize::new(0), board }
    }

    pub(crate) fn orders(&self) -> watch::Receiver<Orders> {
        self.orders.subscribe()
    }

    pub(crate) fn refuses_streams(&self) -> bool {
        self.orders.borrow().refuse_streams
    }

    pub(crate) fn cut_streams(&self) {
        self.orders.send_modify(|orders| orders.cuts = orders.cuts.wrapping_add(1));
    }

    pub(crate) fn refuse_streams(&self, refuse: bool) {
        self.orders.send_modify(|orders| orders.refuse_streams = refuse);
    }

    pub(crate) fn stop(&self) {
        self.orders.send_modify(|orders| orders.stop = true);
    }

    pub(crate) fn open_streams(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }
}

/// Ends when the order to stop has been given, or nobody is left who could give it.
pub(crate) async fn stopped(orders: &mut watch::Receiver<Orders>) {
    // An error means the same: the server is gone.
    let _ = orders.wait_for(|orders| orders.stop).await;
}

/// Counts one stream for as long as it lives.
#[derive(Debug)]
pub(crate) struct OpenStream(Arc<Control>);

impl OpenStream {
    pub(crate) fn new(control: Arc<Control>) -> Self {
        let open = control.open.fetch_add(1, Ordering::Relaxed) + 1;
        control.board.post(Notice::StreamOpened { open });
        Self(control)
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let open = self.0.open.fetch_sub(1, Ordering::Relaxed) - 1;
        self.0.board.post(Notice::StreamClosed { open });
    }
}

//! Accepting connections and serving HTTP/1 on them.

use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::control::{Orders, stopped};
use crate::stall::StallLimited;

/// So many connections are served at once; more of them wait to be accepted.
const MAX_CONNECTIONS: usize = 1024;

/// The most that one connection holds of what was not read or not sent yet.
const BUFFER_BYTES: usize = 64 << 10;

/// The pause after a failed accept, which mostly means that file handles have run out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves until the order to stop, and then until the last connection has ended. Dropping it
/// closes all connections.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    orders: watch::Receiver<Orders>,
    stall_limit: Duration,
) {
    let mut connections = JoinSet::new();
    let mut stop = orders.clone();
    let mut stop = pin!(stopped(&mut stop));
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                Ok((socket, _)) => {
                    connections.spawn(serve_one(socket, router.clone(), orders.clone(), stall_limit));
                }
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

async fn serve_one(
    socket: TcpStream,
    router: Router,
    mut orders: watch::Receiver<Orders>,
    stall_limit: Duration,
) {
    // Only latency is at stake.
    let _ = socket.set_nodelay(true);
    let io = TokioIo::new(StallLimited::new(socket, stall_limit));
    let mut connection = pin!(
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(stall_limit)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(io, TowerToHyperService::new(router))
    );
    // How a client ends its connection is its own affair.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopped(&mut orders) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

//! The orders to end.

use std::future;

/// Ends at Ctrl-C or SIGTERM.
pub(crate) async fn interrupted() {
    tokio::select! {
        () = ctrl_c() => {}
        () = terminated() => {}
    }
}

async fn ctrl_c() {
    if tokio::signal::ctrl_c().await.is_err() {
        // Then it has its usual effect.
        future::pending().await
    }
}

#[cfg(unix)]
async fn terminated() {
    use tokio::signal::unix::{SignalKind, signal};
    match signal(SignalKind::terminate()) {
        Ok(mut terminate) => drop(terminate.recv().await),
        Err(_) => future::pending().await,
    }
}

#[cfg(not(unix))]
async fn terminated() {
    future::pending().await
}

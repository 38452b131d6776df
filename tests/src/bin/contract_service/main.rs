//! The contract test service: clients over HTTP, for LaunchDarkly's public contract tests and for the
//! conformance suite of this repository (C 3).
//!
//! `contract-service --runtime tokio|smol --port N` prints the address that it listens on, as a line,
//! and serves until `DELETE /`, or until its standard input ends if it is told so. The clients run on
//! a runtime of their own, apart from that of the service.
//!
//! A command more goes into `commands.rs`, a setting more into `configuration.rs` and `start.rs`, and
//! what it shows into [`CAPABILITIES`](status::CAPABILITIES).
#![allow(clippy::print_stdout, reason = "the address, for whoever started it")]
#![allow(clippy::print_stderr, reason = "its log")]

mod big_segments;
mod callback;
mod clients;
mod commands;
mod configuration;
mod contexts;
mod evaluate;
mod hooks;
mod listeners;
mod refusal;
mod routes;
mod runtime;
mod start;
mod status;
mod store;

use std::io::{self, Read, Write, stdin, stdout};
use std::net::Ipv4Addr;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::time::sleep;

use runtime::RuntimeName;

/// How long requests under way may take once the service is to end.
const LAST_REQUESTS: Duration = Duration::from_secs(1);

/// Clients of fdv2 over HTTP, for contract tests.
#[derive(Parser)]
struct Arguments {
    /// The runtime that the clients are on.
    #[arg(long, value_enum)]
    runtime: RuntimeName,
    /// The port of 127.0.0.1 to listen on; 0 for any.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// End with the standard input: no service outlives whoever started it with a pipe.
    #[arg(long)]
    until_stdin_ends: bool,
}

fn main() -> ExitCode {
    match serve(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("contract-service: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve(arguments: &Arguments) -> io::Result<()> {
    // Held to the end: tokio's cannot be dropped within the other.
    let clients = runtime::Runtime::new(arguments.runtime)?;
    let own = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (stop, is_stopped) = watch::channel(false);
    if arguments.until_stdin_ends {
        let stop = stop.clone();
        thread::spawn(move || {
            // An input that cannot be read has ended, too.
            let _ = stdin().read_to_end(&mut Vec::new());
            let _ = stop.send(true);
        });
    }
    own.block_on(async {
        let listener = listen(arguments.port).await?;
        println!("listening on http://{}", listener.local_addr()?);
        stdout().flush()?;
        let server = axum::serve(listener, routes::router(clients.clone(), stop));
        let server = server.with_graceful_shutdown(stopped(is_stopped.clone())).into_future();
        tokio::select! {
            served = server => served,
            () = async { stopped(is_stopped).await; sleep(LAST_REQUESTS).await } => Ok(()),
        }
    })?;
    own.shutdown_timeout(LAST_REQUESTS);
    Ok(())
}

async fn listen(port: u16) -> io::Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(|error| {
        io::Error::other(format!("no listening on port {port}: {error}; choose another --port"))
    })
}

async fn stopped(mut is_stopped: watch::Receiver<bool>) {
    // Nobody is left to say so: the service is ending.
    let _ = is_stopped.wait_for(|is_stopped| *is_stopped).await;
}

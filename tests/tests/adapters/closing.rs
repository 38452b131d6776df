//! Closing, in every state, and the ends of runtimes.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use async_io::Timer;
use fdv2_client::config::{Polling, Streaming};
use fdv2_client::{Client, Config, SourceState, WaitError};
use fdv2_tests::server::{Script, Server};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(
    closing_in_any_state_ends_connections_and_requests,
    closing_within_a_poll_aborts_it,
    dropping_the_last_handle_closes,
    blocked_sources_leave_nothing_open,
    two_runtimes_live_side_by_side,
    a_runtime_that_is_gone_counts_as_closed,
);

const DELAY: Duration = Duration::from_millis(10);

fn config(url: &str) -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(DELAY))
        .synchronizer(Polling::new().base_url(url).interval(DELAY))
        .adjust_timing(|timing| {
            timing.min_poll_interval = DELAY;
            timing.max_retry_delay = DELAY;
        })
        .build()
        .unwrap()
}

fn stream() -> Script {
    Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)])))
}

/// Closes and sees to it that the server has peace from then on.
async fn closes(client: &Client, server: &Server) {
    client.close(Client::CLOSE_TIMEOUT).await;
    assert_eq!(client.status().state, SourceState::Off);
    await_all_that_came(server).await;
    eventually("the end of all connections", || server.log().open() == 0).await;
    let before = requests(server);
    Timer::after(10 * DELAY).await;
    assert_eq!(requests(server), before);
}

/// A busy machine may accept a connection long after it was made. Connections are accepted in
/// order: when one of our own is known, so are all before it.
async fn await_all_that_came(server: &Server) {
    let mut knock = TcpStream::connect(server.address()).unwrap();
    knock.write_all(b"GET /knock HTTP/1.1\r\nhost: h\r\n\r\n").unwrap();
    let is_known = || server.log().requests().iter().any(|request| request.path() == "/knock");
    eventually("the knock", is_known).await;
}

/// How many requests the client made.
fn requests(server: &Server) -> usize {
    server.log().requests().iter().filter(|request| request.path() != "/knock").count()
}

/// C06, B 10.1.
fn closing_in_any_state_ends_connections_and_requests(host: Host) {
    for (state, script) in [
        ("connecting", Script::new().hang()),
        ("within a head", Script::new().write("HTTP/1.1 200 OK\r\ncontent").hang()),
        ("streaming", stream().hang()),
        ("backing off", stream()),
        ("after failures", Script::status(503)),
        ("polling", Script::status(401)),
        ("redirected", Script::redirect(307, "/sdk/stream")),
    ] {
        let server = Server::new(move |_, request| match request.path() {
            "/sdk/poll" => Script::json(&poll(&full("s1", &[flag("f1", 1)]))),
            _ => script.clone(),
        });
        let client = host.start(config(&server.url()));
        host.run(async {
            eventually(state, || !server.log().requests().is_empty()).await;
            closes(&client, &server).await;
        });
    }
}

/// C01.
fn closing_within_a_poll_aborts_it(host: Host) {
    let body = poll(&full("s1", &[flag("f1", 1)]));
    let (half, _) = body.split_at(body.len() / 2);
    let head = [("content-length", "100000")];
    let server = Server::always(Script::new().head(200, &head).write(half).hang());
    let config = Config::custom("sdk-key")
        .synchronizer(Polling::new().base_url(server.url()))
        .build()
        .unwrap();
    let client = host.start(config);
    host.run(async {
        eventually("the poll", || !server.log().requests().is_empty()).await;
        Timer::after(DELAY).await;
        closes(&client, &server).await;
    });
    assert_eq!(client.status().last_error, None);
    assert_eq!(value(&client, "f1"), None);
}

/// B 10.3, 10.4.
fn dropping_the_last_handle_closes(host: Host) {
    let server = Server::always(stream().hang());
    let client = host.start(config(&server.url()));
    host.run(async {
        client.wait_for_initialization(PATIENCE).await.unwrap();
        let snapshot = client.snapshot();
        let other = client.clone();
        drop(client);
        assert_eq!(server.log().open(), 1);
        drop(other);
        eventually("the end of the connection", || server.log().open() == 0).await;
        assert!(snapshot.core().flag("f1").is_some());
    });
}

/// C08, I08, B 3.8.
fn blocked_sources_leave_nothing_open(host: Host) {
    let server = Server::always(Script::status(401));
    let client = host.start(config(&server.url()));
    host.run(async {
        let waited = client.wait_for_initialization(PATIENCE).await;
        assert!(matches!(waited, Err(WaitError::Failed(Some(_)))), "{waited:?}");
        assert_eq!(client.status().state, SourceState::Off);
        eventually("the end of all connections", || server.log().open() == 0).await;
        assert_eq!(server.log().requests().len(), 2);
        closes(&client, &server).await;
    });
}

/// H08.
fn two_runtimes_live_side_by_side(host: Host) {
    let server = Server::always(stream().hang());
    let other_server = Server::always(stream().hang());
    let other_host = match host {
        Host::Smol => Host::tokio_multi_thread(),
        Host::Tokio(_) => Host::smol(),
    };
    let client = host.start(config(&server.url()));
    let other = other_host.start(config(&other_server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    other_host.run(other.wait_for_initialization(PATIENCE)).unwrap();
    drop(client);
    drop(host);
    other_host.run(async {
        eventually("the end of the one", || server.log().open() == 0).await;
        assert_eq!(other.status().state, SourceState::Valid);
        closes(&other, &other_server).await;
    });
}

/// B 10.3, 10.5. smol's global executor is never gone.
fn a_runtime_that_is_gone_counts_as_closed(host: Host) {
    for script in [Script::new().hang(), stream().hang(), stream().chunk("event: put").hang()] {
        let server = Server::always(script);
        let (client, executor) = match &host {
            Host::Tokio(_) => {
                let runtime = Host::tokio_multi_thread();
                let client = runtime.start(config(&server.url()));
                (client, Gone::Tokio(runtime))
            }
            Host::Smol => {
                let executor = std::sync::Arc::new(::smol::Executor::new());
                let builder = fdv2_smol::ClientBuilder::new(config(&server.url()));
                let client = builder.executor(&executor).start().unwrap();
                (client, Gone::Smol(executor))
            }
        };
        executor.run(eventually("the request", || !server.log().requests().is_empty()));
        let begun = Instant::now();
        drop(executor);
        host.run(async {
            eventually("the end of the connection", || server.log().open() == 0).await;
            assert_eq!(client.status().state, SourceState::Off);
            let _ = client.wait_for_initialization(PATIENCE).await;
            client.close(PATIENCE).await;
        });
        assert!(begun.elapsed() < PATIENCE, "nothing waited for a limit");
    }
}

/// A runtime that will be dropped.
enum Gone {
    Tokio(Host),
    Smol(std::sync::Arc<::smol::Executor<'static>>),
}

impl Gone {
    fn run(&self, future: impl Future<Output = ()>) {
        match self {
            Self::Tokio(host) => host.run(future),
            Self::Smol(executor) => ::smol::block_on(executor.run(future)),
        }
    }
}

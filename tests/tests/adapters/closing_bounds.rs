//! `close` in every state that a client can hang in (B 10.1): each is a row of a table, closed in
//! every way.

use std::any::Any;
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use async_io::Timer;
use fdv2_client::config::{Custom, Endpoints, StoreMode, Streaming};
use fdv2_client::store::{Kind, PersistentStore, Record, Store, StoreError, Upserted};
use fdv2_client::{Client, Config, ContextBuilder, SourceState, WaitError};
use fdv2_core::OpenSource;
use fdv2_tests::server::{Script, Server};
use futures::stream::{self, StreamExt};
use futures::{FutureExt, poll};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, sse};

on_every_runtime!(
    close_waits_for_nobody_in_any_state,
    close_waits_no_longer_than_its_limit_for_a_store,
    everything_that_waits_is_released_by_close,
);

/// What hangs, and the client that hangs with it.
struct Hanging {
    client: Client,
    _held: Box<dyn Any>,
}

fn hanging(client: Client, held: impl Any) -> Hanging {
    Hanging { client, _held: Box::new(held) }
}

/// Puts a client into a state, and waits until it is there.
type Enter = fn(&Host) -> Hanging;

const STATES: [(&str, Enter); 11] = [
    ("connecting", connecting),
    ("within the handshake of TLS", within_a_handshake),
    ("waiting for a head", |host| answered(host, Script::new().hang())),
    ("within a head", |host| answered(host, Script::new().write("HTTP/1.1 200 OK\r\nc").hang())),
    ("within a transfer", |host| answered(host, within_a_transfer())),
    ("within the body of FDv1", within_fdv1),
    ("with a directive that waits for its transfer", |host| answered(host, directed())),
    ("backing off", |host| answered(host, Script::new())),
    ("with a source that hangs", with_a_source_that_hangs),
    ("with a listener that is stuck", with_a_stuck_listener),
    ("after OFF", after_off),
];

/// The limit is far beyond what the test waits: `close` must not need it.
fn close_waits_for_nobody_in_any_state(host: Host) {
    const NEVER: Duration = Duration::from_secs(3_600);
    for (state, enter) in STATES {
        // Once, and again.
        let Hanging { client, _held } = enter(&host);
        host.run(client.close(NEVER));
        host.run(client.close(NEVER));
        assert_eq!(client.status().state, SourceState::Off, "{state}");

        // At the same time, from other threads, while the runtime runs.
        let Hanging { client, _held } = enter(&host);
        let closing: Vec<_> = (0..2)
            .map(|_| {
                let close = client.close(NEVER);
                std::thread::spawn(move || smol::block_on(close))
            })
            .collect();
        host.run(eventually(state, || closing.iter().all(|thread| thread.is_finished())));

        // Asked for once, and forgotten; then the last handle goes.
        let Hanging { client, _held } = enter(&host);
        let mut statuses = client.status_stream();
        host.run(async {
            let mut close = Box::pin(client.close(NEVER));
            let _ = poll!(&mut close);
            drop(close);
            drop(client);
            while let Some(status) = statuses.next().await {
                assert!(!status.is_last || status.state == SourceState::Off, "{state}");
            }
        });
    }
}

fn config(url: &str) -> Config {
    let source = Streaming::new().base_url(url).initial_retry_delay(Duration::from_secs(30));
    Config::custom("sdk-key").synchronizer(source).build().unwrap()
}

/// With a server that does so on every request, of which one has come.
fn answered(host: &Host, script: Script) -> Hanging {
    let server = Server::always(script);
    let client = host.start(config(&server.url()));
    host.run(eventually("the request", || !server.log().requests().is_empty()));
    hanging(client, server)
}

fn within_a_transfer() -> Script {
    let body = sse(&full("s1", &[flag("f1", 1)]));
    let (half, _) = body.split_at(body.len() / 2);
    Script::stream().chunk(half).hang()
}

fn directed() -> Script {
    let headers = [("content-type", "text/event-stream"), ("x-ld-fd-fallback", "true")];
    Script::new().head(200, &headers).write("event: server-intent\n").hang()
}

/// The queue of connections is full: the kernel answers no further one.
fn connecting(host: &Host) -> Hanging {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let brief = Duration::from_millis(50);
    let queue: Vec<_> =
        (0..5_000).map_while(|_| TcpStream::connect_timeout(&address, brief).ok()).collect();
    let client = host.start(config(&format!("http://{address}")));
    host.run(Timer::after(brief));
    hanging(client, (listener, queue))
}

fn within_a_handshake(host: &Host) -> Hanging {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = host.start(config(&format!("https://{}", silent.local_addr().unwrap())));
    let accepting = std::thread::spawn(move || (silent.accept().unwrap(), silent));
    host.run(eventually("the connection", || accepting.is_finished()));
    hanging(client, accepting.join().unwrap())
}

fn within_fdv1(host: &Host) -> Hanging {
    let server = Server::new(|_, request| match request.path() {
        "/sdk/latest-all" => {
            Script::new().head(200, &[("content-length", "1000")]).write("{\"flags\":").hang()
        }
        _ => Script::response(403, &[("X-LD-FD-Fallback", "true")], b""),
    });
    let endpoints = Endpoints::relay(server.url());
    let client = host.start(Config::streaming("sdk-key").endpoints(endpoints).build().unwrap());
    host.run(eventually("the request of FDv1", || server.log().requests().len() == 2));
    hanging(client, server)
}

fn with_a_source_that_hangs(host: &Host) -> Hanging {
    let config = Config::custom("sdk-key").synchronizer(Custom::new("mine")).build().unwrap();
    let (opened, is_open) = channel();
    let opened = Mutex::new(opened);
    let source = move |_: OpenSource| {
        opened.lock().unwrap().send(()).unwrap();
        stream::pending().boxed()
    };
    let client = host.start_with(config, "mine", source);
    host.run(eventually("the source", || is_open.try_recv().is_ok()));
    hanging(client, ())
}

fn with_a_stuck_listener(host: &Host) -> Hanging {
    let server = Server::new(|_, _| {
        let body = sse(&full("s1", &[flag("f1", 1)]));
        // The listener comes before the data.
        Script::stream().pause(Duration::from_millis(20)).chunk(&body).hang()
    });
    let client = host.start(config(&server.url()));
    let ((let_go, held), (stuck, is_stuck)) = (channel::<()>(), channel());
    let listener = client.on_flag_change(move |_| {
        let _ = stuck.send(());
        let _ = held.recv();
    });
    host.run(async {
        let ready = client.wait_for_initialization(PATIENCE);
        ready.await.unwrap();
        eventually("the callback", || is_stuck.try_recv().is_ok()).await;
    });
    // The fields of a tuple are dropped in order: the callback is let go of first.
    hanging(client, (let_go, listener, server))
}

fn after_off(host: &Host) -> Hanging {
    let server = Server::always(Script::status(401));
    let client = host.start(config(&server.url()));
    let waited = host.run(client.wait_for_initialization(PATIENCE));
    assert!(matches!(waited, Err(WaitError::Failed(_))), "{waited:?}");
    hanging(client, server)
}

/// A database of which no call returns before the test lets go of it.
struct Stuck {
    begun: Mutex<std::sync::mpsc::Sender<&'static str>>,
    held: Mutex<Receiver<()>>,
}

impl Stuck {
    fn call(&self, name: &'static str) -> StoreError {
        let _ = self.begun.lock().unwrap().send(name);
        let _ = self.held.lock().unwrap().recv();
        StoreError::new("let go")
    }
}

impl PersistentStore for Stuck {
    fn all(&self, _: Kind, _: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        Err(self.call("read"))
    }

    fn one(&self, _: Kind, _: &str) -> Result<Option<Vec<u8>>, StoreError> {
        Err(self.call("read"))
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        Err(self.call("read"))
    }

    fn replace_all(&self, _: &[Record]) -> Result<(), StoreError> {
        Err(self.call("write"))
    }

    fn upsert(&self, _: &Record) -> Result<Upserted, StoreError> {
        Err(self.call("write"))
    }
}

/// A client of a stuck store, with what lets go of it and what says which call has begun.
fn stuck(
    host: &Host,
    server: &Server,
) -> (Client, std::sync::mpsc::Sender<()>, Receiver<&'static str>) {
    let ((let_go, held), (begun, calls)) = (channel(), channel());
    let store = Store::new(Stuck { begun: Mutex::new(begun), held: Mutex::new(held) });
    let source = Streaming::new().base_url(server.url());
    let config =
        Config::custom("sdk-key").synchronizer(source).store(StoreMode::ReadWrite).build().unwrap();
    let client = match host {
        Host::Tokio(runtime) => fdv2_tokio::ClientBuilder::new(config)
            .runtime(runtime.handle().clone())
            .store(store)
            .start(),
        Host::Smol => fdv2_smol::ClientBuilder::new(config).store(store).start(),
    };
    (client.unwrap(), let_go, calls)
}

/// B 10.2: a write in flight may end within the limit, and no later.
fn close_waits_no_longer_than_its_limit_for_a_store(host: Host) {
    let server = Server::always(Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)]))).hang());
    for _ in 0..2 {
        let (client, let_go, calls) = stuck(&host, &server);
        host.run(eventually("the write", || calls.try_recv() == Ok("write")));
        host.run(async {
            let limit = Duration::from_millis(50);
            futures::join!(client.close(limit), client.close(limit));
        });
        assert_eq!(client.status().state, SourceState::Off);
        drop(let_go);
    }
}

/// Waits, evaluations that read, and streams.
fn everything_that_waits_is_released_by_close(host: Host) {
    let server = Server::always(Script::new().hang());
    let (client, let_go, calls) = stuck(&host, &server);
    let somebody = ContextBuilder::new("somebody").build().unwrap();
    host.run(async {
        let waiting = client.wait_for_initialization(PATIENCE);
        let changes = client.flag_changes().collect::<Vec<_>>();
        let store = client.through_store();
        let mut asking = store.bool_variation(&somebody, "f1", true).boxed_local();
        assert!(poll!(&mut asking).is_pending());
        eventually("the read", || calls.try_recv() == Ok("read")).await;
        client.close(PATIENCE).await;
        let (waited, changes, value) = futures::join!(waiting, changes, asking);
        assert!(matches!(waited, Err(WaitError::Closed(_))), "{waited:?}");
        assert!(changes.is_empty() && value);
    });
    drop(let_go);
}

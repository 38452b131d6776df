//! A thousand clients that lose one server at once (B 8.1).

use std::fs;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fdv2_client::config::Streaming;
use fdv2_client::{Client, Config, SourceState};
use fdv2_tests::on_every_runtime;
use fdv2_tests::runtimes::eventually;
use futures::future::join_all;
use rustix::process::{Resource, getrlimit, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

use crate::counts::alone;
use crate::host::Host;

on_every_runtime!(a_thousand_clients_that_lose_one_server_spread_their_return);

const CLIENTS: usize = 1_000;

/// Two ends of each connection, and all the rest.
const FILES: u64 = 2 * CLIENTS as u64 + 500;

/// Half of the initial delay of 1 s: nobody may be back before it.
const LEAST_DELAY: Duration = Duration::from_millis(500);

/// A server that tells when a client comes, and loses all at once.
struct Lossy {
    url: String,
    arrivals: Arc<Mutex<Vec<Instant>>>,
    cuts: watch::Sender<u64>,
    /// The last to go.
    _runtime: Runtime,
}

impl Lossy {
    fn start() -> Self {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (cuts, cut) = watch::channel(0);
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&arrivals);
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                log.lock().unwrap().push(Instant::now());
                let mut cut = cut.clone();
                cut.mark_unchanged();
                tokio::spawn(async move {
                    tokio::select! {
                        _ = cut.changed() => {}
                        _ = serve(socket) => {}
                    }
                });
            }
        });
        Self { url, arrivals, cuts, _runtime: runtime }
    }

    fn arrivals(&self) -> Vec<Instant> {
        self.arrivals.lock().unwrap().clone()
    }
}

/// Answers with a stream, and reads until the client leaves.
async fn serve(mut socket: TcpStream) -> std::io::Result<()> {
    let intent = r#"{"payloads":[{"id":"p","target":1,"intentCode":"xfer-full"}]}"#;
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
         event: server-intent\ndata: {intent}\n\n\
         event: payload-transferred\ndata: {{\"state\":\"s\",\"version\":1}}\n\n"
    );
    let (mut head, mut bytes) = (Vec::new(), [0; 1024]);
    loop {
        let count = socket.read(&mut bytes).await?;
        if count == 0 {
            return Ok(());
        }
        head.extend_from_slice(&bytes[..count]);
        if head.ends_with(b"\r\n\r\n") {
            socket.write_all(answer.as_bytes()).await?;
            head.clear();
        }
    }
}

/// So many files may be open from now on.
fn allow_files(files: u64) {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < files) {
        limit.current = limit.maximum.map_or(Some(files), |maximum| Some(maximum.min(files)));
        setrlimit(Resource::Nofile, limit).unwrap();
    }
    let open = fs::read_dir("/proc/self/fd").unwrap().count();
    let current = getrlimit(Resource::Nofile).current;
    assert!(
        current.is_none_or(|current| current >= files),
        "{open} files are open and {current:?} may be: let it be {files} with `ulimit -n`"
    );
}

/// How they are spread is shown in virtual time (`herd` of `fdv2-client`), where no busy machine
/// makes them late. Here, as real sockets show it: nobody comes before his time, everybody comes
/// once, and never all at once.
fn a_thousand_clients_that_lose_one_server_spread_their_return(host: Host) {
    let _alone = alone();
    allow_files(FILES);
    let server = Lossy::start();
    let config = || {
        let source = Streaming::new().base_url(&server.url);
        Config::custom("sdk-key")
            .synchronizer(source)
            // A busy machine must not be taken for a bad server.
            .adjust_timing(|timing| timing.head = Duration::from_secs(60))
            .build()
            .unwrap()
    };
    let clients: Vec<Client> = (0..CLIENTS).map(|_| host.start(config(), None)).collect();
    let are_valid = || clients.iter().all(|client| client.status().state == SourceState::Valid);
    host.run(eventually("a stream for each", are_valid));
    assert_eq!(server.arrivals().len(), CLIENTS);

    let lost = Instant::now();
    server.cuts.send_modify(|cuts| *cuts += 1);
    host.run(eventually("the return of all", || server.arrivals().len() >= 2 * CLIENTS));
    host.run(eventually("the data of all", are_valid));
    let arrivals = server.arrivals();
    assert_eq!(arrivals.len(), 2 * CLIENTS, "some came more than once");
    let returns: Vec<_> =
        arrivals[CLIENTS..].iter().map(|at| at.saturating_duration_since(lost)).collect();
    assert!(returns[0] >= LEAST_DELAY, "{:?} is too early", returns[0]);
    let spread = returns[CLIENTS - 1] - returns[0];
    assert!(spread >= LEAST_DELAY / 2, "all within {spread:?}");
    host.run(join_all(clients.iter().map(|client| client.close(Client::CLOSE_TIMEOUT))));
}

//! Starting: where it works, where it is an error, and with whose HTTP client.

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::tls::tls_config;
use fdv2_client::{Client, Config, StartError};
use fdv2_smol::{HyperBackend, surf};
use fdv2_tests::server::{Received, Script, Server};
use futures::FutureExt;
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(an_own_http_client_serves_every_source, no_text_of_a_client_tells_the_sdk_key);

fn config(url: &str) -> Config {
    Config::custom("s3cr3t")
        .initializer(Polling::new().base_url(url))
        .synchronizer(Streaming::new().base_url(url))
        .build()
        .unwrap()
}

fn server() -> Server {
    Server::new(|_, request| match request.path() {
        "/sdk/poll" => Script::json(&poll(&full("s1", &[flag("f1", 1)]))),
        _ => Script::stream().chunk(&sse(&full("s2", &[flag("f1", 2)]))).hang(),
    })
}

#[test]
fn outside_of_a_tokio_runtime_starting_is_an_error() {
    let server = server();
    let started = fdv2_tokio::start(config(&server.url()));
    assert!(matches!(started, Err(StartError::Runtime(_))));
}

#[test]
fn without_time_or_io_starting_is_an_error() {
    let server = server();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let started = runtime.block_on(async { fdv2_tokio::start(config(&server.url())) });
    assert!(matches!(started, Err(StartError::Runtime(_))));
}

#[test]
fn with_a_handle_tokio_is_started_from_any_thread() {
    let server = server();
    let Host::Tokio(runtime) = Host::tokio_multi_thread() else { unreachable!() };
    let builder = fdv2_tokio::ClientBuilder::new(config(&server.url()));
    let client = builder.runtime(runtime.handle().clone()).start().unwrap();
    ::smol::block_on(client.wait_for_initialization(PATIENCE)).unwrap();
}

/// H07.
#[test]
fn smol_is_started_from_any_thread() {
    let server = server();
    let url = server.url();
    let client = std::thread::spawn(move || fdv2_smol::start(config(&url)).unwrap());
    let client = client.join().unwrap();
    ::smol::block_on(client.wait_for_initialization(PATIENCE)).unwrap();
}

/// B 11.4.
fn an_own_http_client_serves_every_source(host: Host) {
    let server = server();
    let (client, later) = match &host {
        Host::Tokio(runtime) => {
            let _inside = runtime.enter();
            start_with_own_reqwest(&server)
        }
        Host::Smol => start_with_own_surf(&server),
    };
    host.run(async {
        eventually("the stream", || value(&client, "f1") == Some(2.into())).await;
        client.close(Client::CLOSE_TIMEOUT).await;
        later.await;
    });
    let requests = server.log().requests();
    let paths: Vec<_> = requests.iter().map(Received::path).collect();
    assert_eq!(paths, ["/sdk/poll", "/sdk/stream", "/sdk/poll"]);
    assert!(requests.iter().all(|got| got.header(MARK) == Some("its own")));
}

/// What the application's own clients send with each request.
const MARK: &str = "x-application";

/// A client, and a later request of the application's own.
type Started = (Client, BoxFuture<'static, ()>);

fn start_with_own_reqwest(server: &Server) -> Started {
    let headers = HeaderMap::from_iter([(
        HeaderName::from_static(MARK),
        HeaderValue::from_static("its own"),
    )]);
    let own = fdv2_tokio::reqwest::Client::builder()
        .tls_backend_preconfigured(tls_config([]).unwrap())
        .default_headers(headers)
        .build()
        .unwrap();
    let builder = fdv2_tokio::ClientBuilder::new(config(&server.url()));
    let client = builder.http_client(own.clone()).start().unwrap();
    let later = own.get(format!("{}/sdk/poll", server.url())).send();
    (client, later.map(|response| assert_eq!(response.unwrap().status(), 200)).boxed())
}

fn start_with_own_surf(server: &Server) -> Started {
    let backend = HyperBackend::new(tls_config([]).unwrap(), 1 << 16).unwrap();
    let own = surf::Client::with_http_client(backend).with(Mark);
    let builder = fdv2_smol::ClientBuilder::new(config(&server.url()));
    let client = builder.http_client(own.clone()).start().unwrap();
    let later = own.get(format!("{}/sdk/poll", server.url()));
    (client, async move { assert_eq!(later.await.unwrap().status(), 200) }.boxed())
}

/// A middleware of the application's own.
struct Mark;

#[surf::utils::async_trait]
impl surf::middleware::Middleware for Mark {
    async fn handle(
        &self,
        mut request: surf::Request,
        client: surf::Client,
        next: surf::middleware::Next<'_>,
    ) -> surf::Result<surf::Response> {
        request.insert_header(MARK, "its own");
        next.run(request, client).await
    }
}

/// B 11.1.
fn no_text_of_a_client_tells_the_sdk_key(host: Host) {
    let server = server();
    let client = host.start(config(&server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    let text = format!("{client:?} {:?} {:?}", client.status(), client.snapshot());
    assert!(!text.contains("s3cr3t"));
}

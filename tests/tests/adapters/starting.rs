//! Starting: where it works, where it is an error, and with whose HTTP client.

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::{Client, Config, StartError};
use fdv2_smol::HyperBackend;
use fdv2_tests::server::{Script, Server};

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
    let (name, text) = ("x-application", "its own");
    let client = match &host {
        Host::Tokio(runtime) => {
            let _inside = runtime.enter();
            let tls = fdv2_client::tls::tls_config([]).unwrap();
            let headers = http::HeaderMap::from_iter([(
                http::HeaderName::from_static(name),
                http::HeaderValue::from_static(text),
            )]);
            let own = fdv2_tokio::reqwest::Client::builder().tls_backend_preconfigured(tls);
            let own = own.default_headers(headers).build().unwrap();
            let builder = fdv2_tokio::ClientBuilder::new(config(&server.url()));
            builder.http_client(own).start().unwrap()
        }
        Host::Smol => {
            let tls = fdv2_client::tls::tls_config([]).unwrap();
            let own = fdv2_smol::surf::Client::with_http_client(HyperBackend::new(tls, 1 << 16))
                .with(Mark(name, text));
            let builder = fdv2_smol::ClientBuilder::new(config(&server.url()));
            builder.http_client(own).start().unwrap()
        }
    };
    host.run(async {
        eventually("the stream", || value(&client, "f1") == Some(2.into())).await;
        client.close(Client::CLOSE_TIMEOUT).await;
    });
    let requests = server.log().requests();
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|got| got.header(name) == Some(text)));
}

/// A middleware of the application's own.
struct Mark(&'static str, &'static str);

#[fdv2_smol::surf::utils::async_trait]
impl fdv2_smol::surf::middleware::Middleware for Mark {
    async fn handle(
        &self,
        mut request: fdv2_smol::surf::Request,
        client: fdv2_smol::surf::Client,
        next: fdv2_smol::surf::middleware::Next<'_>,
    ) -> fdv2_smol::surf::Result<fdv2_smol::surf::Response> {
        request.insert_header(self.0, self.1);
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

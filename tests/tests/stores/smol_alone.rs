//! A whole life on smol, in threads that know of no tokio runtime (H07).

use std::sync::Arc;
use std::time::Duration;

use fdv2_client::config::{Polling, StoreMode, Streaming};
use fdv2_client::http::HttpOptions;
use fdv2_client::store::{PersistentStore, Store};
use fdv2_client::{Client, Config};
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::runtimes::within_patience;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::{Received, Script, SelfSigned, Server};
use fdv2_tests::store_conformance::flag;

use crate::host::{holds, shows};

/// The events of a full transfer, with the flag's text as it is.
fn events(version: u64) -> [(&'static str, String); 3] {
    let object = flag("f", version);
    let put =
        format!(r#"{{"kind":"flag","key":"f","version":{version},"object":{}}}"#, object.text());
    [
        ("server-intent", r#"{"payloads":[{"intentCode":"xfer-full"}]}"#.to_owned()),
        ("put-object", put),
        ("payload-transferred", format!(r#"{{"state":"s{version}","version":{version}}}"#)),
    ]
}

fn stream(version: u64) -> Script {
    let events = events(version).map(|(name, data)| format!("event: {name}\ndata: {data}\n\n"));
    Script::stream().chunk(&events.concat())
}

fn poll(version: u64) -> Script {
    let events =
        events(version).map(|(name, data)| format!(r#"{{"event":"{name}","data":{data}}}"#));
    Script::json(&format!(r#"{{"events":[{}]}}"#, events.join(",")))
}

/// A poll gives version 1, the first stream version 2 before it breaks, and the last one version 3.
fn serve(number: usize, request: &Received) -> Script {
    match (request.path(), number) {
        ("/sdk/poll", _) => poll(1),
        (_, 1) => stream(2),
        (_, 2) => Script::status(503),
        _ => stream(3).hang(),
    }
}

fn lives(store: impl PersistentStore, other: &dyn PersistentStore) {
    assert!(tokio::runtime::Handle::try_current().is_err());
    let own = SelfSigned::new();
    let server = Server::over_tls(own.server, serve);
    let delay = Duration::from_millis(5);
    let config = Config::custom("sdk-key")
        .initializer(Polling::new().base_url(server.url()))
        .synchronizer(Streaming::new().base_url(server.url()).initial_retry_delay(delay))
        .store(StoreMode::ReadWrite)
        .build()
        .unwrap();
    let options = HttpOptions::builder().root_certificate_pem(own.pem).build().unwrap();
    let builder = fdv2_smol::ClientBuilder::new(config).http(options).store(Store::new(store));
    let executor = Arc::new(smol::Executor::new());
    let client = builder.executor(&executor).start().unwrap();
    let life = async {
        shows(&client, "f", 3).await;
        holds(other, &[flag("f", 3)]).await;
        client.close(Client::CLOSE_TIMEOUT).await;
    };
    smol::block_on(executor.run(within_patience(life)));
    let paths: Vec<_> =
        server.log().requests().iter().map(|request| request.path().to_owned()).collect();
    assert_eq!(paths, ["/sdk/poll", "/sdk/stream", "/sdk/stream", "/sdk/stream"]);
}

/// H07.
#[test]
fn nothing_on_smol_asks_for_a_tokio_runtime() {
    let redis = RedisServer::start();
    let store = || RedisStore::new(&redis.url()).unwrap();
    lives(store(), &store());
    let scratch = Scratch::new();
    let store = || SqliteStore::new(scratch.file("flags.sqlite"));
    lives(store(), &store());
}

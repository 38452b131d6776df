//! Starting against servers that are slow, silent or failing, and how long a wait lasts.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::eval::ErrorKind as EvalError;
use fdv2_client::{Client, Config, ContextBuilder, ErrorKind, SourceState, WaitError};
use fdv2_tests::server::{Script, Server};
use futures::future::join;

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(
    a_wait_ends_at_its_limit_with_the_last_error_and_the_client_goes_on,
    a_final_failure_ends_every_wait_at_once,
    a_late_answer_initializes_the_same_client,
    a_handshake_that_never_ends_is_left,
    no_change_to_nothing_is_no_data,
);

const DELAY: Duration = Duration::from_millis(10);
const BRIEF: Duration = Duration::from_millis(20);

fn streaming(url: &str) -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(DELAY))
        .adjust_timing(|timing| timing.max_retry_delay = DELAY)
        .build()
        .unwrap()
}

fn stream() -> Script {
    Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)]))).hang()
}

fn evaluated(client: &Client) -> Option<EvalError> {
    let somebody = ContextBuilder::new("somebody").build().unwrap();
    client.variation_detail(&somebody, "f1").reason.error()
}

/// I01.
fn a_wait_ends_at_its_limit_with_the_last_error_and_the_client_goes_on(host: Host) {
    let is_well = Arc::new(AtomicBool::new(false));
    let well = Arc::clone(&is_well);
    let server = Server::new(move |_, _| match well.load(Ordering::SeqCst) {
        true => stream(),
        false => Script::status(500),
    });
    let client = host.start(streaming(&server.url()));
    host.run(eventually("a failure", || client.status().last_error.is_some()));
    let waited = host.run(client.wait_for_initialization(BRIEF));
    let Err(WaitError::TimedOut(Some(error))) = waited else { panic!("{waited:?}") };
    assert_eq!(error.status, Some(500));
    assert_eq!(client.status().state, SourceState::Initializing);
    is_well.store(true, Ordering::SeqCst);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
}

/// I01, I08: those who wait, and who comes later.
fn a_final_failure_ends_every_wait_at_once(host: Host) {
    let server = Server::always(Script::status(401));
    let client = host.start(streaming(&server.url()));
    let wait = || client.wait_for_initialization(PATIENCE * 10);
    let (first, second) = host.run(join(wait(), wait()));
    let late = host.run(wait());
    for waited in [first, second, late] {
        let Err(WaitError::Failed(Some(error))) = waited else { panic!("{waited:?}") };
        assert_eq!(error.status, Some(401));
    }
}

/// I03: one limit that passes disables nothing.
fn a_late_answer_initializes_the_same_client(host: Host) {
    let may_answer = Arc::new(AtomicBool::new(false));
    let may = Arc::clone(&may_answer);
    let server = Server::new(move |_, _| {
        while !may.load(Ordering::SeqCst) {
            thread::sleep(Duration::from_millis(1));
        }
        stream()
    });
    let client = host.start(streaming(&server.url()));
    let waited = host.run(client.wait_for_initialization(BRIEF));
    assert!(matches!(waited, Err(WaitError::TimedOut(_))), "{waited:?}");
    assert_eq!(evaluated(&client), Some(EvalError::ClientNotReady));
    assert!(!client.initialized());
    may_answer.store(true, Ordering::SeqCst);
    host.run(eventually("the data", || value(&client, "f1") == Some(1.into())));
    assert!(client.initialized());
    assert_eq!(evaluated(&client), None);
}

/// I02: whoever takes the connection and never speaks TLS.
fn a_handshake_that_never_ends_is_left(host: Host) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    thread::spawn(move || {
        let mut held = Vec::new();
        while let Ok((socket, _)) = silent.accept() {
            held.push(socket);
            count.fetch_add(1, Ordering::SeqCst);
        }
    });
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(DELAY))
        .adjust_timing(|timing| timing.head = Duration::from_millis(100))
        .build()
        .unwrap();
    let client = host.start(config);
    host.run(eventually("a second attempt", || accepted.load(Ordering::SeqCst) >= 2));
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::Network);
    assert!(!client.initialized());
}

/// I05: `none` and 304 at the start, from an initializer and from a synchronizer.
fn no_change_to_nothing_is_no_data(host: Host) {
    let none = [("server-intent", serde_json::json!({"payloads": [{"intentCode": "none"}]}))];
    let empty = [Script::json(&poll(&none)), Script::status(304)];
    for nothing in empty {
        let server = Server::scripted([nothing.clone(), nothing, stream()]);
        let config = Config::custom("sdk-key")
            .initializer(Polling::new().base_url(server.url()))
            .initializer(Polling::new().base_url(server.url()))
            .synchronizer(Streaming::new().base_url(server.url()))
            .build()
            .unwrap();
        let client = host.start(config);
        host.run(client.wait_for_initialization(PATIENCE)).unwrap();
        assert_eq!(value(&client, "f1"), Some(1.into()));
        let requests = server.log().requests();
        let paths: Vec<_> = requests.iter().map(|request| request.path()).collect();
        assert_eq!(paths, ["/sdk/poll", "/sdk/poll", "/sdk/stream"]);
        assert!(requests.iter().all(|request| request.parameter("basis").is_empty()));
    }

    let confirming = Script::stream().chunk(&sse(&none)).hang();
    let server = Server::new(move |number, request| match (number, request.parameter("basis")) {
        (0, _) => confirming.clone(),
        (_, basis) if basis.is_empty() => stream(),
        _ => confirming.clone(),
    });
    let client = host.start(streaming(&server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::InvalidData);
}

//! What a client asks for, as the server sees it.

use std::time::Duration;

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::{Config, ErrorKind};
use fdv2_tests::server::{Script, Server};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(
    a_base_url_keeps_its_path,
    selector_and_filter_survive_the_query,
    a_redirect_within_an_origin_keeps_the_key,
    a_redirect_to_another_origin_does_not_get_the_key,
    a_redirect_in_a_circle_ends,
);

const DELAY: Duration = Duration::from_millis(20);

fn streaming(url: &str) -> Config {
    Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(url).initial_retry_delay(DELAY))
        .build()
        .unwrap()
}

fn stream() -> Script {
    Script::stream().chunk(&sse(&full("s1", &[flag("f1", 1)]))).hang()
}

/// H02.
fn a_base_url_keeps_its_path(host: Host) {
    for (path, expected) in [("", ""), ("/", ""), ("/relay", "/relay"), ("/relay/", "/relay")] {
        let server = Server::new(|_, request| match request.path().ends_with("/sdk/poll") {
            true => Script::json(&poll(&full("s1", &[flag("f1", 1)]))),
            false => stream(),
        });
        let url = format!("{}{path}", server.url());
        let config = Config::custom("sdk-key")
            .initializer(Polling::new().base_url(&*url))
            .synchronizer(Streaming::new().base_url(&*url))
            .build()
            .unwrap();
        let _client = host.start(config);
        host.run(eventually("two requests", || server.log().requests().len() == 2));
        let requests = server.log().requests();
        assert_eq!(requests[0].path(), format!("{expected}/sdk/poll"));
        assert_eq!(requests[1].path(), format!("{expected}/sdk/stream"));
        for request in requests {
            assert_eq!(request.header("authorization"), Some("sdk-key"));
        }
    }
}

/// P07, P09, H10.
fn selector_and_filter_survive_the_query(host: Host) {
    let selector = "a b&c=d/é+(p:x:1)#%25";
    let events = sse(&full(selector, &[flag("f1", 1)]));
    let server = Server::scripted([Script::stream().chunk(&events).last_chunk(), stream()]);
    let config = Config::custom("sdk-key")
        .synchronizer(Streaming::new().base_url(server.url()).initial_retry_delay(DELAY))
        .filter("a&b=c")
        .build()
        .unwrap();
    let _client = host.start(config);
    host.run(eventually("two requests", || server.log().requests().len() == 2));
    let requests = server.log().requests();
    assert_eq!(requests[0].parameter("basis"), Vec::<String>::new());
    assert_eq!(requests[1].parameter("basis"), [selector]);
    for request in requests {
        assert_eq!(request.parameter("filter"), ["a&b=c"]);
    }
}

/// H03.
fn a_redirect_within_an_origin_keeps_the_key(host: Host) {
    let server = Server::new(|_, request| match request.path() {
        "/sdk/stream" => Script::redirect(307, "/new/sdk/stream?moved=1"),
        _ => stream(),
    });
    let client = host.start(streaming(&server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    let requests = server.log().requests();
    assert_eq!(requests[1].target, "/new/sdk/stream?moved=1");
    assert_eq!(requests[1].header("authorization"), Some("sdk-key"));
}

/// H03, B 8.5.
fn a_redirect_to_another_origin_does_not_get_the_key(host: Host) {
    let other = Server::always(stream());
    let url = other.url();
    let server = Server::new(move |_, _| Script::redirect(301, &format!("{url}/elsewhere")));
    let client = host.start(streaming(&server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
    let requests = other.log().requests();
    assert_eq!(requests[0].path(), "/elsewhere");
    assert_eq!(requests[0].header("authorization"), None);
}

/// H03, B 8.5, 8.7.
fn a_redirect_in_a_circle_ends(host: Host) {
    let server = Server::new(|number, _| match number {
        0..=10 => Script::redirect(308, "/sdk/stream"),
        _ => stream(),
    });
    let client = host.start(streaming(&server.url()));
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(client.status().last_error.unwrap().kind, ErrorKind::Network);
    assert_eq!(server.log().requests().len(), 12);
}

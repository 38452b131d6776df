//! Proxies that the settings name (H04), the same on every runtime.

use std::net::SocketAddr;

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::http::{HttpOptions, HttpOptionsBuilder, Proxy};
use fdv2_client::{Config, SourceState};
use fdv2_core::TransportErrorKind::Connect;
use fdv2_tests::server::{Received, Script, SelfSigned, Server};
use serde_json::json;

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse, value};

on_every_runtime!(
    every_kind_of_request_goes_through_the_proxy,
    requests_to_https_addresses_go_through_a_tunnel,
    a_proxy_for_one_scheme_is_none_for_the_other,
    hosts_are_excepted,
    a_proxy_can_be_spoken_to_over_tls,
    a_proxy_that_refuses_or_is_away_is_a_connect_failure,
    a_client_shows_no_password_of_its_proxy,
);

const FLAGS: &str = "http://flags.invalid";

/// `Basic` with `u` and `p@`.
const CREDENTIALS: &str = "Basic dTpwQA==";

fn options(builder: HttpOptionsBuilder) -> HttpOptions {
    builder.build().unwrap()
}

fn with_credentials(proxy: &Server) -> String {
    format!("http://u:p%40@{}", proxy.address())
}

/// The server of every kind of request, which is a proxy, so that targets are whole addresses.
fn serve(request: &Received) -> Script {
    let path = request.path().strip_prefix(FLAGS).unwrap_or("elsewhere");
    match path {
        "/sdk/poll" => Script::json(&poll(&full("s1", &[flag("f1", 1)]))),
        "/sdk/stream" => Script::response(503, &[("x-ld-fd-fallback", "true")], b""),
        "/sdk/latest-all" => {
            Script::json(&json!({"flags": {"f1": flag("f1", 3)}, "segments": {}}).to_string())
        }
        _ => Script::status(404),
    }
}

/// H04: initializer, stream, FDv1 and a poll, with the credentials decoded.
fn every_kind_of_request_goes_through_the_proxy(host: Host) {
    let proxy = Server::new(|_, request| serve(request));
    let options = options(HttpOptions::builder().proxy(with_credentials(&proxy)));
    let config = Config::custom("sdk-key")
        .initializer(Polling::new().base_url(FLAGS))
        .synchronizer(Streaming::new().base_url(FLAGS))
        .fdv1(Polling::new().base_url(FLAGS))
        .build()
        .unwrap();
    let client = host.start_over(config, options.clone());
    host.run(eventually("the FDv1 data", || value(&client, "f1") == Some(3.into())));
    let polling = Config::custom("sdk-key").synchronizer(Polling::new().base_url(FLAGS));
    let client = host.start_over(polling.build().unwrap(), options);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();

    let requests = proxy.log().requests();
    let paths: Vec<_> = requests.iter().map(Received::path).collect();
    let expected = ["/sdk/poll", "/sdk/stream", "/sdk/latest-all", "/sdk/poll"];
    assert_eq!(paths, expected.map(|path| format!("{FLAGS}{path}")));
    for request in requests {
        assert_eq!(request.header("proxy-authorization"), Some(CREDENTIALS));
        assert_eq!(request.header("authorization"), Some("sdk-key"));
        assert_eq!(request.header("host"), Some("flags.invalid"));
    }
}

fn tunnel(request: &Received, target: SocketAddr) -> Script {
    match request.method.as_str() {
        "CONNECT" => Script::tunnel(target),
        _ => Script::json("\"forwarded\""),
    }
}

/// H04. The proxy sees neither the SDK key nor anything else of the request.
fn requests_to_https_addresses_go_through_a_tunnel(host: Host) {
    let own = SelfSigned::new();
    let events = sse(&full("s1", &[flag("f1", 1)]));
    let server = Server::over_tls(own.server, move |_, _| Script::stream().chunk(&events).hang());
    let target = server.address();
    let proxy = Server::new(move |_, request| tunnel(request, target));
    let address = format!("http://{}", proxy.address());
    let options = options(
        HttpOptions::builder()
            .proxy(Proxy::new(&address).credentials("u", "p@"))
            .root_certificate_der(own.certificate),
    );
    let config = Config::custom("sdk-key").synchronizer(Streaming::new().base_url(server.url()));
    let client = host.start_over(config.build().unwrap(), options);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();

    assert_eq!(server.log().requests()[0].target, "/sdk/stream");
    assert_eq!(server.log().requests()[0].header("proxy-authorization"), None);
    let tunnels = proxy.log().requests();
    assert_eq!(tunnels.len(), 1);
    assert_eq!(tunnels[0].target, format!("localhost:{}", target.port()));
    assert_eq!(tunnels[0].header("proxy-authorization"), Some(CREDENTIALS));
    assert_eq!(tunnels[0].header("authorization"), None);
}

fn a_proxy_for_one_scheme_is_none_for_the_other(host: Host) {
    let own = SelfSigned::new();
    let secure = Server::over_tls(own.server, |_, _| Script::json("\"secure\""));
    let plain = Server::always(Script::json("\"plain\""));
    let target = secure.address();
    let proxy = Server::new(move |_, request| tunnel(request, target));
    let trusting = || HttpOptions::builder().root_certificate_der(&own.certificate);

    let for_http = options(trusting().http_proxy(with_credentials(&proxy)));
    assert_eq!(host.fetch_over(for_http.clone(), &secure.url()).text(), "\"secure\"");
    assert_eq!(proxy.log().opened(), 0);
    assert_eq!(host.fetch_over(for_http, FLAGS).text(), "\"forwarded\"");

    let for_https = options(trusting().https_proxy(with_credentials(&proxy)));
    assert_eq!(host.fetch_over(for_https.clone(), &plain.url()).text(), "\"plain\"");
    assert_eq!(proxy.log().opened(), 1);
    assert_eq!(host.fetch_over(for_https, &secure.url()).text(), "\"secure\"");
    assert_eq!(proxy.log().opened(), 2);
}

/// H04.
fn hosts_are_excepted(host: Host) {
    let proxy = Server::always(Script::json("\"proxied\""));
    let direct = Server::always(Script::json("\"direct\""));
    let fetch = |hosts: &str, url: &str| {
        let builder = HttpOptions::builder().proxy(with_credentials(&proxy));
        host.fetch_over(options(builder.no_proxy_for(hosts)), url).body
    };
    let by_name = format!("http://localhost:{}", direct.address().port());
    for hosts in ["127.0.0.1", "a.example, 127.0.0.0/8", "*"] {
        assert_eq!(fetch(hosts, &direct.url()), b"\"direct\"", "{hosts}");
    }
    for hosts in ["localhost", "LOCALHOST", ".localhost", "*"] {
        assert_eq!(fetch(hosts, &by_name), b"\"direct\"", "{hosts}");
    }
    for hosts in ["localhost", "10.0.0.0/8", "127.0.0.2"] {
        assert_eq!(fetch(hosts, &direct.url()), b"\"proxied\"", "{hosts}");
    }
    assert_eq!(fetch("invalid", "http://notinvalid"), b"\"proxied\"");
}

/// Also with TLS through the tunnel.
fn a_proxy_can_be_spoken_to_over_tls(host: Host) {
    let (own, inner) = (SelfSigned::new(), SelfSigned::new());
    let secure = Server::over_tls(inner.server, |_, _| Script::json("\"secure\""));
    let target = secure.address();
    let proxy = Server::over_tls(own.server, move |_, request| tunnel(request, target));
    let address = proxy.url().replace("https://", "https://u:p%40@");
    let trusting = HttpOptions::builder().root_certificate_pem([own.pem, inner.pem].concat());
    let options = options(trusting.proxy(address));
    let forwarded = host.fetch_over(options.clone(), &format!("{FLAGS}/path?query"));
    assert_eq!((forwarded.text(), forwarded.end.clone()), ("\"forwarded\"", Ok(())));
    let tunnelled = host.fetch_over(options, &secure.url());
    assert_eq!((tunnelled.text(), tunnelled.end.clone()), ("\"secure\"", Ok(())));

    let requests = proxy.log().requests();
    let targets: Vec<_> = requests.iter().map(|request| request.target.as_str()).collect();
    assert_eq!(targets, [format!("{FLAGS}/path?query"), format!("localhost:{}", target.port())]);
    for request in &requests {
        assert_eq!(request.header("proxy-authorization"), Some(CREDENTIALS));
    }
    assert_eq!(secure.log().requests()[0].header("proxy-authorization"), None);
}

/// B 11.1.
fn a_proxy_that_refuses_or_is_away_is_a_connect_failure(host: Host) {
    let refusing = Server::always(Script::status(407));
    let gone = with_credentials(&Server::always(Script::new()));
    for proxy in [with_credentials(&refusing), gone] {
        let fetched =
            host.fetch_over(options(HttpOptions::builder().proxy(proxy)), "https://flags.invalid");
        let error = fetched.end.unwrap_err();
        assert_eq!(error.kind, Connect);
        for secret in ["p@", "p%40", "dTpwQA"] {
            assert!(!format!("{error:?}").contains(secret), "{error:?}");
        }
    }
}

/// H06, B 11.1: with a proxy that works, one that refuses, and one that is away.
fn a_client_shows_no_password_of_its_proxy(host: Host) {
    let working = Server::new(|_, request| serve(request));
    let refusing = Server::always(Script::status(407));
    let redirecting = Server::always(Script::redirect(307, "http://u:p%40@elsewhere.invalid"));
    let gone = with_credentials(&Server::always(Script::new()));
    let proxies = [&working, &refusing, &redirecting].map(with_credentials);
    for proxy in proxies.into_iter().chain([gone]) {
        let options = options(HttpOptions::builder().proxy(&*proxy));
        let config = Config::custom("s3cr3t").synchronizer(Polling::new().base_url(FLAGS));
        let client = host.start_over(config.build().unwrap(), options.clone());
        host.run(eventually("a first result", || {
            client.status().state == SourceState::Valid || client.status().last_error.is_some()
        }));
        let text = format!("{:?} {client:?} {options:?}", client.status());
        for secret in ["p@", "p%40", "dTpwQA", "s3cr3t"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
}

//! Proxies of the environment, and settings that overrule it (H04).
//!
//! The environment of a process cannot be changed while it runs, so each test starts its own
//! program again, as a child with the environment that is wanted.

use std::env;
use std::fs;
use std::net::SocketAddr;

use fdv2_client::http::HttpOptions;
use fdv2_core::TransportErrorKind::Connect;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::{Received, Script, SelfSigned, Server};

use crate::again::run_again;
use crate::host::Host;
use crate::on_every_runtime;

on_every_runtime!(
    requests_go_through_the_environments_proxy,
    an_environment_that_excepts_all_hosts_has_no_proxy,
    a_proxy_of_the_environment_that_cannot_be_used_is_an_error_at_the_start,
);

/// In a child: the addresses to fetch, with and without TLS and past the proxy.
const TARGETS: &str = "FDV2_TEST_TARGETS";

fn requests_go_through_the_environments_proxy(host: Host) {
    match env::var(TARGETS) {
        Ok(targets) => child(&host, &targets),
        Err(_) => parent(),
    }
}

fn parent() {
    let own = SelfSigned::new();
    let secure = Server::over_tls(own.server, |_, _| Script::json("\"tunnelled\""));
    let direct = Server::always(Script::json("\"direct\""));
    let target = secure.address();
    let proxy = Server::new(move |_, request| answer(request, target));

    let scratch = Scratch::new();
    let roots = scratch.file("roots.pem");
    fs::write(&roots, own.pem).unwrap();
    let credentials = format!("http://u:p%40ss@{}", proxy.address());
    run_again(&[
        (TARGETS, &format!("{} {}", secure.url(), direct.url())),
        ("HTTP_PROXY", &credentials),
        ("HTTPS_PROXY", &credentials),
        ("NO_PROXY", "127.0.0.1"),
        ("SSL_CERT_FILE", roots.to_str().unwrap()),
    ]);

    assert_eq!(secure.log().requests()[0].target, "/sdk/stream?basis=s1");
    assert_eq!(secure.log().requests()[1].target, "/past");
    assert_eq!(direct.log().requests().len(), 2);
    assert_eq!(direct.log().requests()[1].target, "http://named.invalid/");
    let requests = proxy.log().requests();
    let targets: Vec<_> = requests.iter().map(|got| got.target.clone()).collect();
    let tunnel = format!("localhost:{}", target.port());
    assert_eq!(targets[0], "http://flags.invalid/sdk/poll?basis=s1");
    assert_eq!(targets[1..], [tunnel.as_str(), "refused.invalid:443"]);
    for request in requests {
        assert_eq!(request.header("proxy-authorization"), Some("Basic dTpwQHNz"));
    }
}

fn answer(request: &Received, target: SocketAddr) -> Script {
    match request.method.as_str() {
        "CONNECT" if request.target.starts_with("localhost:") => Script::tunnel(target),
        "CONNECT" => Script::status(407),
        _ => Script::json("\"proxied\""),
    }
}

fn child(host: &Host, targets: &str) {
    let (secure, direct) = targets.split_once(' ').unwrap();
    let proxied = host.fetch("http://flags.invalid/sdk/poll?basis=s1");
    assert_eq!((proxied.text(), proxied.end.clone()), ("\"proxied\"", Ok(())));
    let tunnelled = host.fetch(&format!("{secure}/sdk/stream?basis=s1"));
    assert_eq!((tunnelled.text(), tunnelled.end.clone()), ("\"tunnelled\"", Ok(())));
    assert_eq!(host.fetch(direct).text(), "\"direct\"");
    let without = HttpOptions::builder().no_proxy().build().unwrap();
    assert_eq!(host.fetch_over(without, &format!("{secure}/past")).text(), "\"tunnelled\"");
    let named = HttpOptions::builder().proxy(direct).build().unwrap();
    assert_eq!(host.fetch_over(named, "http://named.invalid").text(), "\"direct\"");
    let refused = host.fetch("https://refused.invalid").end.unwrap_err();
    assert_eq!(refused.kind, Connect);
    // B 11.1.
    for secret in ["p@ss", "p%40ss", "dTpwQHNz"] {
        assert!(!format!("{refused:?}").contains(secret), "{refused:?}");
    }
}

/// H04: addresses, too.
fn an_environment_that_excepts_all_hosts_has_no_proxy(host: Host) {
    let Ok(target) = env::var(TARGETS) else {
        let direct = Server::always(Script::json("\"direct\""));
        let proxy = Server::always(Script::json("\"proxied\""));
        let variables = [("ALL_PROXY", proxy.url()), (TARGETS, direct.url())];
        let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
        run_again(&[&variables[..], &[("NO_PROXY", "h.invalid, *")]].concat());
        assert_eq!((direct.log().requests().len(), proxy.log().requests().len()), (1, 0));
        return;
    };
    assert_eq!(host.fetch(&target).text(), "\"direct\"");
}

/// B 11.1, 11.2: it is not passed over, which would send requests past the proxy.
fn a_proxy_of_the_environment_that_cannot_be_used_is_an_error_at_the_start(host: Host) {
    if env::var("HTTPS_PROXY").as_deref() != Ok("http://u:s3 cr3t@h:1") {
        run_again(&[("HTTPS_PROXY", "http://u:s3 cr3t@h:1")]);
        return;
    }
    let refused =
        |options| host.try_transport(options, 1).map(drop).expect_err("a refusal").to_string();
    let error = refused(HttpOptions::builder().build().unwrap());
    assert!(error.contains("HTTPS_PROXY") && !error.contains("cr3t"), "{error}");
    let without = HttpOptions::builder().no_proxy().build().unwrap();
    assert!(host.try_transport(without, 1).is_ok());
}

//! B 11.1, cases H01 and H06: no trace, no log line and no metric of anything in the process holds a
//! secret, at any level.

mod tap;

use std::time::Duration;

use fdv2_client::config::{Polling, Streaming};
use fdv2_client::http::HttpOptions;
use fdv2_client::{Client, Config, SourceState};
use fdv2_tests::server::{Script, Server};

use self::tap::Tap;
use crate::host::{Host, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, sse};

on_every_runtime!(b_11_1_a_direct_client_tells_no_secret, b_11_1_a_proxied_client_tells_no_secret);

const SDK_KEY: &str = "sdk-s3cr3t-6d1f";
/// The password of a proxy, and what it is in a header with its user `u`.
const PASSWORD: &str = "pr0xy-s3cr3t";
const CREDENTIALS: &str = "dTpwcjB4eS1zM2NyM3Q=";
/// A path that no other test asks for.
const PATH: &str = "/tapped";
const METRIC: &str = "fdv2_attempts_total";

/// All that is listened for.
const WATCHED: [&str; 5] = [SDK_KEY, PASSWORD, CREDENTIALS, PATH, METRIC];

/// As often as needed for every answer of `server` to be had: polls, then streams.
fn asking(url: &str) -> Config {
    let url = format!("{url}{PATH}");
    let polling = || Polling::new().base_url(&*url);
    Config::custom(SDK_KEY)
        .initializer(polling())
        .initializer(polling())
        .initializer(polling())
        .initializer(polling())
        .synchronizer(
            Streaming::new().base_url(&*url).initial_retry_delay(Duration::from_millis(10)),
        )
        .build()
        .unwrap()
}

/// Every way in which an attempt can go: the last answer ends it all.
fn answers(elsewhere: &str) -> Vec<Script> {
    vec![
        Script::status(500),
        Script::redirect(307, &format!("{elsewhere}/sdk/poll")),
        Script::json("not JSON"),
        Script::json(&poll(&full("s1", &[flag("f1", 1)]))),
        Script::stream().chunk(&sse(&full("s2", &[flag("f1", 2)]))).reset(),
        Script::stream().chunk("event: put-object\ndata: {{{\n\n").hang(),
        Script::status(401),
    ]
}

/// Runs the client to its end, which is OFF, and looks at all that was ever told.
fn ends_without_a_leak(host: &Host, tap: &Tap, client: &Client, url: &str) {
    host.run(eventually("OFF", || client.status().state == SourceState::Off));
    assert!(tap.has_heard_of(&format!("{url}{PATH}")), "the tap hears nothing");
    assert!(tap.has_heard_of(METRIC), "the tap sees no metric");
    let shown = format!("{client:?} {:?} {:?}", client.status(), client.stats());
    for secret in [SDK_KEY, PASSWORD, CREDENTIALS] {
        assert!(!shown.contains(secret), "{shown}");
        assert!(!tap.has_heard_of(secret), "a secret was told");
    }
}

fn b_11_1_a_direct_client_tells_no_secret(host: Host) {
    let tap = Tap::installed();
    let elsewhere = Server::always(Script::status(404));
    let server = Server::scripted(answers(&elsewhere.url()));
    let client = host.start(asking(&server.url()));
    ends_without_a_leak(&host, tap, &client, &server.url());
    // It was used, or it could not have leaked.
    let requests = server.log().requests();
    assert!(requests.iter().all(|request| request.header("authorization") == Some(SDK_KEY)));

    let nobody = asking("http://127.0.0.1:1");
    let client = host.start(nobody);
    host.run(eventually("an error", || client.status().last_error.is_some()));
    assert!(!tap.has_heard_of(SDK_KEY));
}

fn b_11_1_a_proxied_client_tells_no_secret(host: Host) {
    let tap = Tap::installed();
    let refusal = Script::status(407);
    let proxy = Server::scripted([vec![refusal], answers("http://elsewhere.invalid")].concat());
    let url = format!("http://u:{PASSWORD}@{}", proxy.address());
    let options = HttpOptions::builder().proxy(&*url).build().unwrap();
    // One that no other test asks, so that the tap has heard of it here.
    let flags = format!("http://{}.flags.invalid", proxy.address().port());
    let client = host.start_over(asking(&flags), options);
    ends_without_a_leak(&host, tap, &client, &flags);
    let requests = proxy.log().requests();
    let credentials = format!("Basic {CREDENTIALS}");
    let sent = |request: &fdv2_tests::server::Received| {
        request.header("proxy-authorization") == Some(&credentials)
    };
    assert!(requests.iter().all(sent));

    // A proxy that is not there, for both schemes.
    let url = format!("http://u:{PASSWORD}@127.0.0.1:1");
    let options = HttpOptions::builder().proxy(&*url).build().unwrap();
    for target in ["http://flags.invalid", "https://flags.invalid"] {
        let client = host.start_over(asking(target), options.clone());
        host.run(eventually("an error", || client.status().last_error.is_some()));
        assert!(!format!("{:?}", client.status()).contains(PASSWORD));
    }
    assert!(!tap.has_heard_of(PASSWORD) && !tap.has_heard_of(CREDENTIALS));
}

//! Which servers a client trusts, and which certificate it shows, the same on every runtime.

use std::fs;

use fdv2_client::config::Streaming;
use fdv2_client::http::{HttpOptions, HttpOptionsBuilder};
use fdv2_client::{Config, ErrorKind, SourceState};
use fdv2_core::TransportErrorKind::{Broken, Connect};
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::{Script, SelfSigned, Server};

use crate::host::{Fetched, Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, sse, value};

on_every_runtime!(
    a_root_certificate_is_trusted_in_every_form,
    of_several_roots_each_is_trusted,
    only_the_given_roots_are_trusted,
    any_server_is_trusted_on_demand,
    a_client_certificate_is_shown,
    a_client_follows_its_settings_and_names_what_it_does_not_trust,
);

fn options(builder: HttpOptionsBuilder) -> HttpOptions {
    builder.build().unwrap()
}

fn serve(own: &SelfSigned) -> Server {
    Server::over_tls(own.server.clone(), |_, _| Script::json("{}"))
}

#[track_caller]
fn is_served(fetched: &Fetched) {
    assert_eq!((fetched.text(), fetched.end.clone()), ("{}", Ok(())));
}

#[track_caller]
fn is_refused(fetched: Fetched) {
    assert_eq!(fetched.end.unwrap_err().kind, Connect);
}

fn a_root_certificate_is_trusted_in_every_form(host: Host) {
    let own = SelfSigned::new();
    let server = serve(&own);
    let scratch = Scratch::new();
    // As bundles are: with words around what counts.
    fs::write(scratch.file("ca.pem"), format!("Our own\n\n{}\n# end\n", own.pem)).unwrap();
    for builder in [
        HttpOptions::builder().root_certificate_file(scratch.file("ca.pem")),
        HttpOptions::builder().root_certificate_pem(&own.pem),
        HttpOptions::builder().root_certificate_der(&own.certificate),
    ] {
        is_served(&host.fetch_over(options(builder.clone()), &server.url()));
        is_served(&host.fetch_over(options(builder.only_these_roots()), &server.url()));
    }
}

fn of_several_roots_each_is_trusted(host: Host) {
    let (first, second, third) = (SelfSigned::new(), SelfSigned::new(), SelfSigned::new());
    let bundle = [first.pem.as_str(), &second.pem].concat();
    let builder = HttpOptions::builder().root_certificate_pem(bundle);
    let options = options(builder.root_certificate_der(&third.certificate));
    for own in [first, second, third] {
        is_served(&host.fetch_over(options.clone(), &serve(&own).url()));
    }
}

fn only_the_given_roots_are_trusted(host: Host) {
    let (own, other) = (SelfSigned::new(), SelfSigned::new());
    let builder = HttpOptions::builder().root_certificate_pem(&other.pem);
    let server = serve(&own);
    is_refused(host.fetch_over(options(builder.clone().only_these_roots()), &server.url()));
    is_refused(host.fetch_over(options(builder), &server.url()));
    assert_eq!(server.log().requests().len(), 0);
}

/// Neither the issuer nor the name is looked at.
fn any_server_is_trusted_on_demand(host: Host) {
    let server = serve(&SelfSigned::new());
    let trusting = options(HttpOptions::builder().dangerously_trust_any_server());
    is_served(&host.fetch_over(trusting.clone(), &server.url()));
    let by_address = format!("https://{}", server.address());
    is_served(&host.fetch_over(trusting, &by_address));
    is_refused(host.fetch(&by_address));
}

fn a_client_certificate_is_shown(host: Host) {
    let (own, client, stranger) = (SelfSigned::new(), SelfSigned::new(), SelfSigned::new());
    let server = Server::over_tls(own.server_for(&client), |_, _| Script::json("{}"));
    let trusting = || HttpOptions::builder().root_certificate_der(&own.certificate);
    let scratch = Scratch::new();
    fs::write(scratch.file("both.pem"), format!("{}{}", client.key_pem, client.pem)).unwrap();
    let both = scratch.file("both.pem");
    for builder in [
        trusting().client_certificate_pem(&client.pem, &client.key_pem),
        trusting().client_certificate_files(&both, &both),
        HttpOptions::builder()
            .dangerously_trust_any_server()
            .client_certificate_pem(&client.pem, &client.key_pem),
    ] {
        is_served(&host.fetch_over(options(builder), &server.url()));
    }
    for builder in [trusting(), trusting().client_certificate_pem(&stranger.pem, &stranger.key_pem)]
    {
        // With TLS 1.3 the server refuses only when the client takes the handshake for done.
        let refused = host.fetch_over(options(builder), &server.url()).end.unwrap_err();
        assert!(matches!(refused.kind, Connect | Broken), "{refused:?}");
    }
    assert_eq!(server.log().requests().len(), 3);
}

fn a_client_follows_its_settings_and_names_what_it_does_not_trust(host: Host) {
    let own = SelfSigned::new();
    let events = sse(&full("s1", &[flag("f1", 1)]));
    let server =
        Server::over_tls(own.server.clone(), move |_, _| Script::stream().chunk(&events).hang());
    let config = || {
        let streaming = Streaming::new().base_url(server.url());
        Config::custom("sdk-key").synchronizer(streaming).build().unwrap()
    };
    let client = host.start(config());
    host.run(eventually("the failure", || client.status().last_error.is_some()));
    let error = client.status().last_error.unwrap();
    assert_eq!(error.kind, ErrorKind::Network);
    assert!(error.message.contains("certificate"), "{error:?}");
    assert_ne!(client.status().state, SourceState::Valid);

    let trusting = options(HttpOptions::builder().root_certificate_pem(own.pem));
    let client = host.start_over(config(), trusting);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
}

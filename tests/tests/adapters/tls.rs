//! TLS, with the settings that both runtimes share.

use std::io::Read;
use std::net::TcpListener;

use ::smol::unblock;
use fdv2_client::tls::rustls::crypto::CryptoProvider;
use fdv2_client::tls::tls_config;
use fdv2_core::TransportErrorKind::{Broken, Connect};
use fdv2_tests::server::{Script, SelfSigned, Server};
use futures::StreamExt;
use futures::future::{Either, select};

use crate::host::{Host, fetch, get};
use crate::on_every_runtime;

on_every_runtime!(
    tls_needs_no_process_wide_provider,
    a_certificate_that_is_not_trusted_is_a_connect_failure,
    a_server_without_tls_is_a_connect_failure,
    dropping_within_a_handshake_closes_the_socket,
    an_end_that_tls_does_not_vouch_for_is_broken,
);

/// H05.
fn tls_needs_no_process_wide_provider(host: Host) {
    let own = SelfSigned::new();
    let server = Server::over_tls(own.server, |_, _| Script::json("{}"));
    let tls = tls_config([own.certificate]).unwrap();
    let transport = host.transport_with(tls, 1 << 16);
    let fetched = host.run(fetch(&*transport, get(&server.url())));
    assert_eq!((fetched.text(), fetched.end.clone()), ("{}", Ok(())));
    assert!(CryptoProvider::get_default().is_none());
}

fn a_certificate_that_is_not_trusted_is_a_connect_failure(host: Host) {
    let server = Server::over_tls(SelfSigned::new().server, |_, _| Script::json("{}"));
    let fetched = host.fetch(&server.url());
    assert_eq!(fetched.end.unwrap_err().kind, Connect);
    assert_eq!(server.log().requests().len(), 0);
}

fn a_server_without_tls_is_a_connect_failure(host: Host) {
    let server = Server::always(Script::json("{}"));
    let fetched = host.fetch(&format!("https://{}", server.address()));
    assert_eq!(fetched.end.unwrap_err().kind, Connect);
}

/// I02.
fn dropping_within_a_handshake_closes_the_socket(host: Host) {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}", silent.local_addr().unwrap());
    let transport = host.transport();
    let mut outcomes = transport.send(get(&url));
    let mut socket = host.run(async {
        let accepted = unblock(move || silent.accept().unwrap().0);
        match select(accepted, outcomes.next()).await {
            Either::Left((socket, _)) => socket,
            Either::Right((outcome, _)) => panic!("{outcome:?}"),
        }
    });
    drop(outcomes);
    host.run(unblock(move || {
        let mut hello = Vec::new();
        socket.read_to_end(&mut hello).unwrap();
    }));
}

/// B 4.3: a body that ends with its connection, whose end somebody on the way may have made.
fn an_end_that_tls_does_not_vouch_for_is_broken(host: Host) {
    let own = SelfSigned::new();
    let server = Server::over_tls(own.server, |_, _| Script::new().head(200, &[]).write("{}"));
    let transport = host.transport_with(tls_config([own.certificate]).unwrap(), 1 << 16);
    let fetched = host.run(fetch(&*transport, get(&server.url())));
    assert_eq!(fetched.end.unwrap_err().kind, Broken);
}

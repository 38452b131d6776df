//! `rediss://`: TLS with the certificates that the system trusts.

use std::fs;
use std::process::{Command, Output};

use fdv2_client::store::PersistentStore;
use fdv2_redis::RedisStore;
use fdv2_tests::redis_server::{RedisServer, free_port};
use fdv2_tests::scratch::Scratch;

/// A server that speaks TLS, with a certificate for `localhost` that nobody trusts by itself.
struct Secure {
    _server: RedisServer,
    scratch: Scratch,
    url: String,
}

impl Secure {
    fn start() -> Self {
        let scratch = Scratch::new();
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(scratch.file("certificate.pem"), made.cert.pem()).unwrap();
        fs::write(scratch.file("key.pem"), made.signing_key.serialize_pem()).unwrap();
        let path = |name| scratch.file(name).to_str().unwrap().to_owned();
        let (certificate, key) = (path("certificate.pem"), path("key.pem"));
        let port = free_port();
        let server = RedisServer::start_with(&[
            "--tls-port",
            &port.to_string(),
            "--tls-cert-file",
            &certificate,
            "--tls-key-file",
            &key,
            "--tls-ca-cert-file",
            &certificate,
            "--tls-auth-clients",
            "no",
        ]);
        Self { _server: server, scratch, url: format!("rediss://localhost:{port}") }
    }

    /// Asks the server in a process that trusts the certificates in a file.
    fn probe_trusting(&self, certificates: &str) -> Output {
        Command::new(env!("CARGO_BIN_EXE_store-process"))
            .args(["probe", &self.url])
            .env("SSL_CERT_FILE", self.scratch.file(certificates))
            .output()
            .unwrap()
    }
}

#[test]
fn a_server_whose_certificate_is_trusted_is_used() {
    let output = Secure::start().probe_trusting("certificate.pem");
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_server_whose_certificate_is_not_trusted_is_refused() {
    let server = Secure::start();
    let error = RedisStore::new(&server.url).unwrap().probe().unwrap_err();
    assert!(error.message().starts_with("cannot connect to Redis at localhost:"), "{error}");
}

#[test]
fn a_server_without_tls_is_refused() {
    let server = RedisServer::start();
    let url = server.url().replace("redis://", "rediss://");
    let error = RedisStore::new(&url).unwrap().probe().unwrap_err();
    assert!(error.message().starts_with("cannot connect to Redis at "), "{error}");
}

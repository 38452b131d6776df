//! Which cryptography TLS uses is not left to what else is in the build or to who comes first
//! (H05).

use std::env;
use std::panic::catch_unwind;

use fdv2_client::http::HttpOptions;
use fdv2_client::tls::rustls::ClientConfig;
use fdv2_client::tls::rustls::crypto::CryptoProvider;
use fdv2_tests::server::{Script, SelfSigned, Server};

use crate::again::run_again;
use crate::host::Host;
use crate::on_every_runtime;

on_every_runtime!(https_works_whoever_is_the_provider_of_the_process);

/// In a child: when another provider becomes that of the process.
const WHEN: &str = "FDV2_TEST_PROVIDER";

fn https_works_whoever_is_the_provider_of_the_process(host: Host) {
    match env::var(WHEN) {
        Ok(when) => child(&host, &when),
        Err(_) => {
            ["never", "before", "after"].into_iter().for_each(|when| run_again(&[(WHEN, when)]))
        }
    }
}

/// Nobody can do anything with it.
#[cfg(not(feature = "other-provider"))]
fn other() -> CryptoProvider {
    let ring = fdv2_client::tls::rustls::crypto::ring::default_provider();
    CryptoProvider { cipher_suites: Vec::new(), kx_groups: Vec::new(), ..ring }
}

#[cfg(feature = "other-provider")]
fn other() -> CryptoProvider {
    rustls::crypto::aws_lc_rs::default_provider()
}

fn child(host: &Host, when: &str) {
    let own = SelfSigned::new();
    let server = Server::over_tls(own.server, |_, _| Script::json("{}"));
    let fetch = || {
        let builder = HttpOptions::builder().root_certificate_der(&own.certificate);
        let fetched = host.fetch_over(builder.build().unwrap(), &server.url());
        assert_eq!((fetched.text(), fetched.end.clone()), ("{}", Ok(())));
    };
    if when == "before" {
        other().install_default().unwrap();
    }
    fetch();
    if when == "after" {
        other().install_default().unwrap();
        fetch();
    }
    assert_eq!(CryptoProvider::get_default().is_none(), when == "never");
    // That it would have mattered: who leaves it to rustls panics.
    #[expect(clippy::disallowed_methods, reason = "what everything else must not do")]
    let by_default = catch_unwind(ClientConfig::builder);
    match (cfg!(feature = "other-provider"), when) {
        (false, "never") | (true, "before" | "after") => assert!(by_default.is_ok()),
        _ => assert!(by_default.is_err()),
    }
}

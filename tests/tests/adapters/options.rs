//! What the settings of the HTTP client are made of, and what is refused: the same on every runtime.

use std::fs;

use fdv2_client::http::{HttpOptions, HttpOptionsBuilder, HttpOptionsError, Proxy};
use fdv2_client::tls::tls_config;
use fdv2_client::{Config, StartError};
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::SelfSigned;

fn refusal(builder: HttpOptionsBuilder) -> String {
    builder.build().unwrap_err().to_string()
}

/// Whether the refusal names what it is about and says what is wrong.
#[track_caller]
fn is_refused(builder: HttpOptionsBuilder, about: &str, why: &str) {
    let said = refusal(builder);
    assert!(said.contains(about) && said.contains(why), "{said:?} without {about:?} or {why:?}");
}

/// B 11.2.
#[test]
fn a_bad_root_certificate_is_a_clear_error() {
    let own = SelfSigned::new();
    let cut = own.pem.trim_end().strip_suffix("-----END CERTIFICATE-----").unwrap();
    let damaged = own.pem.replacen("MI", "!!", 1);
    let not_one = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let texts = [
        ("", "holds no certificate"),
        ("hello", "holds no certificate"),
        (own.key_pem.as_str(), "private key, and no certificate"),
        (cut, "END line is missing"),
        (damaged.as_str(), "not Base64"),
        (not_one, "bad certificate, number 1"),
    ];
    let scratch = Scratch::new();
    for (number, (text, why)) in texts.into_iter().enumerate() {
        is_refused(
            HttpOptions::builder().root_certificate_pem(text),
            "`root_certificate_pem`",
            why,
        );
        let name = format!("{number}.pem");
        fs::write(scratch.file(&name), text).unwrap();
        let file = scratch.file(&name);
        is_refused(HttpOptions::builder().root_certificate_file(file), &name, why);
    }
    let second = format!("{}{not_one}", own.pem);
    let builder = HttpOptions::builder().root_certificate_pem(second);
    is_refused(builder, "`root_certificate_pem`", "bad certificate, number 2");
    let builder = HttpOptions::builder().root_certificate_der([0x30, 0]);
    is_refused(builder, "`root_certificate_der`", "not one certificate");
}

/// B 11.2.
#[test]
fn a_file_that_cannot_be_read_is_a_clear_error() {
    let scratch = Scratch::new();
    let missing = || scratch.file("missing.pem");
    let builder = HttpOptions::builder().root_certificate_file(missing());
    is_refused(builder, "missing.pem", "cannot be read");
    let builder = HttpOptions::builder().client_certificate_files(missing(), missing());
    is_refused(builder, "missing.pem", "cannot be read");
    let builder = HttpOptions::builder().root_certificate_file(scratch.path());
    is_refused(builder, &format!("{:?}", scratch.path()), "cannot be read");
    fs::write(scratch.file("endless.pem"), vec![b'\n'; 5 << 20]).unwrap();
    let builder = HttpOptions::builder().root_certificate_file(scratch.file("endless.pem"));
    is_refused(builder, "endless.pem", "larger than");
}

/// B 11.2, 11.1.
#[test]
fn a_bad_client_certificate_is_a_clear_error_without_the_key() {
    let (own, other) = (SelfSigned::new(), SelfSigned::new());
    let damaged = own.key_pem.replacen("MI", "!!", 1);
    let encrypted = own.key_pem.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
    let garbage = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    for (key, why) in [
        ("", "no private key"),
        (own.pem.as_str(), "no private key"),
        (damaged.as_str(), "not Base64"),
        (encrypted.as_str(), "encrypted; decrypt it"),
        (garbage, "no key for the client certificate"),
        (other.key_pem.as_str(), "no key for the client certificate"),
    ] {
        let builder = HttpOptions::builder().client_certificate_pem(&own.pem, key);
        is_refused(builder.clone(), "`client_certificate_pem`", why);
        let said = format!("{} {builder:?}", refusal(builder.clone()));
        assert!(!key.lines().any(|line| line.len() > 40 && said.contains(line)), "{said}");
    }
}

/// B 11.2.
#[test]
fn settings_that_contradict_each_other_are_refused() {
    let own = SelfSigned::new();
    let builder = HttpOptions::builder;
    for one_too_many in [
        builder().only_these_roots(),
        builder().root_certificate_pem(&own.pem).dangerously_trust_any_server(),
        builder().only_these_roots().dangerously_trust_any_server(),
        builder().tls(tls_config([]).unwrap()).root_certificate_pem(&own.pem),
        builder().tls(tls_config([]).unwrap()).dangerously_trust_any_server(),
        builder().tls(tls_config([]).unwrap()).client_certificate_pem(&own.pem, &own.key_pem),
        builder().proxy("http://h:1").no_proxy(),
        builder().no_proxy_for("h"),
    ] {
        let refused = one_too_many.build().unwrap_err();
        assert!(matches!(refused, HttpOptionsError::Contradiction(_)), "{refused:?}");
    }
}

/// B 11.1, 11.2, H04.
#[test]
fn a_bad_proxy_is_a_clear_error_without_its_password() {
    for address in ["http://u:s3cr3t@h:99999", "http://u:s3c/r3t@h", "ftp://u:s3cr3t@h"] {
        let builder = HttpOptions::builder().https_proxy(address);
        let text = format!("{} {builder:?}", refusal(builder.clone()));
        assert!(text.contains("https proxy"), "{text}");
        assert!(!text.contains("s3c"), "{text}");
    }
    let proxy = Proxy::new("http://h:1").credentials("u", "s3cr3t");
    let builder = HttpOptions::builder().proxy(proxy.clone());
    let text = format!("{proxy:?} {builder:?} {:?}", builder.clone().build().unwrap());
    assert!(!text.contains("s3cr3t") && text.contains("http://h:1"), "{text}");
}

/// B 11.2: what would be without effect is an error when the client is started.
#[test]
fn an_own_client_and_settings_for_ours_are_refused() {
    let config = || Config::polling("sdk-key").build().unwrap();
    let options = || HttpOptions::builder().no_proxy().build().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let on_tokio = || fdv2_tokio::ClientBuilder::new(config()).runtime(runtime.handle().clone());
    let reqwest = fdv2_tokio::reqwest::Client::builder();
    let reqwest = reqwest.tls_backend_preconfigured(tls_config([]).unwrap()).build().unwrap();
    let backend = fdv2_smol::HyperBackend::new(options(), 1 << 16).unwrap();
    let surf = fdv2_smol::surf::Client::with_http_client(backend);
    let on_smol = || fdv2_smol::ClientBuilder::new(config());
    for refused in [
        on_tokio().http(options()).http_client(reqwest.clone()).start(),
        on_tokio().tls(tls_config([]).unwrap()).http_client(reqwest).start(),
        on_tokio().tls(tls_config([]).unwrap()).http(options()).start(),
        on_smol().http(options()).http_client(surf.clone()).start(),
        on_smol().tls(tls_config([]).unwrap()).http_client(surf).start(),
        on_smol().tls(tls_config([]).unwrap()).http(options()).start(),
    ] {
        assert!(matches!(refused, Err(StartError::Contradiction(_))));
    }
}

/// SOCKS is an error on smol, at the start and by value, without the password.
#[test]
fn a_socks_proxy_is_refused_on_smol_and_taken_on_tokio() {
    let config = || Config::polling("sdk-key").build().unwrap();
    let options = HttpOptions::builder().proxy("socks5h://u:s3cr3t@127.0.0.1").build().unwrap();
    let refused = fdv2_smol::ClientBuilder::new(config()).http(options.clone()).start();
    let Err(StartError::Transport(why)) = refused else { panic!("started") };
    assert!(why.contains("SOCKS") && why.contains("socks5h://127.0.0.1:1080"), "{why}");
    assert!(!why.contains("s3cr3t"), "{why}");
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let builder = fdv2_tokio::ClientBuilder::new(config()).runtime(runtime.handle().clone());
    assert!(builder.http(options).start().is_ok());
}

//! B 11.2: what is refused when the configuration is built.

use std::time::Duration;

use fdv2_core::config::{Config, Endpoints, Polling, Streaming};
use fdv2_core::{ConfigError, Limits};

/// B 11.2, 11.1, cases H01: the error does not show the key.
#[test]
fn a_key_that_cannot_be_a_header_value_is_refused() {
    for key in ["", "sdk-abc\n", "sdk-a b\u{7}", "sdk-\u{e9}", "a b", "\tx", "x\r\ny: z"] {
        let error = Config::streaming(key).build().unwrap_err();
        assert_eq!(error, ConfigError::SdkKey, "{key:?}");
        let shown = format!("{error} {error:?}");
        assert!(key.len() < 3 || !shown.contains(key.trim()), "{shown}");
    }
}

/// B 11.2.
#[test]
fn a_bad_base_url_is_refused() {
    let long = format!("http://a/{}", "x".repeat(9000));
    for url in [
        "::bad",
        "",
        "a",
        "ftp://a",
        "http://",
        "http://a:0",
        "http://a:99999",
        "http://a:x",
        "http://u@a",
        "http://u:p4ssw0rd@a",
        "http://:p4ssw0rd@a",
        "file:///x",
        long.as_str(),
    ] {
        let built = [
            Config::custom("k").synchronizer(Streaming::new().base_url(url)).build(),
            Config::custom("k").synchronizer(Polling::new().base_url(url)).build(),
            Config::custom("k").initializer(Polling::new().base_url(url)).build(),
            Config::streaming("k").fdv1(Polling::new().base_url(url)).build(),
            Config::streaming("k").endpoints(Endpoints::relay(url)).build(),
        ];
        for result in built {
            let error = result.expect_err(url);
            assert!(matches!(error, ConfigError::BaseUrl { .. }), "{url}: {error:?}");
            assert!(!format!("{error} {error:?}").contains("p4ssw0rd"));
        }
    }
}

/// B 11.2.
#[test]
fn contradictory_settings_are_refused() {
    for result in [
        Config::custom("k").initializer(Streaming::new()).build(),
        Config::custom("k").fdv1(Polling::new()).build(),
    ] {
        assert!(matches!(result, Err(ConfigError::Contradiction(_))), "{result:?}");
    }
}

/// B 11.2: a zero would be a hot loop or a system that receives nothing.
#[test]
fn zeros_and_absurd_durations_are_refused() {
    let zero = Duration::ZERO;
    for result in [
        Config::custom("k").synchronizer(Streaming::new().initial_retry_delay(zero)).build(),
        Config::custom("k").synchronizer(Polling::new().interval(zero)).build(),
        Config::streaming("k").adjust_timing(|timing| timing.min_poll_interval = zero).build(),
        Config::streaming("k")
            .adjust_timing(|timing| timing.fallback_after = Duration::MAX)
            .build(),
    ] {
        assert!(matches!(result, Err(ConfigError::Duration { .. })), "{result:?}");
    }
    let limits = Limits { event_bytes: 0, ..Limits::default() };
    let result = Config::streaming("k").limits(limits).build();
    assert!(matches!(result, Err(ConfigError::Limit(_))), "{result:?}");
}

/// B 11.2: and headers that cannot be sent, or are ours to set.
#[test]
fn bad_headers_are_refused() {
    for (name, value) in [
        ("", "x"),
        ("a b", "x"),
        ("x-a", "line\nbreak"),
        ("Authorization", "other"),
        ("if-none-match", "x"),
        ("host", "x"),
        ("X-LaunchDarkly-Tags", "application-id/x"),
        ("X-LaunchDarkly-Wrapper", "x"),
        ("X-LaunchDarkly-Instance-Id", "x"),
    ] {
        let result = Config::streaming("k").header(name, value).build();
        assert!(matches!(result, Err(ConfigError::Header(_))), "{name}: {result:?}");
    }
}

/// B 11.2, C 2.10: a wrapper that cannot be sent is refused, and the error says what to change.
#[test]
fn a_bad_wrapper_is_refused() {
    let error = Config::streaming("k").wrapper("name", "1\n").build().unwrap_err();
    assert_eq!(error, ConfigError::Wrapper);
    assert!(error.to_string().contains("printable ASCII"), "{error}");
}

/// B 6.8: offline needs no key.
#[test]
fn offline_needs_no_key() {
    assert!(Config::offline().build().is_ok());
}

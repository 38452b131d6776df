use std::time::Duration;

use super::*;

fn refused(builder: ConfigBuilder) -> ConfigError {
    builder.build().unwrap_err()
}

/// B 11.1, 11.2, and case H01: the key text is in no error and no Debug.
#[test]
fn a_key_that_cannot_be_a_header_is_refused_without_being_shown() {
    for key in ["sdk-s3cret\n", "sdk-s3cret b\u{7}", "sdk-s3cret-é", "", "sdk s3cret"] {
        let builder = Config::builder(key);
        assert!(!format!("{builder:?}").contains("s3cret"));
        let error = refused(builder);
        assert_eq!(error, ConfigError::SdkKey);
        assert!(!format!("{error} {error:?}").contains("s3cret"));
    }
    let config = Config::builder("sdk-s3cret").build().unwrap();
    assert!(!format!("{config:?}").contains("s3cret"));
    assert_eq!(config.sdk_key().unwrap().expose(), "sdk-s3cret");
    assert!(config.sdk_key().unwrap().header_value().is_sensitive());
}

/// B 11.2, and case H02: each bad base URL is a clear error, and a password in one never shows.
#[test]
fn a_bad_base_url_is_refused() {
    let long = format!("http://h/{}", "a".repeat(9_000));
    let bad = [
        "::bad",
        "",
        "h:1",
        "ftp://h",
        "http://",
        "http://u:s3cret@h",
        "http://h:0",
        "http://h:99999",
        "http://h/?basis=s1",
        "http://h/?x=1&b%61sis",
        "http://h/?filter=f1",
        &long,
    ];
    for url in bad {
        let error = refused(Config::builder("k").endpoints(Endpoints::relay(url)));
        assert!(matches!(error, ConfigError::BaseUrl { .. }), "{url}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("s3cret"));
        let own = Config::custom("k").synchronizer(Streaming::new().base_url(url));
        assert!(matches!(refused(own), ConfigError::BaseUrl { .. }), "{url}");
        let stream = Streaming::new().base_url(url);
        let poll = Polling::new().base_url(url);
        let shown = format!("{stream:?} {poll:?} {:?}", Endpoints::relay(url));
        assert!(!shown.contains("s3cret"));
    }
    let builder = Config::builder("k").endpoints(Endpoints::relay("http://u:s3cret@h"));
    assert!(!format!("{builder:?}").contains("s3cret"));
}

/// B 11.3, and case H02.
#[test]
fn a_base_url_may_carry_a_path_and_a_trailing_slash() {
    for (base, url) in [
        ("http://h:1", "http://h:1/sdk/stream"),
        ("http://h:1/", "http://h:1/sdk/stream"),
        ("http://h:1/relay", "http://h:1/relay/sdk/stream"),
        ("http://h:1/relay//", "http://h:1/relay/sdk/stream"),
        ("http://h:1/relay?x=1", "http://h:1/relay/sdk/stream?x=1"),
    ] {
        let config = Config::streaming("k").endpoints(Endpoints::relay(base)).build().unwrap();
        let resolved = &config.inner().synchronizers[0];
        assert_eq!(resolved.url.as_ref().unwrap().as_str(), url);
    }
}

/// A source's own base URL is its alone (case V11).
#[test]
fn each_source_has_its_own_address() {
    let config = Config::custom("k")
        .initializer(Polling::new().base_url("http://poll"))
        .synchronizer(Streaming::new().base_url("http://stream"))
        .fdv1(Polling::new().base_url("http://fdv1"))
        .build()
        .unwrap();
    let url = |resolved: &ResolvedSource| resolved.url.as_ref().unwrap().to_string();
    assert_eq!(url(&config.inner().initializers[0]), "http://poll/sdk/poll");
    assert_eq!(url(&config.inner().synchronizers[0]), "http://stream/sdk/stream");
    assert_eq!(url(config.inner().fdv1.as_ref().unwrap()), "http://fdv1/sdk/latest-all");
}

/// B 11.2.
#[test]
fn settings_that_contradict_each_other_are_refused() {
    let is_contradiction = |builder| matches!(refused(builder), ConfigError::Contradiction(_));
    assert!(is_contradiction(Config::custom("k").initializer(Streaming::new())));
    assert!(is_contradiction(Config::custom("k").fdv1(Polling::new())));
    let keyless = Config::offline().set_offline(false);
    assert!(keyless.clone().build().is_ok());
    assert!(is_contradiction(keyless.clone().synchronizer(Polling::new())));
    let keyless = keyless.synchronizer(Custom::new("c"));
    assert!(keyless.clone().build().is_ok());
    assert!(is_contradiction(keyless.fdv1(Polling::new())));
    assert!(is_contradiction(Config::builder("k").filter("f".repeat(9_000))));
}

/// B 8.2: no setting makes a hot loop.
#[test]
fn a_zero_or_endless_duration_and_a_zero_limit_are_refused() {
    for duration in [Duration::ZERO, Duration::MAX] {
        let stream = Streaming::new().initial_retry_delay(duration);
        let builder = Config::custom("k").synchronizer(stream);
        assert!(matches!(refused(builder), ConfigError::Duration { .. }));
        let builder = Config::custom("k").synchronizer(Polling::new().interval(duration));
        assert!(matches!(refused(builder), ConfigError::Duration { .. }));
        let builder = Config::builder("k").adjust_timing(|timing| timing.head = duration);
        assert!(matches!(refused(builder), ConfigError::Duration { .. }));
    }
    let limits = Limits { event_bytes: 0, ..Limits::default() };
    assert_eq!(refused(Config::builder("k").limits(limits)), ConfigError::Limit("event_bytes"));
}

/// B 11.2: our own headers cannot be set from outside, nor ones that cannot be sent; a header's
/// value is in no error.
#[test]
fn a_header_that_is_ours_or_cannot_be_sent_is_refused() {
    for (name, value) in [
        ("Authorization", "s3cret"),
        ("X-LaunchDarkly-Tags", "s3cret"),
        ("X-LaunchDarkly-Wrapper", "s3cret"),
        ("x-launchdarkly-instance-id", "s3cret"),
        ("bad name", "s3cret"),
        ("x", "s3cret\n"),
    ] {
        let error = refused(Config::builder("k").header(name, value));
        assert_eq!(error, ConfigError::Header(name.into()));
    }
    assert!(Config::builder("k").header("X-LaunchDarkly-Other", "w/1").build().is_ok());
}

fn tags(id: &str, version: &str) -> Option<String> {
    let builder = Config::builder("k").application_id(id).application_version(version);
    builder.build().unwrap().tags().map(str::to_owned)
}

/// C 2.8: a tag with another character is dropped, the other one is kept, and nothing fails.
#[test]
fn a_tag_has_letters_digits_dots_underscores_and_hyphens_only() {
    let ascii = (33..=127_u8).map(char::from);
    for character in ascii.chain(['\0', '\t', '\n', '\r', ' ', 'é', '😀', '٣', 'Ａ']) {
        let is_allowed = character.is_ascii_alphanumeric() || ['.', '_', '-'].contains(&character);
        for tag in [format!("{character}"), format!("a{character}b"), format!("ab{character}")] {
            let (first, second) = (tags(&tag, "1.0"), tags("app", &tag));
            if is_allowed {
                assert_eq!(first, Some(format!("application-id/{tag} application-version/1.0")));
                assert_eq!(second, Some(format!("application-id/app application-version/{tag}")));
            } else {
                assert_eq!(first.as_deref(), Some("application-version/1.0"), "{tag:?}");
                assert_eq!(second.as_deref(), Some("application-id/app"), "{tag:?}");
                assert_eq!(tags(&tag, &tag), None, "{tag:?}");
            }
        }
    }
}

/// C 2.8: the length limit.
#[test]
fn a_tag_has_64_characters_at_most() {
    let (longest, too_long) = ("a".repeat(64), "a".repeat(65));
    let both = format!("application-id/{longest} application-version/{longest}");
    assert_eq!(tags(&longest, &longest), Some(both));
    assert_eq!(tags(&too_long, "1").as_deref(), Some("application-version/1"));
    assert_eq!(tags("app", &too_long).as_deref(), Some("application-id/app"));
    assert_eq!(tags(&too_long, &too_long), None);
}

/// C 2.8: the 16 combinations of nothing, an empty tag, and legal ones.
#[test]
fn a_tag_that_is_absent_or_empty_is_left_out() {
    let given = [None, Some(""), Some("._-"), Some("_")];
    for (id, version) in given.iter().flat_map(|id| given.map(|version| (*id, version))) {
        let mut builder = Config::builder("k");
        let mut expected = Vec::new();
        if let Some(id) = id {
            builder = builder.application_id(id);
            expected.extend((!id.is_empty()).then(|| format!("application-id/{id}")));
        }
        if let Some(version) = version {
            builder = builder.application_version(version);
            expected
                .extend((!version.is_empty()).then(|| format!("application-version/{version}")));
        }
        let config = builder.build().unwrap();
        assert_eq!(config.tags().unwrap_or_default(), expected.join(" "));
        assert_eq!(config.tags().is_some(), !expected.is_empty());
    }
}

/// B 11.2, C 2.10: what cannot be a header is refused; without a name nothing is sent.
#[test]
fn a_wrapper_that_cannot_be_sent_is_refused() {
    for bad in ["a\nb", "a\r\nx: y", "\0", "\t", "é", "😀", "\u{7f}"] {
        for (name, version) in [(bad, ""), (bad, "1"), ("name", bad)] {
            let error = refused(Config::builder("k").wrapper(name, version));
            assert_eq!(error, ConfigError::Wrapper, "{name:?} {version:?}");
        }
        assert!(Config::builder("k").wrapper("", bad).build().is_ok());
    }
}

/// B 6.8: offline needs no SDK key.
#[test]
fn offline_needs_no_key() {
    assert!(Config::offline().build().unwrap().sdk_key().is_none());
    let with_sources = Config::offline().synchronizer(Streaming::new()).fdv1(Polling::new());
    assert!(with_sources.build().unwrap().sdk_key().is_none());
}

/// B 11.1.
#[test]
fn without_secrets_the_key_and_the_values_of_headers_are_placeholders() {
    let with = |key, value| {
        let builder = Config::builder(key).header("x-token", value).wrapper("w", "1");
        builder.application_id("app").build().unwrap()
    };
    let bare = with("sdk-s3cret", "s3cret").without_secrets();
    assert_eq!(bare, with(SdkKey::PLACEHOLDER, SdkKey::PLACEHOLDER));
    assert!(bare.headers()["x-token"].is_sensitive());
    assert_eq!(bare.tags(), Some("application-id/app"));
    assert!(Config::offline().build().unwrap().without_secrets().sdk_key().is_none());
}

/// B 6.8, 11.2: without a key only what asks no server can be configured.
#[test]
fn without_a_key_no_server_is_asked() {
    let custom = || Config::keyless().synchronizer(Custom::new("mine"));
    assert!(custom().build().unwrap().sdk_key().is_none());
    for asking in [custom().synchronizer(Polling::new()), custom().fdv1(Polling::new())] {
        assert!(matches!(refused(asking), ConfigError::Contradiction(_)));
    }
}

/// B 6.5: the best that can be reached.
#[test]
fn files_and_stores_alone_bring_nothing_refreshed() {
    let target = |builder: ConfigBuilder| builder.build().unwrap().target_availability();
    let file = || Custom::new("files").file();
    let files = || Config::keyless().initializer(file()).synchronizer(file());
    for cached in [files(), Config::daemon(), Config::offline()] {
        assert_eq!(target(cached), Availability::Cached);
    }
    assert_eq!(target(Config::builder("key").set_offline(true)), Availability::Cached);
    for refreshed in [
        Config::builder("key"),
        Config::streaming("key").initializer(file()),
        files().synchronizer(Custom::new("mine")),
    ] {
        assert_eq!(target(refreshed), Availability::Refreshed);
    }
}

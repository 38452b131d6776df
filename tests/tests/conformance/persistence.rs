//! Persistent stores: what is read of them, and when (C 4.2, 4.3).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{Database, Mocks, Payload, Sdk, Service, Setup, Stream, flag};

on_both_runtimes!(
    a_store_alone_is_read_under_the_default_prefix,
    a_store_alone_is_read_under_its_prefix,
    a_store_can_be_named_where_older_suites_name_it,
    a_flag_that_a_store_alone_does_not_hold_is_not_found,
    a_miss_is_cached_as_long_as_a_flag,
    without_a_cache_a_change_is_seen_at_once,
    a_cache_with_a_lifetime_shows_a_change_when_it_is_over,
    a_cache_for_ever_never_shows_a_change,
    a_store_counts_only_with_its_marker_while_a_source_has_brought_nothing,
    a_store_counts_no_more_once_a_source_has_brought_data,
);

const SECOND: Duration = Duration::from_secs(1);
const MODES: [u64; 2] = [0, 1];

fn initial() -> [Value; 2] {
    [flag("flag-key", 100, "fallthrough"), flag("uncached-flag-key", 100, "uncached-fallthrough")]
}

fn updated() -> Value {
    flag("flag-key", 200, "updated")
}

/// A lifetime means nothing to a cache for ever.
fn cache(mode: &str) -> Value {
    json!({ "mode": mode, "ttl": if mode == "off" { Value::Null } else { json!(1) } })
}

fn a_store_alone_is_read_under_the_default_prefix(service: &Service) {
    let database = Database::new();
    database.write("launchdarkly", &initial());
    let sdk = service.create(&database.setup(Setup::new(), None, 0, cache("off")));
    sdk.becomes("flag-key", "default", "fallthrough", SECOND);
}

fn a_store_alone_is_read_under_its_prefix(service: &Service) {
    let database = Database::new();
    let prefix = Some("custom-prefix");
    let sdk = service.create(&database.setup(Setup::new(), prefix, 0, cache("off")));
    sdk.stays("flag-key", "default", SECOND / 10);
    database.write("custom-prefix", &initial());
    sdk.becomes("flag-key", "default", "fallthrough", SECOND);
}

/// C 3.4.
fn a_store_can_be_named_where_older_suites_name_it(service: &Service) {
    let database = Database::new();
    database.write("custom-prefix", &initial());
    let store = database.store(Some("custom-prefix"), cache("off"));
    let sdk = service.create(&Setup::new().set("persistentDataStore", store));
    assert_eq!(sdk.value("flag-key"), "fallthrough");
}

/// Before there is any data, too (C 4.5).
fn a_flag_that_a_store_alone_does_not_hold_is_not_found(service: &Service) {
    let database = Database::new();
    let sdk = service.create(&database.setup(Setup::new(), None, 0, cache("off")));
    let reason = json!({ "kind": "ERROR", "errorKind": "FLAG_NOT_FOUND" });
    assert_eq!(sdk.detail("flag-key")["reason"], reason);
}

/// C 4.5.
fn a_miss_is_cached_as_long_as_a_flag(service: &Service) {
    let database = Database::new();
    let sdk = service.create(&database.setup(Setup::new(), None, 0, cache("ttl")));
    let begun = Instant::now();
    assert_eq!(sdk.value("flag-key"), "default");
    database.write("launchdarkly", &initial());
    sdk.becomes_later("flag-key", "default", "fallthrough", begun, SECOND);
}

/// Starts a client with nothing but a store, which holds the flags when it is asked first.
fn start<'a>(service: &'a Service, database: &Database, mode: u64, of_cache: &str) -> Sdk<'a> {
    let sdk = service.create(&database.setup(Setup::new(), None, mode, cache(of_cache)));
    database.write("launchdarkly", &initial());
    assert_eq!(sdk.value("flag-key"), "fallthrough");
    database.write("launchdarkly", &[updated()]);
    sdk
}

fn without_a_cache_a_change_is_seen_at_once(service: &Service) {
    for mode in MODES {
        let database = Database::new();
        let sdk = start(service, &database, mode, "off");
        assert_eq!(sdk.value("flag-key"), "updated");
    }
}

fn a_cache_with_a_lifetime_shows_a_change_when_it_is_over(service: &Service) {
    for mode in MODES {
        let database = Database::new();
        let begun = Instant::now();
        let sdk = start(service, &database, mode, "ttl");
        sdk.becomes_later("flag-key", "fallthrough", "updated", begun, SECOND);
    }
}

fn a_cache_for_ever_never_shows_a_change(service: &Service) {
    for mode in MODES {
        let database = Database::new();
        let sdk = start(service, &database, mode, "infinite");
        sdk.stays("flag-key", "fallthrough", 5 * SECOND / 4);
    }
}

/// A client with a store, and a stream that says nothing yet.
fn start_gated<'a>(
    service: &'a Service,
    database: &Database,
    mode: u64,
    of_cache: &str,
) -> (Mocks, Stream, crate::support::Endpoint, Sdk<'a>) {
    let mocks = Mocks::new();
    let stream = Stream::new(Payload::full(&[flag("flag-key", 1, "updated value")])).gated();
    let endpoint = mocks.mount(stream.handler());
    let setup = Setup::new().stream(&endpoint).can_fail(1);
    let sdk = service.create(&database.setup(setup, None, mode, cache(of_cache)));
    endpoint.request(2 * SECOND);
    (mocks, stream, endpoint, sdk)
}

fn a_store_counts_only_with_its_marker_while_a_source_has_brought_nothing(service: &Service) {
    for mode in MODES {
        for of_cache in ["off", "ttl", "infinite"] {
            let database = Database::new();
            let (_mocks, _stream, _endpoint, sdk) = start_gated(service, &database, mode, of_cache);
            database.write("launchdarkly", &initial());
            let begun = Instant::now();
            assert_eq!(sdk.value("flag-key"), "default");
            database.write_marker("launchdarkly");
            match of_cache {
                "off" => assert_eq!(sdk.value("flag-key"), "fallthrough"),
                "ttl" => sdk.becomes_later("flag-key", "default", "fallthrough", begun, SECOND),
                _ => sdk.stays("flag-key", "default", 5 * SECOND / 4),
            }
        }
    }
}

fn a_store_counts_no_more_once_a_source_has_brought_data(service: &Service) {
    for mode in MODES {
        for of_cache in ["off", "ttl", "infinite"] {
            let database = Database::new();
            database.write("launchdarkly", &initial());
            database.write_marker("launchdarkly");
            let (_mocks, stream, _endpoint, sdk) = start_gated(service, &database, mode, of_cache);
            assert_eq!(sdk.value("flag-key"), "fallthrough");
            stream.open_gate();
            sdk.becomes("flag-key", "fallthrough", "updated value", SECOND);
            database.empty();
            sdk.stays("flag-key", "updated value", SECOND / 4);
        }
    }
}

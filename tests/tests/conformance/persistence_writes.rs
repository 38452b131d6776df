//! Persistent stores: what is written to them (C 4.3, 4.4).

use std::time::Duration;

use serde_json::{Value, json};

use crate::on_both_runtimes;
use crate::support::{
    Database, Endpoint, Mocks, Payload, Sdk, Service, Setup, Stream, flag, never, soon,
};

on_both_runtimes!(
    the_first_data_replaces_what_the_store_holds,
    updates_are_written,
    updates_are_seen_at_once_with_a_store,
    an_older_or_equal_version_is_not_written,
    an_older_deletion_is_not_written_and_a_newer_one_leaves_a_tombstone,
    what_others_write_is_not_seen_once_there_is_data,
    an_emptied_database_changes_nothing,
    a_store_that_is_only_read_is_not_written,
    a_store_alone_is_not_written,
);

const SECOND: Duration = Duration::from_secs(1);
const PREFIX: &str = "launchdarkly";

fn initial() -> [Value; 2] {
    [flag("flag-key", 100, "fallthrough"), flag("uncached-flag-key", 100, "uncached-fallthrough")]
}

/// A client on a stream, with a store that is kept like memory and not cached.
struct Writing<'a> {
    database: Database,
    stream: Stream,
    sdk: Sdk<'a>,
    _mocks: Mocks,
    _endpoint: Endpoint,
}

impl<'a> Writing<'a> {
    fn start(service: &'a Service, database: Database, mode: u64, flags: &[Value]) -> Self {
        let mocks = Mocks::new();
        let stream = Stream::new(Payload::full(flags));
        let endpoint = mocks.mount(stream.handler());
        let setup = Setup::new().stream(&endpoint);
        let setup = database.setup(setup, None, mode, json!({ "mode": "off", "ttl": null }));
        let sdk = service.create(&setup);
        Self { database, stream, sdk, _mocks: mocks, _endpoint: endpoint }
    }

    fn with_one_flag(service: &'a Service, version: u64) -> Self {
        let flags = [flag("flag-key", version, "value")];
        let writing = Self::start(service, Database::new(), 1, &flags);
        writing.is_marked();
        writing
    }

    #[track_caller]
    fn is_marked(&self) {
        let is_marked = || self.database.has_marker(PREFIX).then_some(());
        soon("the marker", SECOND, is_marked);
    }

    /// The version of a flag in the database.
    fn version(&self, key: &str) -> Option<u64> {
        self.database.record(PREFIX, key)?["version"].as_u64()
    }

    #[track_caller]
    fn version_becomes(&self, key: &str, version: u64) {
        let is_written = || (self.version(key) == Some(version)).then_some(());
        soon(&format!("version {version} of {key}"), SECOND, is_written);
    }
}

fn the_first_data_replaces_what_the_store_holds(service: &Service) {
    let database = Database::new();
    database.write(PREFIX, &initial());
    let writing = Writing::start(service, database, 1, &[flag("flag-key", 1, "value")]);
    writing.is_marked();
    soon("flag-key alone", SECOND, || {
        (writing.database.keys(PREFIX) == ["flag-key"]).then_some(())
    });
    writing.version_becomes("flag-key", 1);
}

fn updates_are_written(service: &Service) {
    let writing = Writing::with_one_flag(service, 1);
    writing.stream.update(&flag("flag-key", 2, "new-value"));
    writing.version_becomes("flag-key", 2);
    let record = writing.database.record(PREFIX, "flag-key").unwrap();
    assert_eq!(
        (&record["key"], &record["variations"][0]),
        (&json!("flag-key"), &json!("new-value"))
    );
}

fn updates_are_seen_at_once_with_a_store(service: &Service) {
    let writing = Writing::with_one_flag(service, 1);
    writing.stream.update(&flag("flag-key", 2, "new-value"));
    writing.sdk.becomes("flag-key", "value", "new-value", SECOND);
}

fn an_older_or_equal_version_is_not_written(service: &Service) {
    let writing = Writing::with_one_flag(service, 1);
    writing.database.write(PREFIX, &initial());
    for (version, value) in [(1, "first"), (100, "second")] {
        writing.stream.update(&flag("flag-key", version, value));
        never("a write of what is not newer", SECOND, || {
            let record = writing.database.record(PREFIX, "flag-key").unwrap();
            record["version"] != 100 || record["variations"][0] != "fallthrough"
        });
        assert_eq!(writing.sdk.value("flag-key"), value);
    }
    writing.stream.update(&flag("flag-key", 200, "third"));
    writing.version_becomes("flag-key", 200);
    assert_eq!(writing.version("uncached-flag-key"), Some(100));
}

fn an_older_deletion_is_not_written_and_a_newer_one_leaves_a_tombstone(service: &Service) {
    let writing = Writing::with_one_flag(service, 100);
    writing.database.write(PREFIX, &initial());
    writing.stream.delete("flag-key", 1);
    writing.stream.transferred("updated", 1);
    never("a deletion that is older", SECOND, || writing.version("flag-key") != Some(100));
    writing.stream.delete("flag-key", 200);
    writing.stream.transferred("updated", 200);
    writing.version_becomes("flag-key", 200);
    let tombstone = writing.database.record(PREFIX, "flag-key").unwrap();
    assert_eq!(tombstone["deleted"], true);
    assert!(tombstone["key"] == "flag-key" || tombstone["key"] == "$deleted", "{tombstone}");
    assert_eq!(writing.version("uncached-flag-key"), Some(100));
}

fn what_others_write_is_not_seen_once_there_is_data(service: &Service) {
    let writing = Writing::with_one_flag(service, 1);
    writing.database.write(PREFIX, &initial());
    writing.sdk.stays("flag-key", "value", SECOND / 2);
    writing.sdk.stays("uncached-flag-key", "default", SECOND / 2);
}

fn an_emptied_database_changes_nothing(service: &Service) {
    let writing = Writing::with_one_flag(service, 1);
    writing.database.empty();
    writing.sdk.stays("flag-key", "value", SECOND / 2);
}

fn a_store_that_is_only_read_is_not_written(service: &Service) {
    let flags = [flag("flag-key", 1, "value")];
    let writing = Writing::start(service, Database::new(), 0, &flags);
    writing.sdk.becomes("flag-key", "default", "value", SECOND);
    never("a write", SECOND / 2, || {
        writing.database.has_marker(PREFIX) || !writing.database.keys(PREFIX).is_empty()
    });
}

/// C 4.2: whatever its mode.
fn a_store_alone_is_not_written(service: &Service) {
    for mode in [0, 1] {
        let database = Database::new();
        database.write(PREFIX, &initial());
        let cache = json!({ "mode": "off", "ttl": null });
        let sdk = service.create(&database.setup(Setup::new(), None, mode, cache));
        assert_eq!(sdk.value("flag-key"), "fallthrough");
        never("a write", SECOND / 2, || {
            database.has_marker(PREFIX)
                || database.keys(PREFIX).len() != 2
                || database.record(PREFIX, "flag-key").as_ref() != Some(&initial()[0])
        });
    }
}

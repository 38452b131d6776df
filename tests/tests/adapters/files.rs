//! Files, test data and sources of the application's own, on every runtime.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fdv2_client::config::{Custom, Polling};
use fdv2_client::core::effect::CustomError;
use fdv2_client::core::model::Kind;
use fdv2_client::core::snapshot::{ChangeSet, ChangeSetBuilder};
use fdv2_client::core::{OpenSource, Selector, SourceUpdate};
use fdv2_client::{
    Availability, Client, Config, ErrorKind, FlagChange, Initializer, NamedSource, SourceState,
    Synchronizer, TestData,
};
use fdv2_files::FileSource;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::server::{Script, Server};
use futures::stream::{self, Stream, StreamExt};

use crate::host::{Host, PATIENCE, eventually};
use crate::on_every_runtime;
use crate::wire::{flag, full, poll, value};

on_every_runtime!(
    a_reload_is_announced_once,
    a_file_that_cannot_be_used_keeps_the_data_and_says_where,
    a_bad_file_at_the_start_is_mended,
    a_file_first_then_a_poll,
    a_file_alone_makes_ready_while_the_synchronizer_is_down,
    what_a_file_brings_empties_the_selector,
    test_data_reaches_clients,
    initializers_and_synchronizers_of_the_application,
);

fn source(path: &Path) -> FileSource {
    FileSource::new([path]).check_interval(Duration::from_millis(5))
}

fn only(files: &FileSource) -> Config {
    Config::keyless().synchronizer(files.configured()).build().unwrap()
}

/// Cases M10 and L04: data without versions, written in two steps.
fn a_reload_is_announced_once(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.json");
    fs::write(&path, r#"{"flagValues":{"f1":false,"f2":1}}"#).unwrap();
    let files = source(&path);
    let config = only(&files);
    let client = host.start_named(config, files);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(false.into()));
    assert_eq!(client.availability(), Availability::Cached);
    let mut changes = client.flag_changes();
    fs::write(&path, "").unwrap();
    fs::write(&path, r#"{"flagValues":{"f1":tr"#).unwrap();
    fs::write(&path, r#"{"flagValues":{"f1":true,"f2":1}}"#).unwrap();
    assert_eq!(host.run(changes.next()), Some(FlagChange::Changed("f1".into())));
    assert_eq!(value(&client, "f1"), Some(true.into()));
    fs::write(&path, r#"{"flagValues":{"f1":true,"f2":2}}"#).unwrap();
    assert_eq!(host.run(changes.next()), Some(FlagChange::Changed("f2".into())));
}

fn error_of(client: &Client) -> String {
    let error = client.status().last_error.unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidData);
    error.message.to_string()
}

/// B 4.6.
fn a_file_that_cannot_be_used_keeps_the_data_and_says_where(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.yaml");
    fs::write(&path, "flagValues:\n  f1: 1\n").unwrap();
    let files = source(&path);
    let config = only(&files);
    let client = host.start_named(config, files);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    fs::write(&path, "flagValues:\n  f1: 2\n  f1: 3\n").unwrap();
    let is = |state| client.status().state == state;
    host.run(eventually("the fault", || is(SourceState::Interrupted)));
    let expected = format!("{}:3:3: not valid YAML: duplicate mapping key", path.display());
    assert!(error_of(&client).starts_with(&expected), "{}", error_of(&client));
    assert_eq!(value(&client, "f1"), Some(1.into()));
    fs::write(&path, "flagValues:\n  f1: 2\n").unwrap();
    host.run(eventually("the mended file", || is(SourceState::Valid)));
    assert_eq!(value(&client, "f1"), Some(2.into()));
}

/// B 4.6.
fn a_bad_file_at_the_start_is_mended(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.json");
    let files = source(&path);
    let config = only(&files);
    let client = host.start_named(config, files);
    host.run(eventually("the fault", || client.status().last_error.is_some()));
    assert_eq!(error_of(&client), format!("{}: there is no such file", path.display()));
    assert_eq!(client.status().state, SourceState::Initializing);
    fs::write(&path, r#"{"flagValues":{"f1":1}}"#).unwrap();
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
}

fn polling(server: &Server) -> Polling {
    Polling::new().base_url(server.url())
}

/// Case I04.
fn a_file_first_then_a_poll(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.json");
    fs::write(&path, r#"{"flagValues":{"f1":1}}"#).unwrap();
    let server = Server::always(Script::json(&poll(&full("s1", &[flag("f1", 2)]))));
    let files = source(&path);
    let config = Config::custom("sdk-key")
        .initializer(files.configured())
        .initializer(polling(&server))
        .build()
        .unwrap();
    let client = host.start_named(config, files);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert!(client.initialized());
    assert_eq!(value(&client, "f1"), Some(2.into()));
    assert_eq!(client.availability(), Availability::Refreshed);
    let requests = server.log().requests();
    assert!(!requests[0].target.contains("basis"), "{}", requests[0].target);
}

/// Case I04, B 6.4: with the synchronizer down, all words for ready say the same.
fn a_file_alone_makes_ready_while_the_synchronizer_is_down(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.json");
    fs::write(&path, r#"{"flagValues":{"f1":1}}"#).unwrap();
    let server = Server::always(Script::status(503));
    let files = source(&path);
    let config = Config::custom("sdk-key")
        .initializer(files.configured())
        .synchronizer(polling(&server))
        .build()
        .unwrap();
    let client = host.start_named(config, files);
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert!(client.initialized());
    assert_eq!(client.availability(), Availability::Cached);
    assert_eq!(value(&client, "f1"), Some(1.into()));
    let is = |state| client.status().state == state;
    host.run(eventually("the failure", || is(SourceState::Interrupted)));
    assert!(client.initialized());
}

/// Case P11, B 2.1: the poll that follows the file asks without the selector of the one before.
fn what_a_file_brings_empties_the_selector(host: Host) {
    let dir = Scratch::new();
    let path = dir.file("flags.json");
    fs::write(&path, r#"{"flagValues":{"f1":1}}"#).unwrap();
    let server = Server::scripted([
        Script::json(&poll(&full("s1", &[flag("f1", 2), flag("f2", 2)]))),
        Script::status(500),
        Script::json(&poll(&full("s2", &[flag("f1", 3)]))),
    ]);
    // The first poll is through long before its source could be left, which it is between the
    // second, which fails, and the next.
    let interval = Duration::from_secs(2);
    let files = source(&path);
    let config = Config::custom("sdk-key")
        .synchronizer(polling(&server).interval(interval))
        .synchronizer(files.configured())
        .adjust_timing(|timing| {
            timing.min_poll_interval = interval;
            timing.fallback_after = Duration::from_secs(1);
            timing.recovery_after = Duration::from_millis(500);
        })
        .build()
        .unwrap();
    let client = host.start_named(config, files);
    host.run(eventually("the file", || value(&client, "f1") == Some(1.into())));
    assert_eq!(value(&client, "f2"), None);
    host.run(eventually("the recovery", || value(&client, "f1") == Some(3.into())));
    let targets: Vec<_> = server.log().requests();
    let has_basis: Vec<_> =
        targets.iter().take(3).map(|request| request.target.contains("basis=s1")).collect();
    assert_eq!(has_basis, [false, true, false]);
}

fn test_data_reaches_clients(host: Host) {
    let data = TestData::new();
    data.update(data.flag("f1").value_for_all(1));
    let config = Config::keyless().synchronizer(data.configured()).build().unwrap();
    let client = host.start_named(config, data.clone());
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    assert_eq!(value(&client, "f1"), Some(1.into()));
    data.update(data.flag("f1").value_for_all(2));
    host.run(eventually("the update", || value(&client, "f1") == Some(2.into())));
}

fn all(state: &str, number: i32) -> ChangeSet {
    let mut all = ChangeSetBuilder::full();
    all.put(Kind::Flag, "f1", 1, &flag("f1", number).to_string()).unwrap();
    all.finish(Some(Selector::new(state, 1)))
}

struct First;

impl Initializer for First {
    async fn fetch(self: Arc<Self>, open: OpenSource) -> Result<ChangeSet, CustomError> {
        assert_eq!(open.basis, None);
        Ok(all("s1", 1))
    }
}

struct Failing;

impl Initializer for Failing {
    async fn fetch(self: Arc<Self>, _: OpenSource) -> Result<ChangeSet, CustomError> {
        Err(CustomError::network("not today"))
    }
}

struct Then;

impl Synchronizer for Then {
    fn updates(self: Arc<Self>, open: OpenSource) -> impl Stream<Item = SourceUpdate> + Send {
        assert_eq!(open.basis.as_ref().map(Selector::state), Some("s1"));
        stream::iter([all("s2", 2).into()]).chain(stream::pending())
    }
}

/// B 3.12.
fn initializers_and_synchronizers_of_the_application(host: Host) {
    let config = Config::keyless()
        .initializer(Custom::new("failing"))
        .initializer(Custom::new("first"))
        .synchronizer(Custom::new("then"))
        .build()
        .unwrap();
    let client = match &host {
        Host::Tokio(runtime) => fdv2_tokio::ClientBuilder::new(config)
            .runtime(runtime.handle().clone())
            .initializer("failing", Failing)
            .initializer("first", First)
            .synchronizer("then", Then)
            .start(),
        Host::Smol => fdv2_smol::ClientBuilder::new(config)
            .initializer("failing", Failing)
            .initializer("first", First)
            .synchronizer("then", Then)
            .start(),
    };
    let client = client.unwrap();
    host.run(client.wait_for_initialization(PATIENCE)).unwrap();
    host.run(eventually("the synchronizer's flag", || value(&client, "f1") == Some(2.into())));
}

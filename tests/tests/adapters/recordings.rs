//! A real client of the development server, recorded and replayed.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

use fdv2_client::config::{Endpoints, Polling, StoreMode, Streaming};
use fdv2_client::core::model::{Flag, Item};
use fdv2_client::store::Store;
use fdv2_client::{Client, Config, Tap};
use fdv2_recording::{Ending, Options, RecordError, Replayed, record, replay, replay_with};
use fdv2_server::Server;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::runtimes::eventually;
use fdv2_tests::scratch::Scratch;
use tokio::runtime::Runtime;

use crate::host::Host;
use crate::on_every_runtime;

on_every_runtime!(
    a_client_with_fallback_and_store_replays_bit_for_bit,
    a_full_disk_ends_the_recording_and_not_the_client,
    a_recording_keeps_to_its_size,
);

const SHORT: Duration = Duration::from_millis(50);

fn config(url: &str) -> Config {
    Config::custom("sdk-s3cret")
        .endpoints(Endpoints::relay(url))
        .synchronizer(Streaming::new().initial_retry_delay(SHORT))
        .synchronizer(Polling::new().interval(SHORT))
        .store(StoreMode::ReadWrite)
        .adjust_timing(|timing| {
            timing.fallback_after = 4 * SHORT;
            timing.recovery_after = 4 * SHORT;
            timing.min_poll_interval = SHORT;
            timing.max_retry_delay = SHORT;
        })
        .build()
        .unwrap()
}

/// The development server, on a runtime of its own, with its flag file.
struct Service {
    runtime: Runtime,
    server: Server,
    files: Scratch,
}

impl Service {
    fn start() -> Self {
        let files = Scratch::new();
        let flags = files.file("flags.json");
        write(&flags, 1);
        let runtime = Runtime::new().unwrap();
        let options = fdv2_server::Options::new(flags);
        let server = runtime.block_on(Server::start(options)).unwrap();
        Self { runtime, server, files }
    }

    fn edit(&self, value: u32) {
        write(&self.files.file("flags.json"), value);
    }

    fn client(&self, host: &Host, tap: Tap) -> Client {
        let config = config(&self.server.url());
        let store = Store::new(SqliteStore::new(self.files.file("store.sqlite")));
        match host {
            Host::Tokio(runtime) => {
                let builder = fdv2_tokio::ClientBuilder::new(config);
                builder.runtime(runtime.handle().clone()).store(store).tap(tap).start().unwrap()
            }
            Host::Smol => {
                fdv2_smol::ClientBuilder::new(config).store(store).tap(tap).start().unwrap()
            }
        }
    }
}

fn write(path: &Path, value: u32) {
    std::fs::write(path, format!(r#"{{"flagValues":{{"a":{value}}}}}"#)).unwrap();
}

async fn sees(client: &Client, value: u32) {
    let has_it = || {
        let is_it = |flag: &Item<Flag>| flag.text().contains(&format!("[{value}]"));
        client.snapshot().flag("a").is_some_and(|flag| is_it(flag))
    };
    eventually("the edit", has_it).await;
}

/// Edits, the stream refused until polling takes over, its return, and the end.
async fn live(service: &Service, client: &Client) {
    sees(client, 1).await;
    service.edit(2);
    sees(client, 2).await;
    service.server.refuse_streams(true);
    service.server.cut_streams();
    eventually("polling", || service.server.open_streams() == 0).await;
    service.edit(3);
    sees(client, 3).await;
    service.server.refuse_streams(false);
    eventually("the stream again", || service.server.open_streams() == 1).await;
    client.close(Client::CLOSE_TIMEOUT).await;
}

fn a_client_with_fallback_and_store_replays_bit_for_bit(host: Host) {
    let service = Service::start();
    let path = service.files.file("client.fdv2");
    let (tap, recorded) = record(File::create(&path).unwrap(), Options::default()).unwrap();
    let client = service.client(&host, tap);
    host.run(live(&service, &client));
    assert_eq!(recorded.wait().unwrap(), Ending::Closed);

    let recording = std::fs::read(&path).unwrap();
    let mut commands = Vec::new();
    let opened = fdv2_recording::Recording::open(recording.as_slice()).unwrap();
    let replayed = replay_with(opened, |step| commands.extend(step.commands.clone())).unwrap();
    assert_eq!(replayed.ending, Ending::Closed);
    let snapshot = client.snapshot();
    assert_eq!(snapshot.flag("a"), replayed.snapshot.flag("a"));
    for what in ["Fallback", "Recovery", "/sdk/stream", "/sdk/poll", "to the store", "stopped"] {
        assert!(commands.iter().any(|command| command.contains(what)), "{what}: {commands:#?}");
    }
    let text = String::from_utf8(recording).unwrap();
    assert!(!text.contains("s3cret") && !commands.concat().contains("s3cret"));
    drop(service.runtime);
}

/// Takes so many bytes, and then has no room.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0 == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let taken = bytes.len().min(self.0);
        self.0 -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn a_full_disk_ends_the_recording_and_not_the_client(host: Host) {
    let service = Service::start();
    let (tap, recorded) = record(Full(4_000), Options::default()).unwrap();
    let client = service.client(&host, tap);
    host.run(live(&service, &client));
    let Err(RecordError::Write(error)) = recorded.wait() else { panic!("there was room") };
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}

fn a_recording_keeps_to_its_size(host: Host) {
    let service = Service::start();
    let path = service.files.file("client.fdv2");
    let options = Options::default().max_size(6_000);
    let (tap, recorded) = record(File::create(&path).unwrap(), options).unwrap();
    let client = service.client(&host, tap);
    host.run(live(&service, &client));
    assert_eq!(recorded.wait().unwrap(), Ending::MaxSize);
    let recording = std::fs::read(&path).unwrap();
    assert!(recording.len() <= 6_000, "{}", recording.len());
    let Replayed { ending, events, .. } = replay(recording.as_slice()).unwrap();
    assert!(ending == Ending::MaxSize && events > 3, "{events} events, {ending:?}");
}

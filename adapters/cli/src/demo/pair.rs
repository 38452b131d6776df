//! The two clients, and what they tell.

use std::fmt::Display;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fdv2_client::config::{Endpoints, Polling, StoreMode, Streaming};
use fdv2_client::core::effect::{SourceId, SourceSwitched};
use fdv2_client::status::{SourceState, SourceStatus};
use fdv2_client::store::Store;
use fdv2_client::{Client, Config, ConfigBuilder, FlagChange};
use futures::StreamExt;
use tokio::sync::mpsc;

use crate::args::Runtime;
use crate::failure::Failure;
use crate::output::Output;

/// What is shown must happen within this time, several times what a busy machine needs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(15);

/// So many sightings wait to be looked at.
const QUEUE: usize = 1024;

/// The first member runs on tokio, the second on smol.
pub(crate) const RUNTIMES: [Runtime; 2] = [Runtime::Tokio, Runtime::Smol];

/// What a client told, and when.
#[derive(Debug)]
pub(crate) struct Sighting {
    pub(crate) runtime: Runtime,
    pub(crate) at: Instant,
    pub(crate) what: What,
}

/// What a client told.
#[derive(Debug)]
pub(crate) enum What {
    Status(SourceStatus),
    Source(SourceSwitched),
    /// A flag has this version now, or none if it is gone.
    Flag(Arc<str>, Option<u64>),
}

impl What {
    pub(crate) fn is_flag(&self, key: &str, version: u64) -> bool {
        matches!(self, Self::Flag(changed, now) if **changed == *key && *now == Some(version))
    }

    pub(crate) fn is_source(&self, id: SourceId) -> bool {
        matches!(self, Self::Source(switched) if switched.to == Some(id))
    }

    pub(crate) fn is_state(&self, state: SourceState) -> bool {
        matches!(self, Self::Status(status) if status.state == state)
    }
}

/// One client on tokio and one on smol.
pub(crate) struct Pair {
    pub(crate) clients: [Client; 2],
    sightings: mpsc::Receiver<Sighting>,
}

impl Pair {
    /// Starts both, and returns how long each took until it was ready.
    pub(crate) async fn start(
        url: &str,
        store: Option<Store>,
    ) -> Result<(Self, [Duration; 2]), Failure> {
        let started = Instant::now();
        let clients = start_both(url, store)?;
        let (sender, sightings) = mpsc::channel(QUEUE);
        for (client, runtime) in clients.iter().zip(RUNTIMES) {
            tokio::spawn(observe(client.clone(), runtime, sender.clone()));
        }
        let [a, b] = &clients;
        let ready = async |client: &Client| {
            client.wait_for_initialization(PATIENCE).await.map(|()| started.elapsed())
        };
        let (a, b) = futures::future::try_join(ready(a), ready(b))
            .await
            .map_err(|error| Failure::Failed(format!("a client did not get ready: {error}")))?;
        Ok((Self { clients, sightings }, [a, b]))
    }

    /// Waits until each client has told all of `expected`, and returns when it told the last of
    /// it. Of all that is told meanwhile, what `show` makes a line of is printed.
    pub(crate) async fn wait_for(
        &mut self,
        what: &str,
        expected: &[fn(&What) -> bool],
        output: &Output,
        mut show: impl FnMut(&Sighting) -> Option<String>,
    ) -> Result<[Instant; 2], Failure> {
        let mut waits = RUNTIMES.map(|runtime| Wait::new(runtime, expected));
        let deadline = Instant::now() + PATIENCE;
        while waits.iter().any(|wait| !wait.missing.is_empty()) {
            let next = tokio::time::timeout_at(deadline.into(), self.sightings.recv());
            let Ok(Some(sighting)) = next.await else {
                return Err(Failure::Failed(format!("waited in vain for {what}")));
            };
            waits.iter_mut().for_each(|wait| wait.see(&sighting));
            if let Some(line) = show(&sighting) {
                output.line(line).await?;
            }
        }
        Ok(waits.map(|wait| wait.last))
    }

    /// That the flags are in the store, if there is one.
    pub(crate) fn store_worked(&self) -> Result<(), Failure> {
        let broken =
            self.clients.iter().map(Client::store_status).find(|status| !status.is_available);
        let Some(status) = broken else { return Ok(()) };
        let why = status.last_error.as_deref().unwrap_or("it did not answer");
        Err(Failure::Failed(format!("the flags are not in the store: {why}")))
    }

    /// Closes both, and returns how long each took.
    pub(crate) async fn close(&self) -> [Duration; 2] {
        let [tokio, smol] = &self.clients;
        let close = async |client: &Client| {
            let begun = Instant::now();
            client.close(Client::CLOSE_TIMEOUT).await;
            begun.elapsed()
        };
        futures::future::join(close(tokio), close(smol)).await.into()
    }
}

/// Starts one client on tokio and one on smol. They share the store, if there is one.
pub(crate) fn start_both(url: &str, store: Option<Store>) -> Result<[Client; 2], Failure> {
    let failed = |error: &dyn Display| Failure::Failed(error.to_string());
    let mut config = config(url);
    if store.is_some() {
        config = config.store(StoreMode::ReadWrite);
    }
    let config = config.build().map_err(|error| failed(&error))?;
    let start = |runtime: Runtime| {
        runtime.start_locally(config.clone(), store.clone()).map_err(|error| failed(&error))
    };
    let [tokio, smol] = RUNTIMES;
    Ok([start(tokio)?, start(smol)?])
}

/// What one client has still to tell.
struct Wait {
    runtime: Runtime,
    missing: Vec<fn(&What) -> bool>,
    /// When it told the last of what was expected.
    last: Instant,
}

impl Wait {
    fn new(runtime: Runtime, expected: &[fn(&What) -> bool]) -> Self {
        Self { runtime, missing: expected.to_vec(), last: Instant::now() }
    }

    fn see(&mut self, sighting: &Sighting) {
        let before = self.missing.len();
        if sighting.runtime == self.runtime {
            self.missing.retain(|is_it| !is_it(&sighting.what));
        }
        if self.missing.len() < before {
            self.last = sighting.at;
        }
    }
}

/// The preset `default`, with all waits cut short so that the demo is.
fn config(url: &str) -> ConfigBuilder {
    let millis = Duration::from_millis;
    Config::custom("demo-key")
        .endpoints(Endpoints::relay(url))
        .initializer(Polling::new())
        .synchronizer(Streaming::new().initial_retry_delay(millis(300)))
        .synchronizer(Polling::new().interval(millis(500)))
        .fdv1(Polling::new())
        .adjust_timing(|timing| {
            timing.min_poll_interval = millis(500);
            timing.max_retry_delay = millis(1000);
            timing.fallback_after = millis(2000);
            timing.interruption_tolerated = millis(500);
            timing.recovery_after = millis(3000);
            timing.recovery_trial = millis(2000);
        })
}

/// Passes on what one client tells, until it is closed.
async fn observe(client: Client, runtime: Runtime, sender: mpsc::Sender<Sighting>) {
    let statuses = client.status_stream().map(What::Status);
    let sources = client.source_switches().map(What::Source);
    let flags = client.flag_changes().filter_map(async |change| match change {
        FlagChange::Changed(key) => {
            let version = client.snapshot().flag(&key).map(|flag| flag.version());
            Some(What::Flag(key, version))
        }
        FlagChange::Lagged(_) => None,
    });
    let all = futures::stream::select_all([statuses.boxed(), sources.boxed(), flags.boxed()]);
    let mut all = std::pin::pin!(all);
    while let Some(what) = all.next().await {
        if sender.send(Sighting { runtime, at: Instant::now(), what }).await.is_err() {
            return;
        }
    }
}

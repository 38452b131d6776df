//! `fdv2 watch`.

mod report;

use std::future;
use std::pin::pin;

use fdv2_client::config::{Endpoints, StoreMode};
use fdv2_client::core::eval::{FlagDetail, FlagDetailConfig};
use fdv2_client::{Client, Config, Context, ContextBuilder, FlagChange, SourceStatus};
use fdv2_recording::Options;
use futures::{FutureExt, StreamExt};

use crate::args::Watch;
use crate::failure::Failure;
use crate::output::Output;
use crate::record::Recording;
use crate::signal::interrupted;
use crate::words;
use report::Report;

pub(crate) async fn run(args: Watch, output: &Output) -> Result<(), Failure> {
    let usage = |what: &dyn std::fmt::Display| Failure::Usage(what.to_string());
    let context = ContextBuilder::new(&args.context).build().map_err(|error| usage(&error))?;
    let config = configure(&args).map_err(|error| usage(&error))?;
    let store = args.store.as_ref();
    let store = store.map(|name| name.open(args.store_prefix.as_deref())).transpose()?;
    let has_store = store.is_some();
    let options = Options::default().max_size(args.max_size.0).redact(args.redact);
    let recording = args.record.as_ref().map(|path| Recording::begin(path, options)).transpose()?;
    let (tap, mut recording) = recording.unzip();
    let client = args.runtime.start(config, store, tap);
    let client = client.map_err(|error| Failure::Failed(error.to_string()))?;
    let report = Report::new(output, args.json);
    let service = args.base_url.as_deref().unwrap_or("LaunchDarkly");
    report.begin(service, args.runtime).await?;
    let result = tokio::select! {
        result = follow(&client, &context, &report, has_store) => result,
        Err(failure) = tell_of_end(&mut recording, &report) => Err(failure),
        () = output.closed() => Err(Failure::OutputClosed),
        () = interrupted() => Ok(()),
    };
    client.close(Client::CLOSE_TIMEOUT).await;
    match (recording, &args.record) {
        (Some(recording), Some(path)) => result.and(recording.finish(path).await),
        _ => result,
    }
}

/// Says so when the recording ends before the client does. Goes on for ever if all is well.
async fn tell_of_end(
    recording: &mut Option<Recording>,
    report: &Report<'_>,
) -> Result<(), Failure> {
    if let Some(running) = recording {
        let why = running.ended().await;
        *recording = None;
        report.recording_ended(&why).await?;
    }
    future::pending().await
}

fn configure(args: &Watch) -> Result<Config, fdv2_client::ConfigError> {
    let mut builder = Config::builder(&args.sdk_key);
    if let Some(url) = &args.base_url {
        builder = builder.endpoints(Endpoints::relay(url));
    }
    if args.store.is_some() {
        builder = builder.store(StoreMode::ReadWrite);
    }
    builder.build()
}

/// Reports until the last status, after which nothing can follow.
async fn follow(
    client: &Client,
    context: &Context,
    report: &Report<'_>,
    has_store: bool,
) -> Result<(), Failure> {
    let mut statuses = client.status_stream();
    let mut switches = client.source_switches();
    let mut warnings = client.warnings();
    let mut changes = client.flag_changes();
    let mut stores = client.store_status_stream();
    // A store that hangs must not hold up the rest.
    let cached = cached(client, context).fuse();
    let mut cached = pin!(cached);
    // The first data may have come before there was anybody to be told of it.
    for flag in client.snapshot().flags() {
        report.flag(client, context, flag.key()).await?;
    }
    loop {
        // What belongs to one change comes in the order of B 6.3: status before flags.
        tokio::select! {
            biased;
            Some(switched) = switches.next() => report.source(&switched).await?,
            status = statuses.next() => match status {
                Some(status) => {
                    report.status(&status).await?;
                    if status.is_last {
                        return Err(given_up(&status));
                    }
                }
                None => return Err(given_up(&client.status())),
            },
            Some(status) = stores.next(), if has_store => report.store(&status).await?,
            flags = &mut cached, if has_store => report.cached(&flags).await?,
            Some(warning) = warnings.next() => report.warning(&warning).await?,
            Some(change) = changes.next() => match change {
                FlagChange::Changed(key) => report.flag(client, context, &key).await?,
                FlagChange::Lagged(count) => report.lagged(count).await?,
            },
        }
    }
}

/// What the store has, unless the service was faster.
async fn cached(client: &Client, context: &Context) -> FlagDetail {
    let flags = client.through_store().all_flags_detail(context, FlagDetailConfig::new()).await;
    if client.snapshot().is_held() { FlagDetail::default() } else { flags }
}

fn given_up(status: &SourceStatus) -> Failure {
    let why = status.last_error.as_ref().map(words::error);
    let why = why.unwrap_or_else(|| "the client has stopped".to_owned());
    Failure::Failed(format!("no source is left to ask: {why}"))
}

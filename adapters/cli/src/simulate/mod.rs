//! `fdv2 simulate`.

mod chance;
mod chart;
mod fleet;
mod result;
mod script;
mod service;

use std::thread;
use std::time::{Duration, Instant};

use fdv2_client::Config;
use fdv2_client::config::Endpoints;
use tokio::task::spawn_blocking;

use crate::args::{Mode, Simulate};
use crate::failure::Failure;
use crate::output::Output;
use crate::table;
use crate::words::{counted, took};
use fleet::Fleet;
use result::{Results, Return};
pub(crate) use script::Script;
use service::Model;

/// So long goes the simulation on behind the last part of the script, and behind the last start.
const AFTERWARDS: Duration = Duration::from_secs(300);

/// The table has about so many rows.
const ROWS: usize = 30;

pub(crate) async fn run(args: Simulate, output: &Output) -> Result<(), Failure> {
    let ramp = Duration::from_secs(args.ramp);
    let until = args.script.last().max(ramp) + AFTERWARDS;
    let chart = args.chart.as_deref().map(chart::open).transpose().map_err(Failure::Failed)?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let threads = args.threads.map_or(cores, |threads| usize::from(threads.get())).min(64);
    let fleet = Fleet {
        config: config(args.mode).map_err(|error| Failure::Failed(error.to_string()))?,
        clients: args.clients,
        ramp,
        until,
        seed: args.seed,
        threads,
        capacity: args.capacity,
    };
    let model = Model::new(args.script.clone(), args.flags, until);
    let title = format!(
        "{} ({}), {} simulated",
        counted(args.clients as usize, "client"),
        args.mode.name(),
        took(until)
    );
    output.line(format!("{title} on {}...", counted(threads, "thread"))).await?;
    let begun = Instant::now();
    let simulated = spawn_blocking(move || fleet.run(&model)).await;
    let seen = simulated.map_err(|error| Failure::Failed(error.to_string()))?;
    let events = seen.events;
    let elapsed = begun.elapsed();
    let results = Results::new(title, args.script, args.clients, seen);
    show(&results, output).await?;
    if let (Some(path), Some(file)) = (&args.chart, chart) {
        chart::write(file, &results).map_err(|error| {
            Failure::Failed(format!("{} cannot be written: {error}", path.display()))
        })?;
        output.line(format!("chart: {}", path.display())).await?;
    }
    let memory = peak_memory().map_or_else(String::new, |bytes| {
        format!(", {:.0} MB of memory at most", bytes as f64 / 1e6)
    });
    output.line(format!("{events} events in {}{memory}", took(elapsed))).await
}

fn config(mode: Mode) -> Result<Config, fdv2_client::ConfigError> {
    let builder = match mode {
        Mode::Default => Config::builder("simulated"),
        Mode::Streaming => Config::streaming("simulated"),
        Mode::Polling => Config::polling("simulated"),
    };
    builder.endpoints(Endpoints::relay("http://service")).build()
}

async fn show(results: &Results, output: &Output) -> Result<(), Failure> {
    output.line("").await?;
    let headings = ["second", "service", "requests/s", "peak", "newest data"];
    for line in table::lines(output.style, &headings, &rows(results)) {
        output.line(line).await?;
    }
    output.line("").await?;
    for back in &results.returns {
        output.line(words(back)).await?;
    }
    Ok(())
}

fn rows(results: &Results) -> Vec<Vec<String>> {
    let step = results.requests.len().div_ceil(ROWS).next_multiple_of(5).max(5);
    let pieces = results.requests.chunks(step).zip(results.fresh.chunks(step)).enumerate();
    pieces
        .map(|(index, (requests, fresh))| {
            let second = index * step;
            let service = results.script.at(Duration::from_secs(second as u64)).service;
            let mean = requests.iter().sum::<u64>() as f64 / requests.len() as f64;
            let peak = requests.iter().max().copied().unwrap_or(0);
            let fresh = fresh.last().copied().unwrap_or(0) as f64 / results.clients.max(1) as f64;
            let share = format!("{:.1}%", (fresh * 1000.0).floor() / 10.0);
            vec![
                second.to_string(),
                service.to_string(),
                format!("{mean:.1}"),
                peak.to_string(),
                share,
            ]
        })
        .collect()
}

fn words(back: &Return) -> String {
    let after = |seconds: Option<usize>| {
        seconds.map_or_else(|| "not in time".to_owned(), |seconds| format!("{seconds} s"))
    };
    let ratio = if back.mean > 0.0 { back.peak as f64 / back.mean } else { 0.0 };
    format!(
        "up again at {} s: half have the newest data after {}, 99% after {}, everyone after {}; \
         since {} s at most {} requests/s, {ratio:.1} times the mean of {:.1}",
        back.at,
        after(back.half),
        after(back.nearly_all),
        after(back.all),
        back.since,
        back.peak,
        back.mean,
    )
}

/// The most memory that this process had, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

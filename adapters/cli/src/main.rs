//! The command `fdv2`: a demonstration, a development server, a watcher of flags, and a look into
//! persistent stores.

mod answer;
mod args;
mod client;
mod demo;
mod failure;
mod output;
mod record;
mod replay;
mod serve;
mod signal;
mod simulate;
mod store;
mod style;
mod table;
mod watch;
mod words;

use std::process::ExitCode;

use clap::Parser;

use crate::args::{Args, Command};
use crate::failure::Failure;
use crate::output::Output;

fn main() -> ExitCode {
    let args = Args::parse();
    let result = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => {
            let result = runtime.block_on(run(args));
            runtime.shutdown_background();
            result
        }
        Err(error) => Err(Failure::Failed(format!("the runtime cannot be started: {error}"))),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

async fn run(args: Args) -> Result<(), Failure> {
    let (output, printer) = Output::start()?;
    let result = match args.command {
        Command::Demo(demo) => demo::run(demo, &output).await,
        Command::Serve(serve) => serve::run(serve, &output).await,
        Command::Watch(watch) => watch::run(watch, &output).await,
        Command::Simulate(simulate) => simulate::run(simulate, &output).await,
        Command::Replay(replay) => replay::run(replay, &output).await,
        Command::Store(store) => store::run(store, &output).await,
    };
    drop(output);
    match (result, printer.end().await) {
        // Why the output is closed is known at its end.
        (Err(Failure::OutputClosed), end) => end,
        (result, end) => result.and(end),
    }
}

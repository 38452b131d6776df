//! `fdv2 replay`.

use std::fs::File;
use std::io::{self, BufReader};

use fdv2_client::core::Instant;
use fdv2_recording::{Recording, Replay, Step};
use tokio::task::spawn_blocking;

use crate::args;
use crate::failure::Failure;
use crate::output::Output;
use crate::words::counted;

pub(crate) async fn run(args: args::Replay, output: &Output) -> Result<(), Failure> {
    let name = args.file.display().to_string();
    let failed = |why: &dyn std::fmt::Display| Failure::Failed(format!("{name}: {why}"));
    let file = File::open(&args.file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failed(&"there is no such file"),
        _ => failed(&error),
    })?;
    let opened = spawn_blocking(|| Recording::open(BufReader::new(file))).await;
    let opened = opened.map_err(|error| failed(&error))?;
    let mut recording = opened.map_err(|damage| failed(&damage))?;
    let begin = format!(
        "{name}: recorded by {}, seed {}{}",
        recording.writer(),
        recording.seed(),
        if recording.is_redacted() { ", redacted" } else { "" },
    );
    output.line(begin).await?;
    let mut replay = Replay::new(recording.config().clone(), recording.seed());
    let (mut events, mut until, mut digest) = (0, Instant::EPOCH, String::new());
    for entry in recording.by_ref() {
        let step = replay.step(entry.map_err(|damage| failed(&damage))?);
        if !args.quiet || !step.is_same() {
            show(&step, output).await?;
        }
        if !step.is_same() {
            return Err(failed(&differs(&step)));
        }
        events += 1;
        (until, digest) = (step.at, step.digest);
    }
    let snapshot = replay.system().snapshot();
    let same = output.style.green("the same, bit for bit");
    let ending = recording.ending().map_or("", fdv2_recording::Ending::words);
    let end = [
        format!("{} in {} replayed: {same}", counted(events, "event"), seconds(until).trim()),
        format!("data: revision {}, {} items", snapshot.revision(), snapshot.objects()),
        format!("digest of all commands: {digest}"),
        format!("the recording ended: {ending}"),
    ];
    for line in end {
        output.line(line).await?;
    }
    Ok(())
}

async fn show(step: &Step, output: &Output) -> Result<(), Failure> {
    let style = output.style;
    output.line(format!("{}  {}", style.dim(seconds(step.at)), style.bold(&step.event))).await?;
    for command in &step.commands {
        output.line(format!("{:16}{command}", "")).await?;
    }
    Ok(())
}

fn differs(step: &Step) -> String {
    format!(
        "the event on line {} differs: {}; what the client says to it is not what it said when it \
         was recorded (digest {}, recorded {})",
        step.line, step.event, step.digest, step.recorded
    )
}

fn seconds(at: Instant) -> String {
    format!("{:12.3} s", at.since_epoch().as_secs_f64())
}

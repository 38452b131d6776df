//! What the demo shows, step by step.

use std::time::{Duration, Instant};

use fdv2_client::core::effect::SourceId;
use fdv2_client::store::Store;
use fdv2_client::{Context, ContextBuilder, SourceState};
use fdv2_server::{Options, Server};
use serde_json::{Value, json};

use super::pair::{PATIENCE, Pair, RUNTIMES, What};
use super::sample::Sample;
use super::timeline::Timeline;
use crate::answer::Answer;
use crate::failure::Failure;
use crate::output::Output;
use crate::table;
use crate::words::{self, took};

const STREAMING: SourceId = SourceId::Synchronizer(0);
const POLLING: SourceId = SourceId::Synchronizer(1);

/// The flags of the sample file.
pub(super) const FLAGS: [&str; 5] =
    ["banner", "checkout", "dark-mode", "new-search", "upload-limit-mb"];

/// How often the server is asked whether the streams are open.
const GLANCE: Duration = Duration::from_millis(5);

/// Everything that the steps share.
struct Story<'a> {
    output: &'a Output,
    sample: Sample,
    server: Server,
    pair: Pair,
    anna: Context,
    ben: Context,
}

/// Tells the whole story.
pub(super) async fn tell(output: &Output, store: Option<Store>) -> Result<(), Failure> {
    let begun = Instant::now();
    output.line("fdv2 demo: feature flags, live, on two async runtimes in one process.").await?;
    let mut story = Story::begin(output, store).await?;
    story.evaluate().await?;
    story.edit().await?;
    story.fail_and_fall_back().await?;
    story.recover().await?;
    story.close().await?;
    let (style, fdv2) = (output.style, words::command());
    let watch = format!("{fdv2} watch --sdk-key any --base-url http://127.0.0.1:8030");
    output.line(String::new()).await?;
    let took = took(begun.elapsed());
    output.line(format!("Done in {took}. Next, with flags of your own, in two terminals:")).await?;
    output.line(format!("   {}", style.bold(format!("{fdv2} serve flags.json")))).await?;
    output.line(format!("   {}", style.bold(watch))).await
}

impl<'a> Story<'a> {
    async fn begin(output: &'a Output, store: Option<Store>) -> Result<Self, Failure> {
        heading(output, 1, "A flag server starts on this machine").await?;
        let sample = Sample::create()?;
        let server = Server::start(Options::new(sample.path()))
            .await
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let flags = words::counted(server.flags(), "flag");
        let file = sample.path().display();
        output.line(format!("   {} serves the {flags} of {file}", server.url())).await?;

        heading(output, 2, "Two clients connect to it, one on tokio and one on smol").await?;
        let (pair, ready) = Pair::start(&server.url(), store).await?;
        for (runtime, ready) in RUNTIMES.into_iter().zip(ready) {
            output.line(format!("   {runtime:<5}  ready after {}", took(ready))).await?;
        }
        let anna = person("anna", "pro")?;
        let ben = person("ben", "free")?;
        let story = Self { output, sample, server, pair, anna, ben };
        story.streams_open().await?;
        Ok(story)
    }

    async fn evaluate(&self) -> Result<(), Failure> {
        heading(self.output, 3, "Flags are evaluated, each in memory").await?;
        self.say(&["anna is a beta tester on the plan \"pro\", ben is new and on \"free\".", ""])
            .await?;
        let rows = FLAGS.map(|key| {
            let [anna, ben] = [&self.anna, &self.ben].map(|context| self.answer(context, key));
            let cells = [key.to_owned(), value(&anna), why(&anna), value(&ben), why(&ben)];
            cells.to_vec()
        });
        let titles = ["flag", "for anna", "because", "for ben", "because"];
        let table = table::lines(self.output.style, &titles, &rows);
        self.say(&table.iter().map(String::as_str).collect::<Vec<_>>()).await?;
        let [tokio, smol] = &self.pair.clients;
        let is_alike = FLAGS.iter().all(|key| {
            [&self.anna, &self.ben]
                .iter()
                .all(|context| Answer::of(tokio, context, key) == Answer::of(smol, context, key))
        });
        if !is_alike {
            return Err(Failure::Failed("the two clients give different answers".to_owned()));
        }
        self.say(&[
            "",
            "checkout is \"one page\" for half of all users. Both clients give these answers.",
        ])
        .await
    }

    async fn edit(&mut self) -> Result<(), Failure> {
        let title = "Somebody edits the file: dark-mode goes on for everybody";
        heading(self.output, 4, title).await?;
        let edited = self.save("/flags/dark-mode/fallthrough/variation", json!(0))?;
        self.tell_edit(edited, |what| what.is_flag("dark-mode", 2), "").await?;
        let [mode, search] =
            ["dark-mode", "new-search"].map(|key| value(&self.answer(&self.ben, key)));
        let now = format!("ben now gets dark-mode = {mode}, and new-search = {search},");
        self.say(&[&now, "which depends on it."]).await
    }

    async fn fail_and_fall_back(&mut self) -> Result<(), Failure> {
        let title = "The network fails: both streams are cut, and new ones refused";
        heading(self.output, 5, title).await?;
        self.say(&[
            "The demo cuts the waits short: a stream that fails for 2 s (by default 120 s) is",
            "left for polling, and tried again after 3 s (by default 300 s) of health.",
            "",
        ])
        .await?;
        self.server.refuse_streams(true);
        self.server.cut_streams();
        let expected: [fn(&What) -> bool; 3] = [
            |what| what.is_state(SourceState::Interrupted),
            |what| what.is_source(POLLING),
            |what| what.is_state(SourceState::Valid),
        ];
        self.show_until("the fallback to polling", &expected).await?;
        let mode = value(&self.answer(&self.ben, "dark-mode"));
        let steady = format!("Evaluation never noticed: ben still gets dark-mode = {mode}.");
        self.say(&["", &steady, "An edit arrives by polling meanwhile (banner goes on):"]).await?;
        self.switch_banner_on().await
    }

    async fn recover(&mut self) -> Result<(), Failure> {
        heading(self.output, 6, "The network is back, and so are the streams").await?;
        self.server.refuse_streams(false);
        self.show_until("the recovery", &[|what| what.is_source(STREAMING)]).await?;
        self.streams_open().await?;
        self.say(&["", "Edits arrive at once again (banner goes off):"]).await?;
        self.switch_banner_off().await
    }

    async fn close(self) -> Result<(), Failure> {
        heading(self.output, 7, "Everything closes").await?;
        let took_each = self.pair.close().await;
        for (runtime, closing) in RUNTIMES.into_iter().zip(took_each) {
            self.say(&[&format!("{runtime:<5}  closed after {}", took(closing))]).await?;
        }
        self.server.stop().await;
        self.pair.store_worked()
    }

    /// Edits the banner for the first time.
    async fn switch_banner_on(&mut self) -> Result<(), Failure> {
        let edited = self.save("/flags/banner/on", json!(true))?;
        self.tell_edit(edited, |what| what.is_flag("banner", 2), ", by polling").await
    }

    /// Edits the banner for the second time.
    async fn switch_banner_off(&mut self) -> Result<(), Failure> {
        let edited = self.save("/flags/banner/on", json!(false))?;
        self.tell_edit(edited, |what| what.is_flag("banner", 3), ", by streaming").await
    }

    /// Edits the file, and returns when.
    fn save(&self, pointer: &str, value: Value) -> Result<Instant, Failure> {
        let now = Instant::now();
        self.sample.edit(pointer, value)?;
        Ok(now)
    }

    /// Waits until both clients have told of an edit, and says after how long.
    async fn tell_edit(
        &mut self,
        edited: Instant,
        is_it: fn(&What) -> bool,
        how: &str,
    ) -> Result<(), Failure> {
        let seen = self.pair.wait_for("an edit", &[is_it], self.output, |_| None).await?;
        for (runtime, seen) in RUNTIMES.into_iter().zip(seen) {
            let after = took(seen.saturating_duration_since(edited));
            self.say(&[&format!("{runtime:<5}  saw it after {after}{how}")]).await?;
        }
        Ok(())
    }

    /// What the client on tokio gives. That on smol gives the same, as was checked.
    fn answer(&self, context: &Context, key: &str) -> Option<Answer> {
        let [tokio, _] = &self.pair.clients;
        Answer::of(tokio, context, key)
    }

    /// Waits until both clients have a stream.
    async fn streams_open(&self) -> Result<(), Failure> {
        let begun = Instant::now();
        while self.server.open_streams() < RUNTIMES.len() {
            if begun.elapsed() > PATIENCE {
                return Err(Failure::Failed("waited in vain for the streams".to_owned()));
            }
            tokio::time::sleep(GLANCE).await;
        }
        Ok(())
    }

    /// Prints what the clients go through until both have told all of `expected`.
    async fn show_until(
        &mut self,
        what: &str,
        expected: &[fn(&What) -> bool],
    ) -> Result<(), Failure> {
        let mut timeline = Timeline::new(self.output.style);
        let show = |sighting: &_| timeline.line(sighting);
        self.pair.wait_for(what, expected, self.output, show).await.map(drop)
    }

    async fn say(&self, lines: &[&str]) -> Result<(), Failure> {
        for line in lines {
            let line = format!("   {line}");
            self.output.line(line.trim_end()).await?;
        }
        Ok(())
    }
}

pub(super) async fn heading(output: &Output, number: u8, title: &str) -> Result<(), Failure> {
    let title = format!("{number}. {title}");
    output.line("").await?;
    output.line(output.style.bold(title).to_string()).await
}

pub(super) fn person(name: &str, plan: &str) -> Result<Context, Failure> {
    let context = ContextBuilder::new(name).set_string("plan", plan).build();
    context.map_err(|error| Failure::Failed(error.to_string()))
}

fn value(answer: &Option<Answer>) -> String {
    answer.as_ref().map_or_else(|| "missing".to_owned(), |answer| answer.value.to_string())
}

fn why(answer: &Option<Answer>) -> String {
    answer.as_ref().map(|answer| words::reason(&answer.reason)).unwrap_or_default()
}

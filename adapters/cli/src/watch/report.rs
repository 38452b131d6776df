//! What `fdv2 watch` prints: lines for people, or JSON.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use fdv2_client::core::effect::SourceSwitched;
use fdv2_client::core::eval::FlagDetail;
use fdv2_client::status::{SourceState, SourceStatus, StoreStatus};
use fdv2_client::{Client, Context, Warning};
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::args::Runtime;
use crate::failure::Failure;
use crate::output::Output;
use crate::words;

/// Prints in one of the two forms.
pub(crate) struct Report<'a> {
    output: &'a Output,
    is_json: bool,
    started: Instant,
}

impl<'a> Report<'a> {
    pub(crate) fn new(output: &'a Output, is_json: bool) -> Self {
        Self { output, is_json, started: Instant::now() }
    }

    pub(crate) async fn begin(&self, service: &str, runtime: Runtime) -> Result<(), Failure> {
        if self.is_json {
            return Ok(());
        }
        self.output.line(format!("Watching {service} on {runtime}. Ctrl-C ends.")).await
    }

    pub(crate) async fn status(&self, status: &SourceStatus) -> Result<(), Failure> {
        let state = words::state(status.state);
        if self.is_json {
            let error = status.last_error.as_ref().map(|error| {
                json!({
                    "kind": words::error_kind(error.kind),
                    "status": error.status,
                    "message": &*error.message,
                })
            });
            return self.json(json!({ "type": "status", "state": state, "error": error })).await;
        }
        let style = self.output.style;
        let state = match status.state {
            SourceState::Valid => style.green(state),
            SourceState::Initializing => style.dim(state),
            SourceState::Interrupted | SourceState::Off => style.red(state),
        };
        // The last error is kept for the record when all is well again.
        let error = status.last_error.as_ref().filter(|_| status.state != SourceState::Valid);
        let error = error.map(|error| format!("  {}", words::error(error))).unwrap_or_default();
        self.line("status", format!("{state}{error}")).await
    }

    pub(crate) async fn source(&self, switched: &SourceSwitched) -> Result<(), Failure> {
        let (source, why) = (words::source(switched.to), words::switch(switched.why));
        if self.is_json {
            return self.json(json!({ "type": "source", "source": source, "why": why })).await;
        }
        self.line("source", format!("{source}  ({why})")).await
    }

    pub(crate) async fn flag(
        &self,
        client: &Client,
        context: &Context,
        key: &str,
    ) -> Result<(), Failure> {
        let answer = Answer::of(client, context, key);
        if self.is_json {
            return self.json(flag_json(key, answer.as_ref())).await;
        }
        let text = match answer {
            Some(Answer { value, version, reason, .. }) => {
                let value = self.output.style.bold(value);
                format!("{key} = {value}  (version {version}, {})", words::reason(&reason))
            }
            None => format!("{key} {}", self.output.style.red("deleted")),
        };
        self.line("flag", text).await
    }

    pub(crate) async fn warning(&self, warning: &Warning) -> Result<(), Failure> {
        let warning = warning.to_string();
        if self.is_json {
            return self.json(json!({ "type": "warning", "message": warning })).await;
        }
        self.line("warned", warning).await
    }

    pub(crate) async fn store(&self, status: &StoreStatus) -> Result<(), Failure> {
        let error = status.last_error.as_deref().filter(|_| !status.is_available);
        if self.is_json {
            let available = status.is_available;
            let object = json!({
                "type": "store", "available": available, "stale": status.is_stale, "error": error,
                "unreadable": status.unreadable.as_deref(),
            });
            return self.json(object).await;
        }
        let mut text = match error {
            Some(error) => format!("{}  {error}", self.output.style.red("unavailable")),
            None => self.output.style.green("available").to_string(),
        };
        if let Some(unreadable) = &status.unreadable {
            text.push_str(&format!("  ({unreadable})"));
        }
        self.line("store", text).await
    }

    /// What the store has from the time before.
    pub(crate) async fn cached(&self, flags: &FlagDetail) -> Result<(), Failure> {
        for flag in flags.flags() {
            let (key, value) = (flag.key(), flag.value().unwrap_or(&Value::Null));
            if self.is_json {
                self.json(json!({ "type": "cached", "key": key, "value": value })).await?;
            } else {
                self.line("cached", format!("{key} = {}", self.output.style.bold(value))).await?;
            }
        }
        Ok(())
    }

    /// The recording is over, and the client goes on.
    pub(crate) async fn recording_ended(&self, why: &str) -> Result<(), Failure> {
        if self.is_json {
            return self.json(json!({ "type": "recording", "ended": why })).await;
        }
        self.line("record", format!("the recording has ended: {why}")).await
    }

    pub(crate) async fn lagged(&self, change_sets: u64) -> Result<(), Failure> {
        if self.is_json {
            return self.json(json!({ "type": "lagged", "changeSets": change_sets })).await;
        }
        let what = words::counted(usize::try_from(change_sets).unwrap_or(usize::MAX), "change set");
        self.line("lagged", format!("{what} missed; any flag may have changed")).await
    }

    async fn line(&self, what: &str, text: String) -> Result<(), Failure> {
        let at = format!("{:9.3} s", self.started.elapsed().as_secs_f64());
        self.output.line(format!("{}  {what:<6}  {text}", self.output.style.dim(at))).await
    }

    /// Prints the object with the time, in milliseconds since 1970.
    async fn json(&self, mut object: Value) -> Result<(), Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        if let Some(members) = object.as_object_mut() {
            let millis = u64::try_from(now.as_millis()).unwrap_or(u64::MAX);
            members.insert("at".to_owned(), millis.into());
        }
        self.output.line(object.to_string()).await
    }
}

fn flag_json(key: &str, answer: Option<&Answer>) -> Value {
    match answer {
        Some(answer) => json!({
            "type": "flag",
            "key": key,
            "deleted": false,
            "version": answer.version,
            "value": answer.value,
            "variationIndex": answer.variation_index,
            "reason": answer.reason,
        }),
        None => json!({ "type": "flag", "key": key, "deleted": true }),
    }
}

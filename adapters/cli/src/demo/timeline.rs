//! What two clients go through, line by line.

use std::time::Instant;

use fdv2_client::status::SourceState;

use super::pair::{Sighting, What};
use crate::args::Runtime;
use crate::style::Style;
use crate::words;

/// Changes of state and source, with the time since the beginning of a step.
pub(crate) struct Timeline {
    style: Style,
    begun: Instant,
    /// What was told already: each state is told once a client, however often its error changes.
    states: Vec<(Runtime, SourceState)>,
}

impl Timeline {
    pub(crate) fn new(style: Style) -> Self {
        Self { style, begun: Instant::now(), states: Vec::new() }
    }

    /// The line for a change of state or source.
    pub(crate) fn line(&mut self, sighting: &Sighting) -> Option<String> {
        let style = self.style;
        let what = match &sighting.what {
            What::Status(status) => {
                let now = (sighting.runtime, status.state);
                if self.states.contains(&now) {
                    return None;
                }
                self.states.push(now);
                match status.state {
                    SourceState::Valid => style.green("VALID").to_string(),
                    state => {
                        let error = status.last_error.as_ref().map(words::error);
                        let error = error.map(|error| format!("  {error}")).unwrap_or_default();
                        format!("{}{error}", style.red(words::state(state)))
                    }
                }
            }
            What::Source(switched) => format!("now {}", words::source(switched.to)),
            What::Flag(..) => return None,
        };
        let at =
            format!("{:5.2} s", sighting.at.saturating_duration_since(self.begun).as_secs_f64());
        Some(format!("   {}  {:<5}  {what}", style.dim(at), sighting.runtime))
    }
}

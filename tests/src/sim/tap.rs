//! Reads along what a source says, to know when a transfer is complete: naively, and apart from
//! the core.

use fdv2_core::effect::SourceUpdate;
use fdv2_core::{Effect, EffectId, Event, Outcome};

/// So much of a line is looked at: the name of an event is short.
const LOOKED_AT: usize = 64;

/// What is known of the live attempt.
#[derive(Clone, Debug, Default)]
pub(super) struct Tap {
    attempt: Option<(EffectId, Speech)>,
}

#[derive(Clone, Debug)]
enum Speech {
    /// A stream that has come so far.
    Stream(Lines),
    /// A body that counts once it has ended.
    Body,
    /// A custom source.
    Custom,
}

impl Tap {
    /// An effect was started.
    pub(super) fn open(&mut self, id: EffectId, effect: &Effect) {
        let speech = match effect {
            Effect::Request(request) if request.0.uri().path().ends_with("/sdk/stream") => {
                Speech::Stream(Lines::default())
            }
            // A redirect leads anywhere: what is spoken stays the same.
            Effect::Request(request) if !request.0.uri().path().contains("/sdk/") => {
                match self.attempt.take() {
                    Some((_, Speech::Stream(_))) => Speech::Stream(Lines::default()),
                    _ => Speech::Body,
                }
            }
            Effect::Request(_) => Speech::Body,
            Effect::OpenSource(_) => Speech::Custom,
            Effect::WriteStore(_) | Effect::ProbeStore => return,
        };
        self.attempt = Some((id, speech));
    }

    /// How many transfers this event completes at most.
    pub(super) fn completed_by(&mut self, event: &Event) -> usize {
        let Event::Effect { id, outcome } = event else { return 0 };
        let Some((live, speech)) = &mut self.attempt else { return 0 };
        if live != id {
            return 0;
        }
        match (speech, outcome) {
            (Speech::Stream(lines), Outcome::ResponseChunk(bytes)) => lines.transfers_in(bytes),
            (Speech::Body, Outcome::ResponseEnd(Ok(()))) => 1,
            (Speech::Custom, Outcome::SourceUpdate(SourceUpdate::ChangeSet(_))) => 1,
            _ => 0,
        }
    }
}

/// The lines of a stream.
#[derive(Clone, Debug, Default)]
struct Lines {
    line: Vec<u8>,
    was_cr: bool,
    is_transferred: bool,
}

impl Lines {
    fn transfers_in(&mut self, mut bytes: &[u8]) -> usize {
        let mut transfers = 0;
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.was_cr) && *first == b'\n' {
                bytes = bytes.get(1..).unwrap_or_default();
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n'));
            let (line, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            let room = LOOKED_AT - self.line.len();
            self.line.extend_from_slice(line.get(..room).unwrap_or(line));
            let Some((end, rest)) = rest.split_first() else { break };
            self.was_cr = *end == b'\r';
            transfers += usize::from(self.end_line());
            bytes = rest;
        }
        transfers
    }

    /// Whether an event ended that completes a transfer.
    fn end_line(&mut self) -> bool {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return std::mem::take(&mut self.is_transferred);
        }
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if let Some(name) = line.strip_prefix(b"event:") {
            let name = name.strip_prefix(b" ").unwrap_or(name);
            self.is_transferred = name == b"payload-transferred";
        }
        false
    }
}

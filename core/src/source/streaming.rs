//! The body of a stream.

use bytes::Bytes;

use super::directive::Directive;
use super::exchange::{Exchange, Told};
use super::{End, Failure, Look, Report};
use crate::snapshot::{Commit, Garbage};
use crate::sse::{Frame, Parser};
use crate::time::Instant;

/// What has come of a stream, and what it means so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamResponse {
    parser: Parser,
    exchange: Exchange,
    /// The last progress, or the opening of the transfer if that is later.
    progress: Instant,
    /// Bytes came in that were not yet looked at for progress.
    has_input: bool,
    /// The event that was read last belongs to a transfer.
    is_at_transfer: bool,
    /// How the attempt ends, where something was to be reported before: a goodbye's directive,
    /// what a salvage applied, or the progress that invalid data was.
    end: Option<End>,
}

impl StreamResponse {
    pub(crate) fn new(carries_basis: bool, look: Look<'_>) -> Self {
        Self {
            parser: Parser::new(look.limits.event_bytes),
            exchange: Exchange::new(carries_basis, look),
            progress: look.now,
            has_input: false,
            is_at_transfer: false,
            end: None,
        }
    }

    pub(crate) fn push(&mut self, bytes: Bytes) {
        self.has_input = true;
        self.parser.push(bytes);
    }

    pub(crate) fn open_progress(&self) -> Option<Instant> {
        self.is_open().then_some(self.progress)
    }

    fn is_open(&self) -> bool {
        self.exchange.is_open()
    }

    /// Whether its end follows from what was last reported.
    pub(crate) fn is_ending(&self) -> bool {
        self.end.is_some()
    }

    pub(crate) fn into_garbage(self) -> Garbage {
        self.exchange.into_garbage()
    }

    /// The next report of the frames that are complete; last, whether an unfinished one grew.
    pub(crate) fn next_report(&mut self, look: Look<'_>) -> Option<Report> {
        if let Some(end) = self.end.take() {
            return Some(Report::Ended(end));
        }
        loop {
            if let Some(aside) = self.exchange.next_aside() {
                return Some(aside);
            }
            match self.read(look) {
                Ok(Some(Read::Event(told))) => {
                    if let Some(report) = self.report(told, look.now) {
                        return Some(report);
                    }
                }
                Ok(Some(Read::Skipped)) => return Some(self.on_progress(look.now)),
                Ok(Some(Read::Retry(report))) => return Some(report),
                Ok(Some(Read::Comment)) => {}
                Ok(None) => return self.partial_progress(look.now),
                Err(failure) => return Some(self.failed(failure, look.now)),
            }
        }
    }

    fn read(&mut self, look: Look<'_>) -> Result<Option<Read>, Failure> {
        match self.parser.next() {
            Ok(Some(Frame::Event { name, data })) => {
                let is_of_transfer = is_of_transfer(name);
                self.is_at_transfer = is_of_transfer;
                let told = self.exchange.on_event(look, name, data)?;
                let is_skipped = told == Told::Nothing && is_of_transfer && self.is_open();
                Ok(Some(if is_skipped { Read::Skipped } else { Read::Event(told) }))
            }
            Ok(Some(Frame::Retry(delay))) => Ok(Some(Read::Retry(Report::RetryDelay(delay)))),
            Ok(Some(Frame::Comment)) => Ok(Some(Read::Comment)),
            Ok(None) => Ok(None),
            Err(error) => {
                let name = self.parser.open_event().and_then(|event| event.name);
                self.is_at_transfer = name.is_some_and(is_of_transfer);
                Err(Failure::invalid_data(error.to_string()))
            }
        }
    }

    /// The bytes of an event that proves to be invalid were progress like those of any other: where
    /// they were cut changes nothing (B 1.16).
    fn failed(&mut self, failure: Failure, now: Instant) -> Report {
        if !self.is_at_transfer || !self.is_open() {
            return failure.into();
        }
        self.end = Some(End::Failed(failure));
        self.on_progress(now)
    }

    fn report(&mut self, told: Told, now: Instant) -> Option<Report> {
        match told {
            Told::Nothing => None,
            Told::Opened => {
                self.progress = now;
                None
            }
            Told::Collected => Some(self.on_progress(now)),
            Told::Unchanged => Some(Report::Unchanged),
            Told::Completed(commit) => Some(self.completed(commit)),
            Told::Aborted => Some(Report::Aborted),
            Told::Goodbye(directive) => Some(self.goodbye(directive)),
        }
    }

    /// What was salvaged is applied, and is invalid data all the same (B 1.15).
    fn completed(&mut self, commit: Commit) -> Report {
        self.end = commit.salvaged.clone().map(|error| End::Failed(error.into()));
        Report::Committed(commit)
    }

    fn goodbye(&mut self, directive: Option<Directive>) -> Report {
        match directive {
            Some(directive) => {
                self.end = Some(End::Goodbye);
                Report::Directed(directive)
            }
            None => Report::Ended(End::Goodbye),
        }
    }

    /// While a transfer is open, each byte of an event that belongs to it is progress.
    fn partial_progress(&mut self, now: Instant) -> Option<Report> {
        let has_input = std::mem::take(&mut self.has_input);
        let has_grown = self
            .parser
            .open_event()
            .is_some_and(|event| event.fresh > 0 && event.name.is_some_and(is_of_transfer));
        (has_input && has_grown && self.is_open()).then(|| self.on_progress(now))
    }

    fn on_progress(&mut self, now: Instant) -> Report {
        self.progress = now;
        Report::Progress
    }
}

/// Whether an event of this name belongs to the transfer that is open.
fn is_of_transfer(name: &str) -> bool {
    matches!(name, "put-object" | "delete-object" | "payload-transferred")
}

enum Read {
    Event(Told),
    /// It belongs to the open transfer, but is of a kind that this version does not know.
    Skipped,
    Retry(Report),
    Comment,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::snapshot::Snapshot;

    const INTENT: &str =
        "event: server-intent\ndata: {\"payloads\":[{\"intentCode\":\"xfer-full\"}]}\n\n";
    const UNKNOWN_KIND: &str =
        "event: put-object\ndata: {\"kind\":\"new\",\"key\":\"k\",\"object\":{}}\n\n";

    const INVALID: &str = "event: put-object\ndata: []\n\n";

    /// Whether the second of these chunks brings progress.
    fn is_progress(chunks: [&'static str; 2]) -> bool {
        let (held, limits) = (Arc::<Snapshot>::default(), Limits::default());
        let look = Look { now: Instant::EPOCH, held: &held, limits: &limits, may_salvage: true };
        let mut stream = StreamResponse::new(false, look);
        let reports = chunks.map(|chunk| {
            stream.push(Bytes::from_static(chunk.as_bytes()));
            std::iter::from_fn(|| stream.next_report(look)).collect::<Vec<_>>()
        });
        reports[1].contains(&Report::Progress)
    }

    /// "Progress" in the rules, and B 1.16: in an open transfer each of its bytes, however they
    /// are cut and whatever they are about.
    #[test]
    fn all_that_belongs_to_an_open_transfer_is_progress() {
        let (head, _) = UNKNOWN_KIND.split_at(30);
        let more = ["event: payload-transferred\ndata: {\"sta", "event: put-object\n", INVALID];
        for bytes in [UNKNOWN_KIND, head].into_iter().chain(more) {
            assert!(is_progress([INTENT, bytes]), "{bytes:?}");
            assert!(!is_progress(["", bytes]), "without a transfer: {bytes:?}");
        }
        for bytes in [":\n", "event: heartbeat\ndata: {}\n\n", "event: new\ndata: {}\n\n"] {
            assert!(!is_progress([INTENT, bytes]), "{bytes:?}");
        }
    }
}

//! The body of an FDv2 poll: one transfer, applied when the body has ended whole (B 4.5).

use bytes::Bytes;

use super::directive::Directive;
use super::exchange::{Exchange, Told};
use super::{End, Failure, Look, Report};
use crate::protocol::PollBody;
use crate::snapshot::{Commit, Garbage};

/// What has come of a poll's body, and what it means so far.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PollResponse {
    body: PollBody,
    exchange: Exchange,
    settled: Option<Settled>,
    goodbye: Option<Option<Directive>>,
    has_grown: bool,
}

/// What a poll amounts to, once its body has ended whole.
#[derive(Clone, Debug, PartialEq)]
enum Settled {
    Committed(Commit),
    Unchanged,
}

impl PollResponse {
    pub(crate) fn new(carries_basis: bool, look: Look<'_>) -> Self {
        Self {
            body: PollBody::new(look.limits.event_bytes),
            exchange: Exchange::new(carries_basis, look),
            settled: None,
            goodbye: None,
            has_grown: false,
        }
    }

    pub(crate) fn push(&mut self, bytes: Bytes) {
        self.has_grown |= !bytes.is_empty();
        self.body.push(bytes);
    }

    /// What it had collected, a commit that never became visible included.
    pub(crate) fn into_garbage(self) -> Garbage {
        let garbage = self.exchange.into_garbage();
        match self.settled {
            Some(Settled::Committed(commit)) => garbage.and(commit.abandon()),
            Some(Settled::Unchanged) | None => garbage,
        }
    }

    /// Each byte of the body is progress, also of one that proves to be invalid; then reads on.
    pub(crate) fn next_report(&mut self, look: Look<'_>) -> Option<Report> {
        if std::mem::take(&mut self.has_grown) {
            return Some(Report::Progress);
        }
        loop {
            if let Some(aside) = self.exchange.next_aside() {
                return Some(aside);
            }
            match self.read(look) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(failure) => return Some(failure.into()),
            }
        }
    }

    /// Reads one event; whether there was one. After the transfer or a goodbye only a goodbye is
    /// still looked at.
    fn read(&mut self, look: Look<'_>) -> Result<bool, Failure> {
        let Some(event) = self.body.next()? else { return Ok(false) };
        let is_over = self.settled.is_some() || self.goodbye.is_some();
        if is_over && (event.name != "goodbye" || self.goodbye.is_some()) {
            return Ok(true);
        }
        match self.exchange.on_event(look, &event.name, event.data)? {
            Told::Nothing | Told::Opened | Told::Collected => {}
            Told::Unchanged => self.settled = Some(Settled::Unchanged),
            Told::Completed(commit) => self.settled = Some(Settled::Committed(commit)),
            Told::Aborted => {
                return Err(Failure::invalid_data("the poll's body holds an error event"));
            }
            Told::Goodbye(directive) => self.goodbye = Some(directive),
        }
        Ok(true)
    }

    /// The body has ended whole: what it amounts to, in order.
    pub(crate) fn finish(&mut self) -> Result<Vec<Report>, Failure> {
        self.body.finish()?;
        let mut reports = Vec::with_capacity(3);
        let salvaged = match self.settled.take() {
            Some(Settled::Committed(commit)) => {
                let salvaged = commit.salvaged.clone();
                reports.push(Report::Committed(commit));
                salvaged
            }
            Some(Settled::Unchanged) => {
                reports.push(Report::Unchanged);
                None
            }
            None if self.goodbye.is_some() => None,
            None => return Err(Failure::invalid_data("the poll's body holds no whole transfer")),
        };
        let goodbye = self.goodbye.take();
        reports.extend(goodbye.flatten().map(Report::Directed));
        reports.push(match (salvaged, goodbye) {
            (Some(error), _) => Failure::from(error).into(),
            (None, Some(_)) => Report::Ended(End::Goodbye),
            (None, None) => Report::Ended(End::Completed),
        });
        Ok(reports)
    }
}

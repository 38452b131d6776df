//! Spans and events for `tracing`.

use std::mem;

use fdv2_core::persistence::Upserted;
use fdv2_core::status::{Readiness, SourceError, SourceState, SourceStatus, StoreStatus};
use tracing::{Span, debug, debug_span, error_span, info, trace, warn};

use super::facts::{AttemptKind, Fact, Work};
use crate::contain::contain;

/// One client's spans.
pub(super) struct Tracer {
    client: Span,
    attempt: Span,
    state: Option<SourceState>,
    is_store_available: bool,
}

impl Tracer {
    pub(super) fn new(instance_id: &str) -> Self {
        Self {
            client: error_span!(target: "fdv2", parent: None, "client", instance_id),
            attempt: Span::none(),
            state: None,
            is_store_available: true,
        }
    }

    /// The span that events belong to.
    fn span(&self) -> &Span {
        if self.attempt.is_disabled() { &self.client } else { &self.attempt }
    }

    pub(super) fn tell(&mut self, attempt: Option<AttemptKind>, fact: &Fact<'_>) {
        match fact {
            Fact::Requested(request) => {
                let (kind, url) = (attempt.map(AttemptKind::name), request.0.uri().to_string());
                let parent = &self.client;
                self.begin(debug_span!(target: "fdv2", parent: parent, "attempt", kind, url));
            }
            Fact::Opened(source) => {
                let (kind, parent) = (attempt.map(AttemptKind::name), &self.client);
                self.begin(debug_span!(target: "fdv2", parent: parent, "attempt", kind, source));
            }
            Fact::Redirected(request) => {
                let url = request.0.uri().to_string();
                debug!(target: "fdv2", parent: self.span(), url, "redirected");
            }
            Fact::Answered(status) => {
                debug!(target: "fdv2", parent: self.span(), status, "response");
            }
            Fact::Received(bytes) => {
                trace!(target: "fdv2", parent: self.span(), bytes, "received");
            }
            Fact::Ended => {
                debug!(target: "fdv2", parent: self.span(), "attempt ended");
                self.attempt = Span::none();
            }
            Fact::Failed(error) => self.failed(error),
            Fact::Status(status) => self.status(status),
            Fact::Readiness(readiness) => self.readiness(readiness),
            Fact::Switched(switched) => {
                let (to, why) = (&switched.to, &switched.why);
                info!(target: "fdv2", parent: &self.client, ?to, ?why, "source switched");
            }
            Fact::Applied(snapshot) => {
                let (revision, objects) = (snapshot.revision(), snapshot.objects());
                debug!(target: "fdv2", parent: self.span(), revision, objects, "change set applied");
            }
            Fact::Odd(oddity) => warn!(target: "fdv2", parent: self.span(), "{oddity}"),
            Fact::Stopped => info!(target: "fdv2", parent: &self.client, "closed"),
            store => self.store(store),
        }
    }

    fn begin(&mut self, attempt: Span) {
        self.attempt = attempt;
        debug!(target: "fdv2", parent: self.span(), "attempt started");
    }

    fn failed(&self, error: &SourceError) {
        let (kind, status, error) = (error.kind, error.status, &*error.message);
        warn!(target: "fdv2", parent: self.span(), ?kind, status, error, "attempt failed");
    }

    fn status(&mut self, status: &SourceStatus) {
        if self.state.replace(status.state) == Some(status.state) {
            return;
        }
        let (state, is_last) = (status.state, status.is_last);
        info!(target: "fdv2", parent: &self.client, ?state, is_last, "source status");
    }

    fn readiness(&self, readiness: &Readiness) {
        match readiness {
            Readiness::Ready => info!(target: "fdv2", parent: &self.client, "ready"),
            Readiness::Failed(_) => {
                warn!(target: "fdv2", parent: &self.client, "given up, not ready");
            }
            Readiness::Pending => {}
        }
    }

    fn store(&mut self, fact: &Fact<'_>) {
        let parent = &self.client;
        match fact {
            Fact::WriteBegan(records) => {
                debug!(target: "fdv2", parent: parent, records, "store write started");
            }
            Fact::Written(Ok(Upserted::NotInitialized)) => {
                debug!(target: "fdv2", parent: parent, "the store has lost its marker");
            }
            Fact::Written(Ok(_)) => debug!(target: "fdv2", parent: parent, "store written"),
            Fact::Written(Err(error)) => {
                warn!(target: "fdv2", parent: parent, %error, "store write failed");
            }
            Fact::ProbeBegan => trace!(target: "fdv2", parent: parent, "store probe started"),
            Fact::Probed(Ok(())) => debug!(target: "fdv2", parent: parent, "the store answers"),
            Fact::Probed(Err(error)) => {
                debug!(target: "fdv2", parent: parent, %error, "store probe failed");
            }
            Fact::GivenUp(Work::Write) => {
                warn!(target: "fdv2", parent: parent, "store write given up");
            }
            Fact::GivenUp(Work::Probe) => {
                debug!(target: "fdv2", parent: parent, "store probe given up");
            }
            Fact::ReadFailed(error) => {
                warn!(target: "fdv2", parent: parent, %error, "store read failed");
            }
            Fact::Unreadable(record) => {
                warn!(target: "fdv2", parent: parent, "{record}");
            }
            Fact::StoreStatus(status) => self.store_status(status),
            _ => {}
        }
    }

    fn store_status(&mut self, status: &StoreStatus) {
        let (is_available, is_stale) = (status.is_available, status.is_stale);
        if mem::replace(&mut self.is_store_available, is_available) == is_available {
            return;
        }
        info!(target: "fdv2", parent: &self.client, is_available, is_stale, "store status");
    }
}

impl Drop for Tracer {
    /// Each span by itself: a subscriber that has panicked may do so again, at each.
    fn drop(&mut self) {
        for span in [&mut self.attempt, &mut self.client] {
            let span = mem::replace(span, Span::none());
            contain(|| drop(span));
        }
    }
}

//! An attempt of a source of the application's own (B 3.12).

use std::collections::VecDeque;
use std::sync::Arc;

use super::directive::Directive;
use super::{End, Failure, Look, Report};
use crate::config::Timing;
use crate::effect::{CustomError, Outcome, SourceUpdate};
use crate::protocol::InvalidData;
use crate::protocol::event::IntentCode;
use crate::snapshot::{ChangeSet, Snapshot};
use crate::time::Instant;

/// A custom source that is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CustomAttempt {
    is_initializer: bool,
    started: Instant,
    directed: Option<Instant>,
    environment_id: Option<Arc<str>>,
    update: Option<SourceUpdate>,
    reports: VecDeque<Report>,
}

impl CustomAttempt {
    pub(crate) fn new(is_initializer: bool, now: Instant) -> Self {
        Self {
            is_initializer,
            started: now,
            directed: None,
            environment_id: None,
            update: None,
            reports: VecDeque::new(),
        }
    }

    pub(crate) fn accept(&mut self, look: Look<'_>, outcome: Outcome) {
        let Outcome::SourceUpdate(update) = outcome else { return };
        if matches!(update, SourceUpdate::Directive(_)) {
            self.directed.get_or_insert(look.now);
        }
        self.update = Some(update);
    }

    pub(crate) fn next_report(&mut self, look: Look<'_>) -> Option<Report> {
        if let Some(report) = self.reports.pop_front() {
            return Some(report);
        }
        match self.update.take()? {
            SourceUpdate::ChangeSet(change_set) => Some(self.change_set(*change_set, look)),
            SourceUpdate::Unchanged => Some(self.unchanged(look.held)),
            SourceUpdate::EnvironmentId(id) => {
                self.environment_id = Some(id).filter(|id| !id.trim().is_empty());
                None
            }
            SourceUpdate::Progress => Some(Report::Progress),
            SourceUpdate::Directive(ttl) => Some(Report::Directed(Directive::lasting(ttl))),
            SourceUpdate::Failed(error) => Some(failure(error, false).into()),
            SourceUpdate::FailedFinally(error) => Some(failure(error, true).into()),
            SourceUpdate::Ended => Some(self.ended()),
        }
    }

    /// An initializer is through with its first change set.
    fn change_set(&mut self, change_set: ChangeSet, look: Look<'_>) -> Report {
        match Snapshot::apply(look.held, change_set, look.limits) {
            Ok(commit) => {
                self.settle();
                Report::Committed(commit)
            }
            Err(rejected) => {
                self.reports.push_back(Failure::from(rejected.error).into());
                Report::Discard(rejected.garbage)
            }
        }
    }

    /// `none` needs a base (B 1.14).
    fn unchanged(&mut self, held: &Snapshot) -> Report {
        if !held.is_held() {
            return Failure::from(InvalidData::missing_base(IntentCode::None.name())).into();
        }
        self.settle();
        Report::Unchanged
    }

    fn settle(&mut self) {
        if self.is_initializer {
            self.reports.push_back(Report::Ended(End::Completed));
        }
    }

    fn ended(&self) -> Report {
        if self.is_initializer {
            return Report::Ended(End::Completed);
        }
        let mut failure = Failure::new(
            crate::status::ErrorKind::Unknown,
            "the custom source ended by itself; it is not opened again",
        );
        failure.is_final = true;
        failure.into()
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn is_lasting(&self) -> bool {
        !self.is_initializer
    }

    pub(crate) fn directive_limit(&self, timing: &Timing) -> Option<Instant> {
        self.directed.map(|at| at + timing.directive_grace)
    }

    pub(crate) fn environment_id(&self) -> Option<&Arc<str>> {
        self.environment_id.as_ref()
    }
}

fn failure(error: CustomError, is_final: bool) -> Failure {
    let mut failure = Failure::new(error.kind, error.message);
    failure.is_final = is_final;
    failure
}

//! An attempt of a source of the application's own (B 3.12).

use std::collections::VecDeque;
use std::sync::Arc;

use super::directive::Directive;
use super::{End, Failure, Look, Report};
use crate::config::Timing;
use crate::effect::{CustomError, Outcome, SourceUpdate};
use crate::protocol::InvalidData;
use crate::protocol::event::IntentCode;
use crate::snapshot::{ChangeSet, Held, Snapshot};
use crate::time::Instant;

/// A custom source that is open.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CustomAttempt {
    is_initializer: bool,
    /// It was opened with a basis, or has completed a change set (B 1.14).
    has_base: bool,
    started: Instant,
    directed: Option<Instant>,
    /// The last time that bytes flowed, since the last completed transfer.
    progress: Option<Instant>,
    environment_id: Option<Arc<str>>,
    update: Option<SourceUpdate>,
    reports: VecDeque<Report>,
}

impl CustomAttempt {
    pub(crate) fn new(is_initializer: bool, has_base: bool, now: Instant) -> Self {
        Self {
            is_initializer,
            has_base,
            started: now,
            directed: None,
            progress: None,
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
                if !id.trim().is_empty() {
                    self.environment_id = Some(id);
                }
                None
            }
            SourceUpdate::Progress => {
                self.progress = Some(look.now);
                Some(Report::Progress)
            }
            SourceUpdate::Directive(ttl) => Some(Report::Directed(Directive::lasting(ttl))),
            SourceUpdate::Failed(error) => Some(failure(error, false).into()),
            SourceUpdate::FailedFinally(error) => Some(failure(error, true).into()),
            SourceUpdate::Ended => Some(self.ended()),
        }
    }

    /// Changes need a base (B 1.14). An initializer is through with its first change set.
    fn change_set(&mut self, change_set: ChangeSet, look: Look<'_>) -> Report {
        let applied = if change_set.is_changes() && !self.has_base {
            Err(change_set.without_base())
        } else {
            Snapshot::apply(look.held, change_set, look.limits)
        };
        match applied {
            Ok(commit) => {
                self.has_base = true;
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
        if !self.has_base || held.held() != Held::Whole {
            return Failure::from(InvalidData::missing_base(IntentCode::None.name())).into();
        }
        self.settle();
        Report::Unchanged
    }

    fn settle(&mut self) {
        self.progress = None;
        if self.is_initializer {
            self.reports.push_back(Report::Ended(End::Completed));
        }
    }

    fn ended(&self) -> Report {
        if self.is_initializer {
            return Report::Ended(End::Completed);
        }
        let mut failure =
            Failure::new(crate::status::ErrorKind::Unknown, "the custom source ended by itself");
        failure.is_final = true;
        failure.into()
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn is_mid_event(&self) -> bool {
        !self.reports.is_empty()
    }

    pub(crate) fn open_progress(&self) -> Option<Instant> {
        self.progress
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::snapshot::ChangeSetBuilder;

    fn tell(attempt: &mut CustomAttempt, held: &Arc<Snapshot>, update: SourceUpdate) -> Report {
        let limits = Limits::default();
        let look = Look { now: Instant::EPOCH, held, limits: &limits, may_salvage: true };
        attempt.accept(look, Outcome::SourceUpdate(update));
        let reports: Vec<_> = std::iter::from_fn(|| attempt.next_report(look)).collect();
        reports.into_iter().next_back().unwrap()
    }

    fn change_set(builder: ChangeSetBuilder) -> SourceUpdate {
        SourceUpdate::ChangeSet(Box::new(builder.finish(None)))
    }

    fn is_refused(report: &Report) -> bool {
        matches!(report, Report::Ended(End::Failed(_)))
    }

    /// B 6.6.
    #[test]
    fn an_empty_environment_id_changes_nothing() {
        let held = Arc::<Snapshot>::default();
        let limits = Limits::default();
        let look = Look { now: Instant::EPOCH, held: &held, limits: &limits, may_salvage: true };
        let mut attempt = CustomAttempt::new(false, false, Instant::EPOCH);
        for id in ["env", "", " "] {
            attempt.accept(look, Outcome::SourceUpdate(SourceUpdate::EnvironmentId(id.into())));
            assert_eq!(attempt.next_report(look), None);
            assert_eq!(attempt.environment_id().map(|id| &**id), Some("env"));
        }
    }

    /// B 1.14, 3.12.
    #[test]
    fn none_and_changes_need_data_that_this_source_was_told_of_or_brought() {
        let nothing = Arc::<Snapshot>::default();
        let changes = || change_set(ChangeSetBuilder::changes());
        for update in [changes(), SourceUpdate::Unchanged] {
            let mut opened_without = CustomAttempt::new(false, false, Instant::EPOCH);
            assert!(is_refused(&tell(&mut opened_without, &nothing, update.clone())));
            let mut opened_with = CustomAttempt::new(false, true, Instant::EPOCH);
            assert!(is_refused(&tell(&mut opened_with, &nothing, update)));
        }
        let mut attempt = CustomAttempt::new(false, false, Instant::EPOCH);
        let full = change_set(ChangeSetBuilder::full());
        let Report::Committed(commit) = tell(&mut attempt, &nothing, full) else {
            panic!("not applied");
        };
        let held = commit.snapshot;
        assert_eq!(tell(&mut attempt, &held, SourceUpdate::Unchanged), Report::Unchanged);
        assert!(matches!(tell(&mut attempt, &held, changes()), Report::Committed(_)));

        let mut another = CustomAttempt::new(false, false, Instant::EPOCH);
        assert!(is_refused(&tell(&mut another, &held, changes())));
    }
}

//! Whether a context is in a segment, and whether it meets the clauses of a rule.

use crate::model::{Clause, Item, KeySet, KindName, Segment, SegmentTarget, Test};

use super::bucket::{self, Bucketing};
use super::clause;
use super::lookup::{BigSegment, Found, Lookup, Membership, Needs};
use super::machine::{Machine, Position, Progress, Step, Stop};
use super::reason::BigSegmentsStatus;

impl<'a, L: Lookup + ?Sized> Machine<'a, '_, L> {
    pub(super) fn advance_segment(
        &mut self,
        item: &'a Item<Segment>,
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let segment = item.model();
        while let Some(rule) = segment.rules.get(position.rule as usize) {
            let is_match = match self.advance_clauses(&rule.clauses, position, answer.take())? {
                Progress::Enter(segment) => return Ok(Step::NeedsSegment(segment)),
                Progress::Done(is_match) => is_match,
            };
            if !is_match {
                position.next_rule();
                continue;
            }
            let Some(share) = &rule.share else { return Ok(Step::Member(true)) };
            let bucketing = Bucketing::of_share(share, item.key(), &segment.salt);
            let bucket = bucketing.bucket(self.context);
            let bucket = bucket.map_err(|bucket::Invalid| Stop::Malformed)?.unwrap_or(0.0);
            if bucket < share.end {
                return Ok(Step::Member(true));
            }
            position.next_rule();
        }
        Ok(Step::Member(false))
    }

    /// Whether all clauses match.
    pub(super) fn advance_clauses(
        &mut self,
        clauses: &'a [Clause],
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Progress<'a>, Stop> {
        while let Some(clause) = clauses.get(position.clause as usize) {
            let is_match = match &clause.test {
                Test::InSegment(keys) => {
                    match self.advance_segments(keys, &mut position.segment, answer.take())? {
                        Progress::Done(is_member) => is_member != clause.negate,
                        enter @ Progress::Enter(_) => return Ok(enter),
                    }
                }
                _ => clause::is_match(clause, self.context)
                    .map_err(|clause::Invalid| Stop::Malformed)?,
            };
            if !is_match {
                return Ok(Progress::Done(false));
            }
            position.next_clause();
        }
        Ok(Progress::Done(true))
    }

    /// Whether the context is in any of the segments.
    fn advance_segments(
        &mut self,
        keys: &'a [Box<str>],
        next: &mut u32,
        answer: Option<bool>,
    ) -> Result<Progress<'a>, Stop> {
        match answer {
            Some(true) => return Ok(Progress::Done(true)),
            Some(false) => *next += 1,
            None => {}
        }
        while let Some(key) = keys.get(*next as usize) {
            match self.lookup.segment(key) {
                Found::NotLoaded => return Err(self.lacks(Needs::Segment(key.clone()))),
                Found::Absent => {}
                Found::Present(item) => match self.is_listed(item)? {
                    Some(true) => return Ok(Progress::Done(true)),
                    None if !item.model().rules.is_empty() => return Ok(Progress::Enter(item)),
                    Some(false) | None => {}
                },
            }
            *next += 1;
        }
        Ok(Progress::Done(false))
    }

    /// What the segment's lists say; `None` leaves it to the rules.
    fn is_listed(&mut self, item: &'a Item<Segment>) -> Result<Option<bool>, Stop> {
        self.visit()?;
        let segment = item.model();
        if let Some(unbounded) = &segment.unbounded {
            let Some(generation) = unbounded.generation else {
                self.note(BigSegmentsStatus::NotConfigured);
                return Ok(Some(false));
            };
            let Some(part) = self.context.part(&unbounded.kind) else {
                return Ok(Some(false));
            };
            return self.membership(BigSegment { key: item.key(), generation }, part.key());
        }
        let user = self.context.part(&KindName::USER);
        let has_user =
            |keys: &KeySet| user.is_some_and(|user| keys.contains(user.key(), user.key_hash()));
        Ok(if self.is_target(&segment.included_contexts) || has_user(&segment.included) {
            Some(true)
        } else if self.is_target(&segment.excluded_contexts) || has_user(&segment.excluded) {
            Some(false)
        } else {
            None
        })
    }

    fn is_target(&self, targets: &[SegmentTarget]) -> bool {
        targets.iter().any(|target| {
            let part = self.context.part(&target.kind);
            part.is_some_and(|part| target.keys.contains(part.key(), part.key_hash()))
        })
    }

    fn membership(&mut self, segment: BigSegment<'_>, key: &str) -> Result<Option<bool>, Stop> {
        let (status, included) = match self.lookup.membership(segment, key) {
            Membership::NotLoaded => return Err(self.lacks(Needs::Memberships(key.into()))),
            Membership::Known { included, is_stale: false } => {
                (BigSegmentsStatus::Healthy, included)
            }
            Membership::Known { included, is_stale: true } => (BigSegmentsStatus::Stale, included),
            Membership::StoreError => (BigSegmentsStatus::StoreError, Some(false)),
            Membership::NotConfigured => (BigSegmentsStatus::NotConfigured, None),
        };
        self.note(status);
        Ok(included)
    }

    fn note(&mut self, status: BigSegmentsStatus) {
        self.big_segments_status = self.big_segments_status.max(Some(status));
    }
}

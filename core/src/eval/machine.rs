//! The evaluation of a flag, and of all that it refers to, without recursion.

use crate::context::Context;
use crate::model::{
    Clause, Flag, Item, KeySet, KindName, Outcome, Segment, SegmentTarget, Test, VariationIndex,
};

use super::bucket::Bucketing;
use super::lookup::{BigSegment, Found, Lookup, Membership, Needs};
use super::reason::{BigSegmentsStatus, ReasonKind};
use super::stack::Stack;
use super::{bucket, clause};

/// How deep flags and segments can refer to each other.
const MAX_LEVELS: usize = 500;

/// How many flags and segments one evaluation visits.
const MAX_VISITS: usize = 10_000;

/// One evaluation.
pub(super) struct Machine<'a, 'e, L: ?Sized> {
    lookup: &'a L,
    context: &'e Context,
    observe: &'e mut dyn FnMut(&'a Item<Flag>, &'a Item<Flag>),
    visits: usize,
    big_segments_status: Option<BigSegmentsStatus>,
    needs: Option<Needs>,
}

/// Why an evaluation ends early.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stop {
    Malformed,
    /// See [`Machine::into_needs`].
    NotLoaded,
}

/// What a flag gives. The variation is one that it has.
#[derive(Clone, Copy)]
pub(super) struct Verdict<'a> {
    pub(super) variation: Option<VariationIndex>,
    pub(super) cause: Cause<'a>,
}

/// What a flag's variation comes from.
#[derive(Clone, Copy)]
pub(super) enum Cause<'a> {
    Off,
    Target,
    Rule { index: usize, id: &'a str, in_experiment: bool },
    Fallthrough { in_experiment: bool },
    Prerequisite(&'a str),
}

impl<'a> From<Cause<'a>> for ReasonKind<'a> {
    fn from(cause: Cause<'a>) -> Self {
        match cause {
            Cause::Off => Self::Off,
            Cause::Target => Self::TargetMatch,
            Cause::Rule { index, id, in_experiment } => {
                Self::RuleMatch { rule_index: index, rule_id: id.into(), in_experiment }
            }
            Cause::Fallthrough { in_experiment } => Self::Fallthrough { in_experiment },
            Cause::Prerequisite(key) => Self::PrerequisiteFailed { prerequisite_key: key.into() },
        }
    }
}

/// How far the evaluation of one flag or segment has come.
#[derive(Clone, Copy)]
pub(super) enum Frame<'a> {
    Flag { item: &'a Item<Flag>, stage: Stage },
    Segment { item: &'a Item<Segment>, position: Position },
}

#[derive(Clone, Copy)]
pub(super) enum Stage {
    /// At this prerequisite.
    Prerequisites(usize),
    Rules(Position),
}

/// A rule, a clause in it, and a segment that the clause names.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    rule: usize,
    clause: usize,
    segment: usize,
}

/// What comes of carrying on with a frame.
enum Step<'a> {
    /// Another frame is needed, and then an answer from it: whether the prerequisite is met, or
    /// whether the context is in the segment.
    Enter(Frame<'a>),
    Flag(Verdict<'a>),
    Segment(bool),
}

/// What comes of carrying on with the clauses of a rule.
enum Progress<'a> {
    Enter(&'a Item<Segment>),
    Done(bool),
}

impl<'a, 'e, L: Lookup + ?Sized> Machine<'a, 'e, L> {
    pub(super) fn new(
        lookup: &'a L,
        context: &'e Context,
        observe: &'e mut dyn FnMut(&'a Item<Flag>, &'a Item<Flag>),
    ) -> Self {
        Self { lookup, context, observe, visits: 0, big_segments_status: None, needs: None }
    }

    /// What has to be loaded, if that is why the evaluation ended.
    pub(super) fn into_needs(self) -> Option<Needs> {
        self.needs
    }

    #[cold]
    fn lacks(&mut self, needs: Needs) -> Stop {
        self.needs = Some(needs);
        Stop::NotLoaded
    }

    /// The worst that was met with.
    pub(super) fn big_segments_status(&self) -> Option<BigSegmentsStatus> {
        self.big_segments_status
    }

    pub(super) fn run(&mut self, flag: &'a Item<Flag>) -> Result<Verdict<'a>, Stop> {
        let mut frame = Frame::flag(flag);
        match self.advance(&mut frame, None)? {
            Step::Flag(verdict) => Ok(verdict),
            step => self.run_nested(frame, step),
        }
    }

    /// Carries on where a flag needs others: most do not, and are spared the stack.
    #[inline(never)]
    fn run_nested(
        &mut self,
        mut frame: Frame<'a>,
        mut step: Step<'a>,
    ) -> Result<Verdict<'a>, Stop> {
        let mut waiting = Stack::default();
        loop {
            let answer = match step {
                Step::Enter(next) => {
                    self.visit()?;
                    waiting.push(frame);
                    let is_circular = waiting.iter().any(|frame| frame.is_of_same_item(&next));
                    if is_circular || waiting.len() >= MAX_LEVELS {
                        return Err(Stop::Malformed);
                    }
                    frame = next;
                    None
                }
                Step::Flag(verdict) => {
                    let Some(parent) = waiting.pop() else { return Ok(verdict) };
                    let is_met = self.is_met(&parent, &frame, &verdict);
                    frame = parent;
                    Some(is_met)
                }
                Step::Segment(is_member) => {
                    frame = waiting.pop().ok_or(Stop::Malformed)?;
                    Some(is_member)
                }
            };
            step = self.advance(&mut frame, answer)?;
        }
    }

    fn visit(&mut self) -> Result<(), Stop> {
        self.visits += 1;
        if self.visits < MAX_VISITS { Ok(()) } else { Err(Stop::Malformed) }
    }

    /// Whether `verdict` on the flag of `child` is what the flag of `parent` needs of it.
    fn is_met(&mut self, parent: &Frame<'a>, child: &Frame<'a>, verdict: &Verdict<'a>) -> bool {
        let (Frame::Flag { item, stage }, Frame::Flag { item: child, .. }) = (parent, child) else {
            return false;
        };
        (self.observe)(item, child);
        let Stage::Prerequisites(index) = stage else { return false };
        let wanted = item.model().prerequisites.get(*index).map(|needed| needed.variation);
        child.model().is_on && verdict.variation == wanted
    }

    fn advance(&mut self, frame: &mut Frame<'a>, answer: Option<bool>) -> Result<Step<'a>, Stop> {
        match frame {
            Frame::Flag { item, stage } => self.advance_flag(item, stage, answer),
            Frame::Segment { item, position } => self.advance_segment(item, position, answer),
        }
    }

    fn advance_flag(
        &mut self,
        item: &'a Item<Flag>,
        stage: &mut Stage,
        answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let flag = item.model();
        let position = match stage {
            Stage::Rules(position) => position,
            Stage::Prerequisites(_) if !flag.is_on => {
                return verdict(flag, flag.off_variation, Cause::Off);
            }
            Stage::Prerequisites(next) => {
                if let Some(step) = self.advance_prerequisites(flag, next, answer)? {
                    return Ok(step);
                }
                if let Some(variation) = self.target(flag) {
                    return verdict(flag, Some(variation), Cause::Target);
                }
                *stage = Stage::Rules(Position::default());
                return self.advance_flag(item, stage, None);
            }
        };
        self.advance_rules(item, position, answer)
    }

    /// `None` once all prerequisites are met.
    fn advance_prerequisites(
        &mut self,
        flag: &'a Flag,
        next: &mut usize,
        mut answer: Option<bool>,
    ) -> Result<Option<Step<'a>>, Stop> {
        while let Some(needed) = flag.prerequisites.get(*next) {
            let found = match answer.take() {
                Some(true) => {
                    *next += 1;
                    continue;
                }
                Some(false) => Found::Absent,
                None => self.lookup.flag(&needed.key),
            };
            match found {
                Found::Present(item) => return Ok(Some(Step::Enter(Frame::flag(item)))),
                Found::Absent => {
                    let cause = Cause::Prerequisite(&needed.key);
                    return verdict(flag, flag.off_variation, cause).map(Some);
                }
                Found::NotLoaded => {
                    return Err(self.lacks(Needs::Flag(needed.key.clone())));
                }
            }
        }
        Ok(None)
    }

    fn target(&self, flag: &Flag) -> Option<VariationIndex> {
        let target = flag.targets.iter().find(|target| {
            let part = self.context.part(&target.kind);
            part.is_some_and(|part| target.keys.contains(part.key(), part.key_hash()))
        });
        target.map(|target| target.variation)
    }

    fn advance_rules(
        &mut self,
        item: &'a Item<Flag>,
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let flag = item.model();
        while let Some(rule) = flag.rules.get(position.rule) {
            match self.advance_clauses(&rule.clauses, position, answer.take())? {
                Progress::Enter(segment) => return Ok(Step::Enter(Frame::segment(segment))),
                Progress::Done(false) => position.next_rule(),
                Progress::Done(true) => {
                    let (variation, in_experiment) = self.choose(item, &rule.outcome)?;
                    let cause = Cause::Rule { index: position.rule, id: &rule.id, in_experiment };
                    return verdict(flag, Some(variation), cause);
                }
            }
        }
        let (variation, in_experiment) = self.choose(item, &flag.fallthrough)?;
        verdict(flag, Some(variation), Cause::Fallthrough { in_experiment })
    }

    /// The variation, and whether it is part of an experiment.
    fn choose(&self, item: &Item<Flag>, outcome: &Outcome) -> Result<(VariationIndex, bool), Stop> {
        let rollout = match outcome {
            Outcome::Variation(variation) => return Ok((*variation, false)),
            Outcome::Rollout(rollout) => rollout,
            Outcome::Missing => return Err(Stop::Malformed),
        };
        let salt = &item.model().salt;
        let bucketing = Bucketing::of_rollout(rollout, item.key(), salt);
        let bucket = bucketing.bucket(self.context).map_err(|bucket::Invalid| Stop::Malformed)?;
        let value = bucket.unwrap_or(0.0);
        let share = rollout.shares.iter().find(|share| value < share.end);
        let share = share.or(rollout.shares.last()).ok_or(Stop::Malformed)?;
        let in_experiment = rollout.is_experiment && bucket.is_some() && !share.is_untracked;
        Ok((share.variation, in_experiment))
    }

    fn advance_segment(
        &mut self,
        item: &'a Item<Segment>,
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let segment = item.model();
        while let Some(rule) = segment.rules.get(position.rule) {
            let is_match = match self.advance_clauses(&rule.clauses, position, answer.take())? {
                Progress::Enter(segment) => return Ok(Step::Enter(Frame::segment(segment))),
                Progress::Done(is_match) => is_match,
            };
            if !is_match {
                position.next_rule();
                continue;
            }
            let Some(share) = &rule.share else { return Ok(Step::Segment(true)) };
            let bucketing = Bucketing::of_share(share, item.key(), &segment.salt);
            let bucket = bucketing.bucket(self.context);
            let bucket = bucket.map_err(|bucket::Invalid| Stop::Malformed)?.unwrap_or(0.0);
            if bucket < share.end {
                return Ok(Step::Segment(true));
            }
            position.next_rule();
        }
        Ok(Step::Segment(false))
    }

    /// Whether all clauses match.
    fn advance_clauses(
        &mut self,
        clauses: &'a [Clause],
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Progress<'a>, Stop> {
        while let Some(clause) = clauses.get(position.clause) {
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
        next: &mut usize,
        answer: Option<bool>,
    ) -> Result<Progress<'a>, Stop> {
        match answer {
            Some(true) => return Ok(Progress::Done(true)),
            Some(false) => *next += 1,
            None => {}
        }
        while let Some(key) = keys.get(*next) {
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
            Membership::NotConfigured => (BigSegmentsStatus::NotConfigured, Some(false)),
        };
        self.note(status);
        Ok(included)
    }

    fn note(&mut self, status: BigSegmentsStatus) {
        self.big_segments_status = self.big_segments_status.max(Some(status));
    }
}

impl<'a> Frame<'a> {
    fn flag(item: &'a Item<Flag>) -> Self {
        Self::Flag { item, stage: Stage::Prerequisites(0) }
    }

    fn segment(item: &'a Item<Segment>) -> Self {
        Self::Segment { item, position: Position::default() }
    }

    fn is_of_same_item(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Flag { item, .. }, Self::Flag { item: other, .. }) => item.key() == other.key(),
            (Self::Segment { item, .. }, Self::Segment { item: other, .. }) => {
                item.key() == other.key()
            }
            _ => false,
        }
    }
}

impl Position {
    fn next_rule(&mut self) {
        *self = Self { rule: self.rule + 1, clause: 0, segment: 0 };
    }

    fn next_clause(&mut self) {
        *self = Self { rule: self.rule, clause: self.clause + 1, segment: 0 };
    }
}

/// A verdict, unless the flag has no such variation.
#[inline]
fn verdict<'a>(
    flag: &Flag,
    variation: Option<VariationIndex>,
    cause: Cause<'a>,
) -> Result<Step<'a>, Stop> {
    let is_there = |variation: VariationIndex| variation.to_usize() < flag.variations().len();
    if variation.is_none_or(is_there) {
        Ok(Step::Flag(Verdict { variation, cause }))
    } else {
        Err(Stop::Malformed)
    }
}

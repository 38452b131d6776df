//! The evaluation of one flag: prerequisites, targets, rules.

use crate::model::{Flag, Item, Outcome, VariationIndex};

use super::bucket::{self, Bucketing};
use super::lookup::{Found, Lookup, Needs};
use super::machine::{Cause, Machine, Position, Progress, Stage, Step, Stop, Verdict};

impl<'a, L: Lookup + ?Sized> Machine<'a, '_, L> {
    #[inline]
    pub(super) fn advance_flag(
        &mut self,
        item: &'a Item<Flag>,
        stage: &mut Stage,
        answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let flag = item.model();
        let position = match stage {
            Stage::Rules(position) => position,
            Stage::Prerequisites(_) if !flag.is_on => {
                return self.decide(flag, flag.off_variation, Cause::Off);
            }
            Stage::Prerequisites(next) => {
                if let Some(step) = self.advance_prerequisites(flag, next, answer)? {
                    return Ok(step);
                }
                if let Some(variation) = self.target(flag) {
                    return self.decide(flag, Some(variation), Cause::Target);
                }
                *stage = Stage::Rules(Position::default());
                return self.advance_flag(item, stage, None);
            }
        };
        self.advance_rules(item, position, answer)
    }

    /// `None` once all prerequisites are met.
    #[inline]
    fn advance_prerequisites(
        &mut self,
        flag: &'a Flag,
        next: &mut u32,
        mut answer: Option<bool>,
    ) -> Result<Option<Step<'a>>, Stop> {
        while let Some(needed) = flag.prerequisites.get(*next as usize) {
            let found = match answer.take() {
                Some(true) => {
                    *next += 1;
                    continue;
                }
                Some(false) => Found::Absent,
                None => self.lookup.flag(&needed.key),
            };
            match found {
                Found::Present(item) => {
                    self.visit()?;
                    return Ok(Some(Step::NeedsFlag(item)));
                }
                Found::Absent => {
                    let cause = Cause::Prerequisite(needed);
                    return self.decide(flag, flag.off_variation, cause).map(Some);
                }
                Found::NotLoaded => {
                    return Err(self.lacks(Needs::Flag(needed.key.clone())));
                }
            }
        }
        Ok(None)
    }

    #[inline]
    fn target(&self, flag: &Flag) -> Option<VariationIndex> {
        let target = flag.targets.iter().find(|target| {
            let part = self.context.part(&target.kind);
            part.is_some_and(|part| target.keys.contains(part.key(), part.key_hash()))
        });
        target.map(|target| target.variation)
    }

    #[inline]
    fn advance_rules(
        &mut self,
        item: &'a Item<Flag>,
        position: &mut Position,
        mut answer: Option<bool>,
    ) -> Result<Step<'a>, Stop> {
        let flag = item.model();
        while let Some(rule) = flag.rules.get(position.rule as usize) {
            match self.advance_clauses(&rule.clauses, position, answer.take())? {
                Progress::Enter(segment) => return Ok(Step::NeedsSegment(segment)),
                Progress::Done(false) => position.next_rule(),
                Progress::Done(true) => {
                    return self.choose(
                        item,
                        &rule.outcome,
                        Cause::Rule(position.rule as usize, rule),
                    );
                }
            }
        }
        self.choose(item, &flag.fallthrough, Cause::Fallthrough)
    }

    /// The variation of a rule or of the fall-through.
    #[inline]
    fn choose(
        &mut self,
        item: &Item<Flag>,
        outcome: &Outcome,
        cause: Cause<'a>,
    ) -> Result<Step<'a>, Stop> {
        let flag = item.model();
        let rollout = match outcome {
            Outcome::Variation(variation) => return self.decide(flag, Some(*variation), cause),
            Outcome::Rollout(rollout) => rollout,
            Outcome::Missing => return Err(Stop::Malformed),
        };
        let bucketing = Bucketing::of_rollout(rollout, item.key(), &flag.salt);
        let bucket = bucketing.bucket(self.context).map_err(|bucket::Invalid| Stop::Malformed)?;
        let value = bucket.unwrap_or(0.0);
        let share = rollout.shares.iter().find(|share| value < share.end);
        let share = share.or(rollout.shares.last()).ok_or(Stop::Malformed)?;
        let in_experiment = rollout.is_experiment && bucket.is_some() && !share.is_untracked;
        self.conclude(flag, Verdict { variation: Some(share.variation), cause, in_experiment })
    }

    #[inline]
    fn decide(
        &mut self,
        flag: &Flag,
        variation: Option<VariationIndex>,
        cause: Cause<'a>,
    ) -> Result<Step<'a>, Stop> {
        self.conclude(flag, Verdict { variation, cause, in_experiment: false })
    }

    /// The end of a flag, unless it has no such variation.
    #[inline]
    fn conclude(&mut self, flag: &Flag, verdict: Verdict<'a>) -> Result<Step<'a>, Stop> {
        let is_there = |variation: VariationIndex| variation.to_usize() < flag.variations().len();
        if !verdict.variation.is_none_or(is_there) {
            return Err(Stop::Malformed);
        }
        self.verdict = verdict;
        Ok(Step::Decided)
    }
}

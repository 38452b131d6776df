//! The evaluation of a flag, and of all that it refers to, without recursion.

use crate::context::Context;
use crate::model::{Flag, Item, Prerequisite, Rule, Segment, VariationIndex};

use super::lookup::{Lookup, Needs};
use super::reason::{BigSegmentsStatus, ReasonKind};
use super::stack::Stack;

/// How deep flags and segments can refer to each other.
const MAX_LEVELS: usize = 500;

/// How many flags and segments one evaluation visits.
const MAX_VISITS: usize = 10_000;

/// One evaluation.
pub(super) struct Machine<'a, 'e, L: ?Sized> {
    pub(super) lookup: &'a L,
    pub(super) context: &'e Context,
    observe: &'e mut dyn FnMut(&'a Item<Flag>, &'a Item<Flag>),
    visits: usize,
    /// On the flag that was evaluated last.
    pub(super) verdict: Verdict<'a>,
    /// The worst that was met with.
    pub(super) big_segments_status: Option<BigSegmentsStatus>,
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
    pub(super) in_experiment: bool,
}

/// What a flag's variation comes from.
#[derive(Clone, Copy)]
pub(super) enum Cause<'a> {
    Off,
    Target,
    Fallthrough,
    Rule(usize, &'a Rule),
    Prerequisite(&'a Prerequisite),
}

impl<'a> Verdict<'a> {
    pub(super) fn reason(&self) -> ReasonKind<'a> {
        let in_experiment = self.in_experiment;
        match self.cause {
            Cause::Off => ReasonKind::Off,
            Cause::Target => ReasonKind::TargetMatch,
            Cause::Fallthrough => ReasonKind::Fallthrough { in_experiment },
            Cause::Rule(rule_index, rule) => {
                ReasonKind::RuleMatch { rule_index, rule_id: (&*rule.id).into(), in_experiment }
            }
            Cause::Prerequisite(needed) => {
                ReasonKind::PrerequisiteFailed { prerequisite_key: (&*needed.key).into() }
            }
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
    Prerequisites(u32),
    Rules(Position),
}

/// A rule, a clause in it, and a segment that the clause names. Small, since frames are copied.
#[derive(Clone, Copy, Default)]
pub(super) struct Position {
    pub(super) rule: u32,
    pub(super) clause: u32,
    pub(super) segment: u32,
}

/// What comes of carrying on with a frame.
pub(super) enum Step<'a> {
    /// Another flag has to be evaluated first, and the answer is whether the prerequisite is met.
    NeedsFlag(&'a Item<Flag>),
    /// A segment has to be evaluated first, and the answer is whether the context is in it.
    NeedsSegment(&'a Item<Segment>),
    /// The flag's verdict is there.
    Decided,
    /// Whether the context is in the segment.
    Member(bool),
}

/// What comes of carrying on with the clauses of a rule.
pub(super) enum Progress<'a> {
    Enter(&'a Item<Segment>),
    Done(bool),
}

impl<'a, 'e, L: Lookup + ?Sized> Machine<'a, 'e, L> {
    #[inline]
    pub(super) fn new(
        lookup: &'a L,
        context: &'e Context,
        observe: &'e mut dyn FnMut(&'a Item<Flag>, &'a Item<Flag>),
    ) -> Self {
        Self {
            lookup,
            context,
            observe,
            visits: 0,
            verdict: Verdict { variation: None, cause: Cause::Off, in_experiment: false },
            big_segments_status: None,
            needs: None,
        }
    }

    /// What has to be loaded, if that is why the evaluation ended.
    pub(super) fn into_needs(self) -> Option<Needs> {
        self.needs
    }

    #[cold]
    pub(super) fn lacks(&mut self, needs: Needs) -> Stop {
        self.needs = Some(needs);
        Stop::NotLoaded
    }

    /// Evaluates `flag`, and leaves its verdict.
    #[inline]
    pub(super) fn run(&mut self, flag: &'a Item<Flag>) -> Result<(), Stop> {
        let mut frame = Frame::flag(flag);
        match self.advance(&mut frame, None)? {
            Step::Decided => Ok(()),
            step => self.run_nested(frame, step),
        }
    }

    /// Carries on where a flag needs others: most do not, and are spared the stack.
    #[inline(never)]
    fn run_nested(&mut self, mut frame: Frame<'a>, mut step: Step<'a>) -> Result<(), Stop> {
        let mut waiting = Stack::default();
        loop {
            let answer = match step {
                Step::NeedsFlag(item) => {
                    enter(&mut waiting, &mut frame, Frame::flag(item))?;
                    None
                }
                Step::NeedsSegment(item) => {
                    enter(&mut waiting, &mut frame, Frame::segment(item))?;
                    None
                }
                Step::Decided => {
                    let Some(parent) = waiting.pop() else { return Ok(()) };
                    let is_met = self.is_met(&parent, &frame);
                    frame = parent;
                    Some(is_met)
                }
                Step::Member(is_member) => {
                    frame = waiting.pop().ok_or(Stop::Malformed)?;
                    Some(is_member)
                }
            };
            step = self.advance(&mut frame, answer)?;
        }
    }

    #[inline]
    pub(super) fn visit(&mut self) -> Result<(), Stop> {
        self.visits += 1;
        if self.visits < MAX_VISITS { Ok(()) } else { Err(Stop::Malformed) }
    }

    /// Whether the verdict on the flag of `child` is what the flag of `parent` needs of it.
    #[inline]
    fn is_met(&mut self, parent: &Frame<'a>, child: &Frame<'a>) -> bool {
        let (Frame::Flag { item, stage }, Frame::Flag { item: child, .. }) = (parent, child) else {
            return false;
        };
        (self.observe)(item, child);
        let Stage::Prerequisites(index) = stage else { return false };
        let wanted = item.model().prerequisites.get(*index as usize).map(|needed| needed.variation);
        child.model().is_on && self.verdict.variation == wanted
    }

    #[inline]
    fn advance(&mut self, frame: &mut Frame<'a>, answer: Option<bool>) -> Result<Step<'a>, Stop> {
        match frame {
            Frame::Flag { item, stage } => self.advance_flag(item, stage, answer),
            Frame::Segment { item, position } => self.advance_segment(item, position, answer),
        }
    }
}

/// Turns to `next`, while the frame at work waits.
#[inline]
fn enter<'a>(waiting: &mut Stack<'a>, frame: &mut Frame<'a>, next: Frame<'a>) -> Result<(), Stop> {
    waiting.push(std::mem::replace(frame, next));
    let is_circular = waiting.iter().any(|frame| frame.is_of_same_item(&next));
    if is_circular || waiting.len() >= MAX_LEVELS { Err(Stop::Malformed) } else { Ok(()) }
}

impl<'a> Frame<'a> {
    pub(super) fn flag(item: &'a Item<Flag>) -> Self {
        Self::Flag { item, stage: Stage::Prerequisites(0) }
    }

    pub(super) fn segment(item: &'a Item<Segment>) -> Self {
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
    pub(super) fn next_rule(&mut self) {
        *self = Self { rule: self.rule + 1, clause: 0, segment: 0 };
    }

    pub(super) fn next_clause(&mut self) {
        *self = Self { rule: self.rule, clause: self.clause + 1, segment: 0 };
    }
}

//! One connection's events, from their text to what they mean for the attempt.

use std::collections::VecDeque;

use super::directive::Directive;
use super::{Failure, Look, Oddity, Report};
use crate::protocol::event::{self, GoodbyeTtl};
use crate::protocol::{Ignored, InvalidData, Step, Transfer};
use crate::snapshot::{Commit, Garbage};

/// The transfers of one connection, and what they say in passing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Exchange {
    transfer: Transfer,
    asides: VecDeque<Report>,
}

/// What one event means for the attempt.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Told {
    /// Nothing.
    Nothing,
    /// A transfer is open.
    Opened,
    /// A put or delete was collected: progress.
    Collected,
    /// An accepted `none`.
    Unchanged,
    /// A transfer is complete.
    Completed(Commit),
    /// An `error` event.
    Aborted,
    /// A goodbye, which may be a directive.
    Goodbye(Option<Directive>),
}

impl Exchange {
    pub(crate) fn new(carries_basis: bool, look: Look<'_>) -> Self {
        Self {
            transfer: Transfer::new(carries_basis, *look.limits, look.may_salvage),
            asides: VecDeque::new(),
        }
    }

    pub(crate) fn is_open(&self) -> bool {
        self.transfer.is_open()
    }

    /// What was said in passing, to be reported before anything else.
    pub(crate) fn next_aside(&mut self) -> Option<Report> {
        self.asides.pop_front()
    }

    pub(crate) fn on_event(
        &mut self,
        look: Look<'_>,
        name: &str,
        data: &str,
    ) -> Result<Told, Failure> {
        let event = event::decode(name, data, look.limits)?;
        let step = self.transfer.on_event(look.held, event)?;
        Ok(self.told(step))
    }

    pub(crate) fn into_garbage(self) -> Garbage {
        let asides = self.asides.into_iter().filter_map(|aside| match aside {
            Report::Discard(garbage) => Some(garbage),
            _ => None,
        });
        asides.fold(self.transfer.abandon(), Garbage::and)
    }

    fn told(&mut self, step: Step) -> Told {
        match step {
            Step::Ignored(Ignored::BeforeIntent) => {
                self.asides.push_back(Report::Odd(Oddity::ObjectBeforeIntent));
                Told::Nothing
            }
            Step::Ignored(_) => Told::Nothing,
            Step::Opened { extra_payloads, garbage } => {
                self.aside(extra_payloads, garbage);
                Told::Opened
            }
            Step::Collected => Told::Collected,
            Step::Unchanged { extra_payloads, garbage } => {
                self.aside(extra_payloads, garbage);
                Told::Unchanged
            }
            Step::Completed(commit) => Told::Completed(commit),
            Step::Aborted { garbage, .. } => {
                self.aside(false, garbage);
                Told::Aborted
            }
            Step::Goodbye { directive, .. } => Told::Goodbye(directive.map(|ttl| match ttl {
                GoodbyeTtl::Sent(ttl) => Directive { ttl: Some(ttl) },
                GoodbyeTtl::Unusable => Directive { ttl: None },
            })),
        }
    }

    fn aside(&mut self, extra_payloads: bool, garbage: Garbage) {
        if extra_payloads {
            self.asides.push_back(Report::Odd(Oddity::MorePayloads));
        }
        if !garbage.is_empty() {
            self.asides.push_back(Report::Discard(garbage));
        }
    }
}

impl From<InvalidData> for Failure {
    fn from(error: InvalidData) -> Self {
        let is_baseless_none = error.is_baseless_none();
        Self { is_baseless_none, ..Self::invalid_data(error.message().clone()) }
    }
}

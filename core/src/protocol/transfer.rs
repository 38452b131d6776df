//! The transfers of one connection, stream or poll (B 1).

use std::sync::Arc;

use super::Selector;
use super::error::InvalidData;
use super::event::{GoodbyeTtl, IntentCode, ProtocolEvent};
use crate::limits::Limits;
use crate::model::Kind;
use crate::snapshot::{Commit, Garbage, Held, Rejected, Snapshot, Staging};

/// Where one connection stands in its transfers. Born with the connection, dropped with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Transfer {
    limits: Limits,
    may_salvage: bool,
    /// The request carried `basis`, or a transfer has completed on this connection (B 1.14).
    has_base: bool,
    phase: Phase,
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    /// No intent has come yet (B 1.4).
    BeforeIntent,
    /// An intent opened a transfer.
    Explicit(Box<Staging>),
    /// Changes may come without an intent (B 1.3, 1.5).
    Implicit(Option<Box<Staging>>, After),
}

/// What an implicit transfer follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// A completed transfer, or `none`.
    Completed,
    /// An `error` (B 1.5).
    Error,
}

/// What one event came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// It has no meaning here.
    Ignored(Ignored),
    /// An intent opened a transfer.
    Opened {
        /// More payloads than one were announced (B 1.1).
        extra_payloads: bool,
        /// What an unfinished transfer had collected.
        garbage: Garbage,
    },
    /// A put or delete was collected.
    Collected,
    /// `none`: the data held is current.
    Unchanged {
        /// More payloads than one were announced (B 1.1).
        extra_payloads: bool,
        /// What an unfinished transfer had collected.
        garbage: Garbage,
    },
    /// A transfer is complete.
    Completed(Commit),
    /// An `error` aborted what was collected (B 1.5).
    Aborted {
        /// Why, clipped; empty if it does not say.
        reason: Arc<str>,
        /// What had been collected.
        garbage: Garbage,
    },
    /// The server ends the connection (B 1.6). What was collected is for [`Transfer::abandon`].
    Goodbye {
        /// Why, clipped; empty if it does not say.
        reason: Arc<str>,
        /// The directive to fall back to FDv1, if it is one (B 5.1).
        directive: Option<GoodbyeTtl>,
    },
}

/// Why an event has no meaning here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// A heartbeat (B 1.7).
    Heartbeat,
    /// An unknown event or kind of object (B 1.7).
    Unknown,
    /// A put or delete before the first intent, worth a warning once a client (B 1.4).
    BeforeIntent,
    /// A `payload-transferred` with nothing collected since an `error` (B 1.5).
    AfterError,
}

impl Transfer {
    /// The transfers of a connection whose request carried a `basis` or none. `may_salvage`: no
    /// initialized store stands behind, so that while no data is held the good objects of a full
    /// transfer count (B 1.15).
    pub fn new(request_carried_basis: bool, limits: Limits, may_salvage: bool) -> Self {
        Self { limits, may_salvage, has_base: request_carried_basis, phase: Phase::BeforeIntent }
    }

    /// Applies one event to what is `held`.
    ///
    /// # Errors
    /// [`InvalidData`] ends the attempt (B 1.11). Nothing has been applied, and what was
    /// collected is for [`Transfer::abandon`].
    pub fn on_event(
        &mut self,
        held: &Arc<Snapshot>,
        event: ProtocolEvent<'_>,
    ) -> Result<Step, InvalidData> {
        match event {
            ProtocolEvent::ServerIntent { code, extra_payloads } => {
                self.on_intent(held, code, extra_payloads)
            }
            ProtocolEvent::Put { kind, key, version, object } => self
                .collect(held, |staging, limits| staging.put(kind, &key, version, object, limits)),
            ProtocolEvent::Delete { kind, key, version } => {
                self.collect(held, |staging, limits| staging.delete(kind, &key, version, limits))
            }
            ProtocolEvent::Transferred { selector } => self.on_transferred(held, selector),
            ProtocolEvent::Error { reason } => Ok(self.on_error(reason.into())),
            ProtocolEvent::Goodbye { reason, directive } => {
                Ok(Step::Goodbye { reason: reason.into(), directive })
            }
            ProtocolEvent::Heartbeat => Ok(Step::Ignored(Ignored::Heartbeat)),
            ProtocolEvent::Unknown => Ok(Step::Ignored(Ignored::Unknown)),
        }
    }

    /// Whether a transfer is under way: one that an intent opened, or changes without.
    pub fn is_open(&self) -> bool {
        match &self.phase {
            Phase::BeforeIntent => false,
            Phase::Explicit(_) => true,
            Phase::Implicit(staging, _) => staging.is_some(),
        }
    }

    /// What is left of it, to be freed elsewhere.
    pub fn abandon(self) -> Garbage {
        self.phase.abandon()
    }

    fn on_intent(
        &mut self,
        held: &Arc<Snapshot>,
        code: IntentCode,
        extra_payloads: bool,
    ) -> Result<Step, InvalidData> {
        if code != IntentCode::Full {
            self.need_base(held, code)?;
        }
        let phase = match code {
            IntentCode::Full => {
                let may_salvage = self.may_salvage && held.held() != Held::Whole;
                Phase::Explicit(Box::new(Staging::full(held, may_salvage)))
            }
            IntentCode::Changes => Phase::Explicit(Box::new(Staging::changes(held))),
            IntentCode::None => Phase::Implicit(None, After::Completed),
        };
        let garbage = self.enter(phase).abandon();
        Ok(match code {
            IntentCode::Full | IntentCode::Changes => Step::Opened { extra_payloads, garbage },
            IntentCode::None => Step::Unchanged { extra_payloads, garbage },
        })
    }

    fn collect(
        &mut self,
        held: &Arc<Snapshot>,
        change: impl FnOnce(&mut Staging, &Limits) -> Result<(), InvalidData>,
    ) -> Result<Step, InvalidData> {
        if matches!(self.phase, Phase::Implicit(None, _)) {
            self.need_base(held, IntentCode::Changes)?;
        }
        let staging = match &mut self.phase {
            Phase::BeforeIntent => return Ok(Step::Ignored(Ignored::BeforeIntent)),
            Phase::Explicit(staging) => staging,
            Phase::Implicit(staging, _) => {
                staging.get_or_insert_with(|| Box::new(Staging::changes(held)))
            }
        };
        change(staging, &self.limits)?;
        Ok(Step::Collected)
    }

    fn on_transferred(
        &mut self,
        held: &Arc<Snapshot>,
        selector: Selector,
    ) -> Result<Step, InvalidData> {
        match &self.phase {
            Phase::BeforeIntent => {
                return Err(InvalidData::protocol("payload-transferred before any server-intent"));
            }
            Phase::Explicit(staging) | Phase::Implicit(Some(staging), _) => {
                staging.check(&self.limits)?;
            }
            Phase::Implicit(None, After::Error) => return Ok(Step::Ignored(Ignored::AfterError)),
            Phase::Implicit(None, After::Completed) => {
                self.need_base(held, IntentCode::Changes)?;
            }
        }
        let phase = self.enter(Phase::Implicit(None, After::Completed));
        let staging =
            phase.into_staging().map_or_else(|| Staging::changes(held), |staging| *staging);
        let commit = staging.commit(Some(selector));
        self.has_base = commit.salvaged.is_none();
        Ok(Step::Completed(commit))
    }

    fn on_error(&mut self, reason: Arc<str>) -> Step {
        let garbage = match self.phase {
            Phase::BeforeIntent => Garbage::default(),
            Phase::Explicit(_) | Phase::Implicit(..) => {
                self.enter(Phase::Implicit(None, After::Error)).abandon()
            }
        };
        Step::Aborted { reason, garbage }
    }

    /// Whether there is data that changes and `none` can refer to (B 1.14).
    fn need_base(&self, held: &Arc<Snapshot>, code: IntentCode) -> Result<(), InvalidData> {
        if self.has_base && held.held() == Held::Whole {
            Ok(())
        } else {
            Err(InvalidData::missing_base(code.name()))
        }
    }

    fn enter(&mut self, phase: Phase) -> Phase {
        std::mem::replace(&mut self.phase, phase)
    }
}

impl Phase {
    fn into_staging(self) -> Option<Box<Staging>> {
        match self {
            Self::BeforeIntent => None,
            Self::Explicit(staging) => Some(staging),
            Self::Implicit(staging, _) => staging,
        }
    }

    fn abandon(self) -> Garbage {
        self.into_staging().map_or_else(Garbage::default, |staging| staging.abandon())
    }
}

/// An FDv1 body: a full change set without selector (B 5.7).
#[derive(Clone, Debug, PartialEq)]
pub struct FullTransfer {
    limits: Limits,
    staging: Box<Staging>,
}

impl FullTransfer {
    /// Replaces what is `held`. `may_salvage` as for [`Transfer::new`].
    pub fn new(held: &Arc<Snapshot>, limits: Limits, may_salvage: bool) -> Self {
        let may_salvage = may_salvage && held.held() != Held::Whole;
        Self { limits, staging: Box::new(Staging::full(held, may_salvage)) }
    }

    /// Sets an item.
    ///
    /// # Errors
    /// [`InvalidData`] ends the attempt (B 1.9, 1.13).
    pub fn put(&mut self, kind: Kind, key: &str, object: &str) -> Result<(), InvalidData> {
        self.staging.put(kind, key, 0, object, &self.limits)
    }

    /// Makes it the data from now on: the body has ended whole.
    ///
    /// # Errors
    /// [`Rejected`] if the data would go over its limits (B 1.13).
    pub fn finish(self) -> Result<Commit, Rejected> {
        self.staging.complete(None, &self.limits)
    }

    /// What is left of it, to be freed elsewhere.
    pub fn abandon(self) -> Garbage {
        self.staging.abandon()
    }
}

#[cfg(test)]
mod tests;

//! Events as they are written down.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fdv2_core::effect::TransportErrorKind as Transport;
use fdv2_core::effect::{CustomError, SourceUpdate, TransportError};
use fdv2_core::persistence::{CorruptRecord, StoreError, Upserted};
use fdv2_core::protocol::Selector;
use fdv2_core::snapshot::ChangeSet;
use fdv2_core::status::ErrorKind;
use fdv2_core::{EffectId, Event, Lane, Outcome, StoreRead};
use serde::{Deserialize, Serialize};

use crate::head::Head;
use crate::seconds::Seconds;

/// One event.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Fact {
    Start,
    Tick,
    Effect { lane: LaneName, generation: u64, outcome: Told },
    StoreInitialized,
    StoreUnreadable(String),
    StoreReadFailed(String),
    Shutdown { grace: Seconds },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum LaneName {
    Source,
    Store,
}

/// One outcome.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) enum Told {
    Head(Head),
    /// In base64.
    Chunk(String),
    End,
    Broken {
        kind: Breakage,
        message: String,
    },
    /// The puts and deletes stand on the lines before.
    ChangeSet {
        is_changes: bool,
        selector: Option<SelectorFact>,
    },
    Unchanged,
    EnvironmentId(String),
    Progress,
    Directive(Option<Seconds>),
    Failed(OwnFault),
    FailedFinally(OwnFault),
    Ended,
    Written(WriteEnd),
    WriteFailed(String),
    Probed,
    ProbeFailed(String),
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Breakage {
    Connect,
    Broken,
    Malformed,
    HeadTooLarge,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SelectorFact {
    state: String,
    version: u64,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnFault {
    #[serde(with = "ErrorKindName")]
    kind: ErrorKind,
    message: String,
}

#[derive(Serialize, Deserialize)]
#[serde(remote = "ErrorKind", rename_all = "camelCase")]
enum ErrorKindName {
    Network,
    ErrorResponse,
    InvalidData,
    Store,
    Unknown,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum WriteEnd {
    Written,
    NotNewer,
    NotInitialized,
}

impl Fact {
    /// `None` for an event of a kind that this format does not know, or one too large for it.
    pub(crate) fn of(event: &Event) -> Option<Self> {
        Some(match event {
            Event::Start => Self::Start,
            Event::Tick => Self::Tick,
            Event::Effect { id, outcome } => Self::Effect {
                lane: match id.lane {
                    Lane::Source => LaneName::Source,
                    Lane::Store => LaneName::Store,
                },
                generation: id.generation,
                outcome: Told::of(outcome)?,
            },
            Event::StoreRead(StoreRead::Initialized) => Self::StoreInitialized,
            Event::StoreRead(StoreRead::Unreadable(record)) => {
                Self::StoreUnreadable(record.to_string())
            }
            Event::StoreRead(StoreRead::Failed(error)) => {
                Self::StoreReadFailed(error.message().to_owned())
            }
            Event::Shutdown { grace } => Self::Shutdown { grace: Seconds(*grace) },
            _ => return None,
        })
    }

    /// The event again. `change_set` makes the one whose items were read before.
    pub(crate) fn event(
        self,
        change_set: impl FnOnce(bool, Option<Selector>) -> Result<ChangeSet, String>,
    ) -> Result<Event, String> {
        Ok(match self {
            Self::Start => Event::Start,
            Self::Tick => Event::Tick,
            Self::Effect { lane, generation, outcome } => Event::Effect {
                id: EffectId {
                    lane: match lane {
                        LaneName::Source => Lane::Source,
                        LaneName::Store => Lane::Store,
                    },
                    generation,
                },
                outcome: outcome.outcome(change_set)?,
            },
            Self::StoreInitialized => Event::StoreRead(StoreRead::Initialized),
            Self::StoreUnreadable(said) => {
                Event::StoreRead(StoreRead::Unreadable(CorruptRecord::Said(said.into())))
            }
            Self::StoreReadFailed(said) => {
                Event::StoreRead(StoreRead::Failed(StoreError::new(said)))
            }
            Self::Shutdown { grace } => Event::Shutdown { grace: grace.0 },
        })
    }
}

impl Told {
    fn of(outcome: &Outcome) -> Option<Self> {
        Some(match outcome {
            Outcome::ResponseHead(head) => Self::Head(Head::of(head)?),
            Outcome::ResponseChunk(bytes) => Self::Chunk(STANDARD.encode(bytes)),
            Outcome::ResponseEnd(Ok(())) => Self::End,
            Outcome::ResponseEnd(Err(error)) => Self::Broken {
                kind: match error.kind {
                    Transport::Connect => Breakage::Connect,
                    Transport::Broken => Breakage::Broken,
                    Transport::Malformed => Breakage::Malformed,
                    Transport::HeadTooLarge => Breakage::HeadTooLarge,
                    _ => return None,
                },
                message: error.message.clone(),
            },
            Outcome::SourceUpdate(update) => Self::of_source(update)?,
            Outcome::StoreWritten(Ok(upserted)) => Self::Written(match upserted {
                Upserted::Written => WriteEnd::Written,
                Upserted::NotNewer => WriteEnd::NotNewer,
                Upserted::NotInitialized => WriteEnd::NotInitialized,
            }),
            Outcome::StoreWritten(Err(error)) => Self::WriteFailed(error.message().to_owned()),
            Outcome::StoreProbed(Ok(())) => Self::Probed,
            Outcome::StoreProbed(Err(error)) => Self::ProbeFailed(error.message().to_owned()),
            _ => return None,
        })
    }

    fn of_source(update: &SourceUpdate) -> Option<Self> {
        let fault =
            |error: &CustomError| OwnFault { kind: error.kind, message: error.message.to_string() };
        Some(match update {
            SourceUpdate::ChangeSet(change_set) => Self::ChangeSet {
                is_changes: change_set.is_changes(),
                selector: change_set.selector().map(|selector| SelectorFact {
                    state: selector.state().to_owned(),
                    version: selector.version(),
                }),
            },
            SourceUpdate::Unchanged => Self::Unchanged,
            SourceUpdate::EnvironmentId(id) => Self::EnvironmentId(id.to_string()),
            SourceUpdate::Progress => Self::Progress,
            SourceUpdate::Directive(ttl) => Self::Directive(ttl.map(Seconds)),
            SourceUpdate::Failed(error) => Self::Failed(fault(error)),
            SourceUpdate::FailedFinally(error) => Self::FailedFinally(fault(error)),
            SourceUpdate::Ended => Self::Ended,
            _ => return None,
        })
    }

    fn outcome(
        self,
        change_set: impl FnOnce(bool, Option<Selector>) -> Result<ChangeSet, String>,
    ) -> Result<Outcome, String> {
        let update = match self {
            Self::Head(head) => return Ok(Outcome::ResponseHead(head.head()?)),
            Self::Chunk(text) => {
                let bytes = STANDARD.decode(text).map_err(|_| "a chunk is not base64")?;
                return Ok(Outcome::ResponseChunk(bytes.into()));
            }
            Self::End => return Ok(Outcome::ResponseEnd(Ok(()))),
            Self::Broken { kind, message } => {
                let kind = match kind {
                    Breakage::Connect => Transport::Connect,
                    Breakage::Broken => Transport::Broken,
                    Breakage::Malformed => Transport::Malformed,
                    Breakage::HeadTooLarge => Transport::HeadTooLarge,
                };
                return Ok(Outcome::ResponseEnd(Err(TransportError { kind, message })));
            }
            Self::Written(end) => {
                return Ok(Outcome::StoreWritten(Ok(match end {
                    WriteEnd::Written => Upserted::Written,
                    WriteEnd::NotNewer => Upserted::NotNewer,
                    WriteEnd::NotInitialized => Upserted::NotInitialized,
                })));
            }
            Self::WriteFailed(said) => {
                return Ok(Outcome::StoreWritten(Err(StoreError::new(said))));
            }
            Self::Probed => return Ok(Outcome::StoreProbed(Ok(()))),
            Self::ProbeFailed(said) => return Ok(Outcome::StoreProbed(Err(StoreError::new(said)))),
            Self::ChangeSet { is_changes, selector } => {
                let selector =
                    selector.map(|selector| Selector::new(selector.state, selector.version));
                SourceUpdate::ChangeSet(Box::new(change_set(is_changes, selector)?))
            }
            Self::Unchanged => SourceUpdate::Unchanged,
            Self::EnvironmentId(id) => SourceUpdate::EnvironmentId(id.into()),
            Self::Progress => SourceUpdate::Progress,
            Self::Directive(ttl) => SourceUpdate::Directive(ttl.map(|ttl| ttl.0)),
            Self::Failed(fault) => SourceUpdate::Failed(fault.error()),
            Self::FailedFinally(fault) => SourceUpdate::FailedFinally(fault.error()),
            Self::Ended => SourceUpdate::Ended,
        };
        Ok(Outcome::SourceUpdate(update))
    }
}

impl OwnFault {
    fn error(self) -> CustomError {
        CustomError { kind: self.kind, message: Arc::from(self.message) }
    }
}

/// The change set in an event, if there is one.
pub(crate) fn change_set(event: &Event) -> Option<&ChangeSet> {
    match event {
        Event::Effect {
            outcome: Outcome::SourceUpdate(SourceUpdate::ChangeSet(change_set)),
            ..
        } => Some(change_set),
        _ => None,
    }
}

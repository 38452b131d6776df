//! What harms nothing but should be known.

use std::fmt;
use std::sync::Arc;

use fdv2_core::Oddity;

/// The most characters of a hook's error that are kept.
const MESSAGE: usize = 500;

/// Something that harms nothing but should be known. Its text is meant for the application's log.
/// See [`Client::warnings`](crate::Client::warnings).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// A peer did something that makes no sense (B 1.1, 1.4).
    Peer(Oddity),
    /// A hook failed.
    Hook(HookFailure),
}

/// What went wrong in a [`Hook`](crate::Hook).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HookFailure {
    /// The hook's name.
    pub hook: Arc<str>,
    /// What it was doing.
    pub stage: HookStage,
    /// The beginning of its error's text.
    pub message: Arc<str>,
}

/// A stage of a [`Hook`](crate::Hook).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HookStage {
    /// [`before_evaluation`](crate::Hook::before_evaluation).
    BeforeEvaluation,
    /// [`after_evaluation`](crate::Hook::after_evaluation).
    AfterEvaluation,
}

impl HookFailure {
    pub(crate) fn new(hook: Arc<str>, stage: HookStage, message: &str) -> Self {
        let message = message.chars().take(MESSAGE).collect::<String>().into();
        Self { hook, stage, message }
    }
}

impl From<Oddity> for Warning {
    fn from(oddity: Oddity) -> Self {
        Self::Peer(oddity)
    }
}

impl From<HookFailure> for Warning {
    fn from(failure: HookFailure) -> Self {
        Self::Hook(failure)
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Peer(oddity) => oddity.fmt(f),
            Self::Hook(failure) => failure.fmt(f),
        }
    }
}

impl fmt::Display for HookFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stage = match self.stage {
            HookStage::BeforeEvaluation => "before",
            HookStage::AfterEvaluation => "after",
        };
        write!(f, "the hook \"{}\" failed {stage} an evaluation: {}", self.hook, self.message)
    }
}

//! Why an evaluation gave what it gave.

use std::borrow::Cow;
use std::fmt;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Why an evaluation gave what it gave. Serializes to LaunchDarkly's JSON form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason<'a> {
    /// The main reason.
    pub kind: ReasonKind<'a>,
    /// How well big segments could be looked up, if there were any.
    pub big_segments_status: Option<BigSegmentsStatus>,
}

/// The main reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasonKind<'a> {
    /// The flag is off.
    Off,
    /// No target and no rule applied.
    Fallthrough {
        /// Whether the variation is part of an experiment.
        in_experiment: bool,
    },
    /// The context's key is a target.
    TargetMatch,
    /// A rule applied.
    RuleMatch {
        /// Which of the flag's rules, from zero.
        rule_index: usize,
        /// The rule's id, which may be empty.
        rule_id: Cow<'a, str>,
        /// Whether the variation is part of an experiment.
        in_experiment: bool,
    },
    /// Another flag that this one needs is off or gave another variation.
    PrerequisiteFailed {
        /// The key of that flag.
        prerequisite_key: Cow<'a, str>,
    },
    /// There is no result, so that the caller's default counts.
    Error(ErrorKind),
}

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// No data is held yet (B 6.7).
    ClientNotReady,
    /// There is no such flag.
    FlagNotFound,
    /// The flag contradicts itself, needs itself, or needs too many others.
    MalformedFlag,
    /// The context is not valid.
    UserNotSpecified,
    /// The flag's value has another type than the one asked for.
    WrongType,
    /// Something outside of the flag went wrong: a store that could not be read (B 9.10).
    Exception,
}

/// How well big segments could be looked up, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BigSegmentsStatus {
    /// The memberships are up to date.
    Healthy,
    /// They have not been brought up to date for too long.
    Stale,
    /// They could not be read.
    StoreError,
    /// There is no store of memberships, or the segment has no list in it.
    NotConfigured,
}

impl Reason<'_> {
    /// The same, on its own.
    pub fn into_owned(self) -> Reason<'static> {
        Reason { kind: self.kind.into_owned(), big_segments_status: self.big_segments_status }
    }

    /// Whether the variation is part of an experiment.
    pub fn is_in_experiment(&self) -> bool {
        match self.kind {
            ReasonKind::Fallthrough { in_experiment }
            | ReasonKind::RuleMatch { in_experiment, .. } => in_experiment,
            _ => false,
        }
    }

    /// Why there is no result, if there is none.
    pub fn error(&self) -> Option<ErrorKind> {
        match self.kind {
            ReasonKind::Error(error) => Some(error),
            _ => None,
        }
    }
}

impl<'a> From<ReasonKind<'a>> for Reason<'a> {
    fn from(kind: ReasonKind<'a>) -> Self {
        Self { kind, big_segments_status: None }
    }
}

impl From<ErrorKind> for Reason<'_> {
    fn from(error: ErrorKind) -> Self {
        ReasonKind::Error(error).into()
    }
}

impl ReasonKind<'_> {
    fn into_owned(self) -> ReasonKind<'static> {
        match self {
            Self::Off => ReasonKind::Off,
            Self::Fallthrough { in_experiment } => ReasonKind::Fallthrough { in_experiment },
            Self::TargetMatch => ReasonKind::TargetMatch,
            Self::RuleMatch { rule_index, rule_id, in_experiment } => ReasonKind::RuleMatch {
                rule_index,
                rule_id: rule_id.into_owned().into(),
                in_experiment,
            },
            Self::PrerequisiteFailed { prerequisite_key } => ReasonKind::PrerequisiteFailed {
                prerequisite_key: prerequisite_key.into_owned().into(),
            },
            Self::Error(error) => ReasonKind::Error(error),
        }
    }

    /// The name in LaunchDarkly's JSON form.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Off => "OFF",
            Self::Fallthrough { .. } => "FALLTHROUGH",
            Self::TargetMatch => "TARGET_MATCH",
            Self::RuleMatch { .. } => "RULE_MATCH",
            Self::PrerequisiteFailed { .. } => "PREREQUISITE_FAILED",
            Self::Error(_) => "ERROR",
        }
    }
}

impl ErrorKind {
    /// The name in LaunchDarkly's JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClientNotReady => "CLIENT_NOT_READY",
            Self::FlagNotFound => "FLAG_NOT_FOUND",
            Self::MalformedFlag => "MALFORMED_FLAG",
            Self::UserNotSpecified => "USER_NOT_SPECIFIED",
            Self::WrongType => "WRONG_TYPE",
            Self::Exception => "EXCEPTION",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl BigSegmentsStatus {
    /// The name in LaunchDarkly's JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Self::Healthy => "HEALTHY",
            Self::Stale => "STALE",
            Self::StoreError => "STORE_ERROR",
            Self::NotConfigured => "NOT_CONFIGURED",
        }
    }
}

impl Serialize for Reason<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry("kind", self.kind.name())?;
        match &self.kind {
            ReasonKind::RuleMatch { rule_index, rule_id, .. } => {
                members.serialize_entry("ruleIndex", rule_index)?;
                if !rule_id.is_empty() {
                    members.serialize_entry("ruleId", rule_id)?;
                }
            }
            ReasonKind::PrerequisiteFailed { prerequisite_key } => {
                members.serialize_entry("prerequisiteKey", prerequisite_key)?;
            }
            ReasonKind::Error(error) => members.serialize_entry("errorKind", error.name())?,
            ReasonKind::Off | ReasonKind::TargetMatch | ReasonKind::Fallthrough { .. } => {}
        }
        if self.is_in_experiment() {
            members.serialize_entry("inExperiment", &true)?;
        }
        if let Some(status) = self.big_segments_status {
            members.serialize_entry("bigSegmentsStatus", status.name())?;
        }
        members.end()
    }
}

//! Words for people.

use std::time::Duration;

use fdv2_client::core::effect::{SourceId, SwitchReason};
use fdv2_client::core::eval::{Reason, ReasonKind};
use fdv2_client::core::status::{Availability, ErrorKind, SourceError, SourceState};

/// How the user calls this command.
pub(crate) fn command() -> &'static str {
    // Cargo tells what it runs of itself.
    if std::env::var_os("CARGO").is_some() { "cargo run --release --" } else { "fdv2" }
}

/// A number of things.
pub(crate) fn counted(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}

/// A duration as short as it can be said: `12 ms`, `3.4 s`.
pub(crate) fn took(duration: Duration) -> String {
    if duration < Duration::from_millis(1) {
        "less than 1 ms".to_owned()
    } else if duration < Duration::from_secs(1) {
        format!("{} ms", duration.as_millis())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

/// The states by the names of B 6.1.
pub(crate) fn state(state: SourceState) -> &'static str {
    match state {
        SourceState::Initializing => "INITIALIZING",
        SourceState::Valid => "VALID",
        SourceState::Interrupted => "INTERRUPTED",
        SourceState::Off => "OFF",
    }
}

/// How good the data is, by the names of B 6.5.
pub(crate) fn availability(availability: Availability) -> &'static str {
    match availability {
        Availability::Defaults => "DEFAULTS",
        Availability::Cached => "CACHED",
        Availability::Refreshed => "REFRESHED",
    }
}

/// The kinds of error by the names of B 6.1.
pub(crate) fn error_kind(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Network => "NETWORK",
        ErrorKind::ErrorResponse => "ERROR_RESPONSE",
        ErrorKind::InvalidData => "INVALID_DATA",
        ErrorKind::Store => "STORE",
        ErrorKind::Unknown => "UNKNOWN",
    }
}

/// An error on one line.
pub(crate) fn error(error: &SourceError) -> String {
    format!("{}: {}", error_kind(error.kind), error.message)
}

/// The sources of the preset `default`, which all commands use.
pub(crate) fn source(source: Option<SourceId>) -> &'static str {
    match source {
        Some(SourceId::Initializer(_)) => "first poll",
        Some(SourceId::Synchronizer(0)) => "streaming",
        Some(SourceId::Synchronizer(_)) => "polling",
        Some(SourceId::Fdv1) => "FDv1 polling",
        None => "none",
    }
}

/// Why the source changed.
pub(crate) fn switch(why: SwitchReason) -> &'static str {
    match why {
        SwitchReason::Started => "started",
        SwitchReason::Initialized => "the first poll is over",
        SwitchReason::Fallback => "the one before was unhealthy for too long",
        SwitchReason::Recovery => "healthy for long enough to try the first choice again",
        SwitchReason::RecoveryFailed => "the first choice is still silent",
        SwitchReason::Removed => "the one before failed for good",
        SwitchReason::Directive => "the server ordered it",
        SwitchReason::DirectiveEnded => "the server's order has ended",
        _ => "another reason",
    }
}

/// Why an evaluation gave its value.
pub(crate) fn reason(reason: &Reason<'_>) -> String {
    match &reason.kind {
        ReasonKind::Off => "the flag is off".to_owned(),
        ReasonKind::Fallthrough { .. } => "no rule matched".to_owned(),
        ReasonKind::TargetMatch => "a target".to_owned(),
        ReasonKind::RuleMatch { rule_index, .. } => format!("rule {} matched", rule_index + 1),
        ReasonKind::PrerequisiteFailed { prerequisite_key } => format!("needs {prerequisite_key}"),
        ReasonKind::Error(error) => error.name().to_owned(),
    }
}

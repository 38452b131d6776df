//! What makes data invalid (B 1.11).

use std::fmt;
use std::sync::Arc;

/// Data that is not what the protocol says, or goes over a limit (B 1.11, 1.13).
///
/// Quotes at most [`QUOTE`] characters of what came in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct InvalidData {
    fault: Fault,
    message: Arc<str>,
}

/// What kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Utf8,
    Json,
    Protocol,
    Limit,
    MissingBase,
    BaselessNone,
    Undecodable,
}

/// The most characters of input that a message quotes.
pub const QUOTE: usize = 100;

/// `text`, cut at a character boundary after [`QUOTE`] characters.
pub fn clip(text: &str) -> &str {
    let end = text.char_indices().nth(QUOTE).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

impl InvalidData {
    fn new(fault: Fault, message: impl fmt::Display) -> Self {
        Self { fault, message: message.to_string().into() }
    }

    /// `what` holds bytes that are not UTF-8 (B 1.10).
    pub fn utf8(what: impl fmt::Display) -> Self {
        Self::new(Fault::Utf8, format_args!("{what} is not UTF-8"))
    }

    /// `what` is not the JSON it has to be, and why.
    pub fn json(what: impl fmt::Display, why: impl fmt::Display) -> Self {
        Self::new(Fault::Json, format_args!("{what}: {}", clip(&why.to_string())))
    }

    /// The protocol is broken, and how. `message` must be ours, with at most clipped quotes.
    pub fn protocol(message: impl fmt::Display) -> Self {
        Self::new(Fault::Protocol, message)
    }

    /// `what` goes over its limit (B 1.13).
    pub fn limit(what: impl fmt::Display, limit: usize) -> Self {
        Self::new(Fault::Limit, format_args!("{what} goes over the limit of {limit}"))
    }

    /// `intent` needs data that is not held, or that the server was not told of (B 1.14).
    pub fn missing_base(intent: &str) -> Self {
        let fault = if intent == "none" { Fault::BaselessNone } else { Fault::MissingBase };
        Self::new(
            fault,
            format_args!("the server sent {intent} but no data is held that it could refer to"),
        )
    }

    /// A flag or segment cannot be decoded, and why (B 1.9). `why` names kind and key.
    pub fn undecodable(why: impl fmt::Display) -> Self {
        Self::new(Fault::Undecodable, why)
    }

    /// What is wrong, for people.
    pub fn message(&self) -> &Arc<str> {
        &self.message
    }

    /// Whether an intent without a base is all that is wrong (B 1.14).
    pub fn is_missing_base(&self) -> bool {
        matches!(self.fault, Fault::MissingBase | Fault::BaselessNone)
    }

    /// Whether a `none` without a base is all that is wrong. To an initializer it only means:
    /// next (B 1.14).
    pub fn is_baseless_none(&self) -> bool {
        self.fault == Fault::BaselessNone
    }

    /// Whether undecodable objects are all that is wrong, so that the rest can be salvaged
    /// (B 1.15).
    pub fn is_undecodable(&self) -> bool {
        self.fault == Fault::Undecodable
    }

    /// Whether a limit was gone over (B 1.13).
    pub fn is_limit(&self) -> bool {
        self.fault == Fault::Limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_cut_between_characters() {
        let text = "é".repeat(QUOTE + 1);
        assert_eq!(clip(&text).chars().count(), QUOTE);
        assert_eq!(clip("short"), "short");
    }

    #[test]
    fn a_message_quotes_little_of_what_came_in() {
        let error = InvalidData::json("put-object", "x".repeat(10_000));
        assert!(error.message().len() < 200);
    }
}

//! What can be wrong with a configuration.

use std::time::Duration;

/// Why a configuration was refused (B 11.2). Each says what to change, and none shows a secret.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The SDK key cannot be sent.
    #[error(
        "the SDK key is empty or holds a character that cannot stand in an HTTP header; \
         copy it again from the project's settings, without spaces or line breaks"
    )]
    SdkKey,
    /// A base URL cannot be used.
    #[error("the {what} base URL is not usable: {why}")]
    BaseUrl {
        /// Whose base URL.
        what: &'static str,
        /// What is wrong, and what to write instead.
        why: String,
    },
    /// A duration is zero or out of its range.
    #[error("{what} is {given:?}; it must be between {least:?} and {most:?}")]
    Duration {
        /// Which setting.
        what: &'static str,
        /// What was given.
        given: Duration,
        /// The least that is legal.
        least: Duration,
        /// The most that is legal.
        most: Duration,
    },
    /// A limit is zero.
    #[error("the limit {0} is zero, so nothing could ever be received; raise it")]
    Limit(&'static str),
    /// A header cannot be sent.
    #[error(
        "the header {0:?} cannot be sent; write its name and value as HTTP allows, in printable \
         ASCII, and leave it out if it is one that is ours to set, such as Authorization"
    )]
    Header(String),
    /// The wrapper's name or version cannot be sent.
    #[error(
        "the wrapper's name or version holds a character that cannot stand in an HTTP header; \
         write both in printable ASCII, without line breaks"
    )]
    Wrapper,
    /// Two settings contradict each other.
    #[error("{0}")]
    Contradiction(&'static str),
}

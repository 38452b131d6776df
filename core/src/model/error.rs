//! An object that cannot be decoded.

use std::fmt::Display;

use serde::de;

use super::Kind;

/// An object is not a JSON object, or a known field of it has the wrong JSON type (B 1.9).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} {key:?} cannot be decoded: {problem}")]
pub struct DecodeError {
    kind: Kind,
    key: Box<str>,
    field: Box<str>,
    problem: Box<str>,
}

/// How much of a peer's text an error repeats, in bytes.
const QUOTED: usize = 100;

/// Stands between the names of nested fields and what is wrong with the last of them.
const SEPARATOR: &str = ": ";

impl DecodeError {
    /// Reads the field out of an error that [`within`] has passed through.
    pub(super) fn new(kind: Kind, key: &str, error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let problem = match message.strip_suffix(&place) {
            Some(problem) => format!("{}{place}", shorten(problem)),
            None => shorten(&message).to_owned(),
        };
        let field = match message.split_once(SEPARATOR) {
            Some((path, _)) if is_path(path) => path,
            _ => "",
        };
        Self { kind, key: shorten(key).into(), field: field.into(), problem: problem.into() }
    }

    /// The kind of the object.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The key of the object, cut if it is very long.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The field at fault, as `rules.clauses.values`; empty if it is the object itself.
    pub fn field(&self) -> &str {
        &self.field
    }
}

/// Names `field` as the place of `error`, outside of the fields that are named already.
pub(super) fn within<E: de::Error>(field: &str, error: impl Display) -> E {
    let message = error.to_string();
    let is_nested = message.split_once(SEPARATOR).is_some_and(|(path, _)| is_path(path));
    let separator = if is_nested { "." } else { SEPARATOR };
    E::custom(format_args!("{field}{separator}{message}"))
}

fn is_path(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'.')
}

/// Cuts `text` at a character's boundary.
fn shorten(text: &str) -> &str {
    let end = text.floor_char_boundary(QUOTED);
    text.get(..end).unwrap_or_default()
}

//! What an evaluation gives, together with why.

use serde::Serialize;
use serde_json::Value;

use super::{ErrorKind, Reason};

/// What an evaluation gives, together with why. Serializes to LaunchDarkly's JSON form.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Detail<'a, T> {
    /// The value: one of the flag's variations, or the caller's default.
    pub value: T,
    /// Which of the flag's variations it is, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variation_index: Option<usize>,
    /// Why.
    pub reason: Reason<'a>,
}

impl<'a, T> Detail<'a, T> {
    /// The caller's default, because there is no result.
    pub fn default_because(error: ErrorKind, default: T) -> Self {
        Self { value: default, variation_index: None, reason: error.into() }
    }

    /// The same with another value.
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Detail<'a, U> {
        Detail {
            value: convert(self.value),
            variation_index: self.variation_index,
            reason: self.reason,
        }
    }

    /// The same, with a reason that borrows nothing.
    pub fn into_owned(self) -> Detail<'static, T> {
        Detail {
            value: self.value,
            variation_index: self.variation_index,
            reason: self.reason.into_owned(),
        }
    }
}

impl<'a> Detail<'a, Option<&'a Value>> {
    pub(super) fn error(error: ErrorKind) -> Self {
        Self::default_because(error, None)
    }

    /// The value as another type: `default` if there is none, and also, with
    /// [`ErrorKind::WrongType`], if `convert` refuses it (B 6.7).
    pub fn typed<T>(
        self,
        default: T,
        convert: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Detail<'a, T> {
        let Some(value) = self.value else {
            return Detail { value: default, variation_index: None, reason: self.reason };
        };
        match convert(value) {
            Some(value) => self.map(|_| value),
            None => Detail::default_because(ErrorKind::WrongType, default),
        }
    }
}

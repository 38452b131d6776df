//! What a flag's changes mean for one context (B 7.2).

use std::fmt;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};

use fdv2_core::context::Context;
use fdv2_core::model::is_same_value;
use futures::Stream;
use serde_json::Value;

use crate::facts::NewerData;
use crate::queue::Subscription;
use crate::shared::Shared;

/// A flag's value has become another one for the context that is listened for (B 7.2).
#[derive(Clone, Debug, PartialEq)]
pub struct ValueChange {
    /// The flag.
    pub key: Arc<str>,
    /// The value told last, or the one at the registration.
    pub old: Value,
    /// The value since.
    pub new: Value,
}

/// The changes of what one flag gives to one context. See
/// [`Client::value_changes`](crate::Client::value_changes).
///
/// The reader's own task evaluates, not the driver.
pub struct ValueChanges {
    pub(super) newer_data: Subscription<NewerData>,
    flag: Watched,
    value: Value,
}

/// A flag as one context sees it.
struct Watched {
    shared: Arc<Shared>,
    key: Arc<str>,
    context: Context,
    default: Value,
}

impl Watched {
    /// The value of this moment, unless it is `known`.
    fn value_if_not(&self, known: &Value) -> Option<Value> {
        self.shared.evaluate_to_watch(&self.context, &self.key, |detail| {
            let value = detail.value.unwrap_or(&self.default);
            (!is_same_value(value, known)).then(|| value.clone())
        })
    }
}

impl ValueChanges {
    /// Evaluates only once it listens, so that no change falls in between (B 7.4).
    pub(crate) fn new(
        shared: Arc<Shared>,
        key: Arc<str>,
        context: Context,
        default: Value,
    ) -> Self {
        let newer_data = shared.facts().subscribe_newer_data();
        let flag = Watched { shared, key, context, default };
        let value = flag.value_if_not(&flag.default).unwrap_or_else(|| flag.default.clone());
        Self { newer_data, flag, value }
    }

    /// What the flag gave when it was last evaluated: at first, at the registration (B 7.4).
    pub fn value(&self) -> &Value {
        &self.value
    }

    fn look(&mut self) -> Option<ValueChange> {
        let new = self.flag.value_if_not(&self.value)?;
        let old = mem::replace(&mut self.value, new.clone());
        Some(ValueChange { key: Arc::clone(&self.flag.key), old, new })
    }
}

impl Stream for ValueChanges {
    type Item = ValueChange;

    /// To evaluate one flag is quicker than to work out whether a change set concerns it.
    fn poll_next(
        mut self: Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> Poll<Option<ValueChange>> {
        while ready!(self.newer_data.poll_entry(cx)).is_some() {
            if let Some(change) = self.look() {
                return Poll::Ready(Some(change));
            }
        }
        Poll::Ready(None)
    }
}

impl fmt::Debug for ValueChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueChanges").field("key", &self.flag.key).finish_non_exhaustive()
    }
}

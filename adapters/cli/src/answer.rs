//! What a flag gives to somebody.

use fdv2_client::{Client, Context, Reason};
use serde_json::Value;

/// One flag's value, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) value: Value,
    pub(crate) version: u64,
    pub(crate) variation_index: Option<usize>,
    pub(crate) reason: Reason<'static>,
}

impl Answer {
    /// What the flag of this key gives to `context`; `None` if there is no such flag.
    pub(crate) fn of(client: &Client, context: &Context, key: &str) -> Option<Self> {
        let snapshot = client.snapshot();
        let version = snapshot.flag(key)?.version();
        let detail = snapshot.variation_detail(context, key);
        Some(Self {
            value: detail.value.cloned().unwrap_or_default(),
            version,
            variation_index: detail.variation_index,
            reason: detail.reason.into_owned(),
        })
    }
}

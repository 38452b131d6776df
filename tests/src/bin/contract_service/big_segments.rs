//! A store of the members of big segments that is asked by HTTP (C 3.7).

use std::collections::BTreeMap;
use std::time::Duration;

use fdv2_client::Client;
use fdv2_client::big_segments::{BigSegmentStore, BigSegments, ContextHash, Memberships, Metadata};
use fdv2_client::store::StoreError;
use futures::StreamExt;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::callback::Caller;
use crate::configuration;

/// How long the store may take to say for the first time how it is.
const FIRST_STATUS: Duration = Duration::from_secs(5);

struct Remote {
    caller: Caller,
    callback_uri: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct GivenMetadata {
    last_up_to_date: Option<u64>,
}

#[derive(Deserialize)]
struct GivenMemberships {
    values: Option<BTreeMap<String, Option<bool>>>,
}

impl Remote {
    fn ask<T: DeserializeOwned>(&self, what: &str, question: &Value) -> Result<T, StoreError> {
        let answer = self.caller.ask(&format!("{}/{what}", self.callback_uri), question);
        let answer = answer.map_err(|error| StoreError::new(format!("{what}: {error}")))?;
        serde_json::from_value(answer).map_err(|error| StoreError::new(format!("{what}: {error}")))
    }
}

impl BigSegmentStore for Remote {
    fn metadata(&self) -> Result<Metadata, StoreError> {
        let given: GivenMetadata = self.ask("getMetadata", &json!({}))?;
        Ok(Metadata { last_up_to_date: given.last_up_to_date })
    }

    fn memberships(&self, context: &ContextHash) -> Result<Memberships, StoreError> {
        let question = json!({ "contextHash": context.as_str() });
        let given: GivenMemberships = self.ask("getMembership", &question)?;
        let mut memberships = Memberships::new();
        for (reference, is_member) in given.values.unwrap_or_default() {
            match is_member {
                Some(true) => memberships.include(&reference)?,
                Some(false) => memberships.exclude(&reference)?,
                None => {}
            }
        }
        Ok(memberships)
    }
}

pub(crate) fn open(caller: &Caller, wanted: &configuration::BigSegments) -> BigSegments {
    let callback_uri = wanted.callback_uri.clone();
    let mut segments = BigSegments::new(Remote { caller: caller.clone(), callback_uri });
    if let Some(contexts) = wanted.user_cache_size {
        segments = segments.cache_size(contexts);
    }
    if let Some(time) = wanted.user_cache_time_ms {
        segments = segments.cache_time(Duration::from_millis(time));
    }
    if let Some(interval) = wanted.status_poll_interval_ms {
        segments = segments.poll_interval(Duration::from_millis(interval));
    }
    if let Some(time) = wanted.stale_after_ms {
        segments = segments.stale_after(Duration::from_millis(time));
    }
    segments
}

/// Waits for the store's first answer: before it there is no status to tell.
pub(crate) async fn status(client: &Client) -> Value {
    let mut statuses = client.big_segment_status_stream();
    let first = tokio::time::timeout(FIRST_STATUS, statuses.next()).await;
    let status = first.ok().flatten().unwrap_or_else(|| client.big_segment_status());
    json!({ "available": status.is_available, "stale": status.is_stale })
}

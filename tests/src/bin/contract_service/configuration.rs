//! The configuration of a client as it is sent (C 3.4). In every place null is the same as nothing,
//! and what is not known is passed over (C 3.1).

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

/// The request to make a client.
#[derive(Deserialize)]
pub(crate) struct Create {
    pub(crate) configuration: Configuration,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Configuration {
    pub(crate) credential: Option<String>,
    /// In milliseconds.
    pub(crate) start_wait_time_ms: Option<u64>,
    pub(crate) init_can_fail: Option<bool>,
    pub(crate) data_system: Option<DataSystem>,
    pub(crate) service_endpoints: Option<ServiceEndpoints>,
    /// Where older suites have the store.
    pub(crate) persistent_data_store: Option<PersistentDataStore>,
    pub(crate) tags: Option<Tags>,
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) tls: Option<Tls>,
    pub(crate) proxy: Option<Proxy>,
    pub(crate) hooks: Option<Hooks>,
    pub(crate) big_segments: Option<BigSegments>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DataSystem {
    pub(crate) initializers: Option<Vec<Source>>,
    pub(crate) synchronizers: Option<Vec<Source>>,
    pub(crate) fdv1_fallback: Option<Polling>,
    pub(crate) store: Option<Store>,
    /// 0 to read only, 1 to write, too.
    pub(crate) store_mode: Option<u64>,
}

/// A source: one of the two.
#[derive(Deserialize)]
pub(crate) struct Source {
    pub(crate) streaming: Option<Streaming>,
    pub(crate) polling: Option<Polling>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Streaming {
    pub(crate) base_uri: Option<String>,
    pub(crate) initial_retry_delay_ms: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Polling {
    pub(crate) base_uri: Option<String>,
    pub(crate) poll_interval_ms: Option<u64>,
}

#[derive(Deserialize)]
pub(crate) struct ServiceEndpoints {
    pub(crate) streaming: Option<String>,
    pub(crate) polling: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Store {
    pub(crate) persistent_data_store: Option<PersistentDataStore>,
}

#[derive(Deserialize)]
pub(crate) struct PersistentDataStore {
    pub(crate) store: Database,
    pub(crate) cache: Option<Cache>,
}

#[derive(Deserialize)]
pub(crate) struct Database {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) prefix: Option<String>,
    pub(crate) dsn: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Cache {
    pub(crate) mode: Option<CacheMode>,
    /// In seconds.
    pub(crate) ttl: Option<u64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CacheMode {
    Off,
    Ttl,
    Infinite,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tags {
    pub(crate) application_id: Option<String>,
    pub(crate) application_version: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Wrapper {
    pub(crate) name: Option<String>,
    pub(crate) version: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tls {
    pub(crate) skip_verify_peer: Option<bool>,
    #[serde(rename = "customCAFile")]
    pub(crate) custom_ca_file: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Proxy {
    pub(crate) http_proxy: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct Hooks {
    pub(crate) hooks: Option<Vec<Hook>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hook {
    pub(crate) name: Option<String>,
    pub(crate) callback_uri: String,
    /// By stage.
    pub(crate) data: Option<BTreeMap<String, Option<Map<String, Value>>>>,
    /// By stage.
    pub(crate) errors: Option<BTreeMap<String, Option<String>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BigSegments {
    pub(crate) callback_uri: String,
    pub(crate) user_cache_size: Option<usize>,
    pub(crate) user_cache_time_ms: Option<u64>,
    pub(crate) status_poll_interval_ms: Option<u64>,
    pub(crate) stale_after_ms: Option<u64>,
}

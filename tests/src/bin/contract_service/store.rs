//! The persistent store of a client (C 4).

use std::time::Duration;

use fdv2_client::CacheMode;
use fdv2_client::config::StoreMode;
use fdv2_client::store::Store;
use fdv2_redis::RedisStore;

use crate::configuration::{self, Cache, Configuration, Database, PersistentDataStore};
use crate::refusal::Refusal;

const DEFAULT_URL: &str = "redis://localhost:6379";

/// Opens the store that `configuration` speaks of, if it does.
pub(crate) fn open(
    configuration: &Configuration,
) -> Result<Option<(StoreMode, Store, CacheMode)>, Refusal> {
    let system = configuration.data_system.as_ref();
    let inner = system
        .and_then(|system| system.store.as_ref())
        .and_then(|store| store.persistent_data_store.as_ref());
    let Some(wanted) = inner.or(configuration.persistent_data_store.as_ref()) else {
        return Ok(None);
    };
    let mode = match system.and_then(|system| system.store_mode) {
        None | Some(0) => StoreMode::ReadOnly,
        Some(1) => StoreMode::ReadWrite,
        Some(mode) => {
            return Err(Refusal::malformed(format!("storeMode is 0 or 1, not {mode}")));
        }
    };
    let PersistentDataStore { store, cache } = wanted;
    Ok(Some((mode, redis(store)?, cache_mode(cache.as_ref()))))
}

fn redis(database: &Database) -> Result<Store, Refusal> {
    if database.kind != "redis" {
        let why = format!("there is no store for {:?} here; use \"redis\"", database.kind);
        return Err(Refusal::malformed(why));
    }
    let url = database.dsn.as_deref().filter(|url| !url.is_empty()).unwrap_or(DEFAULT_URL);
    let store = RedisStore::new(url).map_err(Refusal::malformed)?;
    Ok(Store::new(store.prefix(database.prefix.as_deref().unwrap_or_default())))
}

fn cache_mode(cache: Option<&Cache>) -> CacheMode {
    let Some(cache) = cache else { return CacheMode::default() };
    match (cache.mode, cache.ttl) {
        (Some(configuration::CacheMode::Off), _) => CacheMode::Off,
        (Some(configuration::CacheMode::Infinite), _) => CacheMode::Infinite,
        (_, Some(seconds)) => CacheMode::Ttl(Duration::from_secs(seconds)),
        (_, None) => CacheMode::default(),
    }
}

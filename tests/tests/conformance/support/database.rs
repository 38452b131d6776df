//! A Redis server of a test's own, as another program sees it (C 4.1).

use fdv2_tests::redis_server::RedisServer;
use redis::{Client, Commands, Connection};
use serde_json::{Value, json};

use super::Setup;

/// A database that nobody else has.
pub(crate) struct Database {
    server: RedisServer,
}

impl Database {
    pub(crate) fn new() -> Self {
        Self { server: RedisServer::start() }
    }

    /// A setup with this database as its store.
    pub(crate) fn setup(
        &self,
        setup: Setup,
        prefix: Option<&str>,
        mode: u64,
        cache: Value,
    ) -> Setup {
        let store = json!({ "persistentDataStore": self.store(prefix, cache) });
        setup.set_system("store", store).set_system("storeMode", mode)
    }

    /// This database, as a configuration names it.
    pub(crate) fn store(&self, prefix: Option<&str>, cache: Value) -> Value {
        let store = json!({ "type": "redis", "prefix": prefix, "dsn": self.server.url() });
        json!({ "store": store, "cache": cache })
    }

    /// Writes flags beside those that are there.
    pub(crate) fn write(&self, prefix: &str, flags: &[Value]) {
        for flag in flags {
            self.put(prefix, "features", flag["key"].as_str().expect("a key"), flag);
        }
    }

    /// Writes one record.
    pub(crate) fn put(&self, prefix: &str, collection: &str, key: &str, record: &Value) {
        let hash = format!("{prefix}:{collection}");
        self.connect().hset::<_, _, _, ()>(hash, key, record.to_string()).expect("a write");
    }

    pub(crate) fn write_marker(&self, prefix: &str) {
        self.connect().set::<_, _, ()>(format!("{prefix}:$inited"), "1").expect("a write");
    }

    pub(crate) fn has_marker(&self, prefix: &str) -> bool {
        self.connect().exists(format!("{prefix}:$inited")).expect("a read")
    }

    /// The keys of all flags.
    pub(crate) fn keys(&self, prefix: &str) -> Vec<String> {
        self.connect().hkeys(format!("{prefix}:features")).expect("a read")
    }

    /// A flag's record.
    pub(crate) fn record(&self, prefix: &str, key: &str) -> Option<Value> {
        let text: Option<String> =
            self.connect().hget(format!("{prefix}:features"), key).expect("a read");
        text.map(|text| serde_json::from_str(&text).expect("JSON"))
    }

    pub(crate) fn empty(&self) {
        redis::cmd("FLUSHALL").exec(&mut self.connect()).expect("a write");
    }

    fn connect(&self) -> Connection {
        let client = Client::open(self.server.url()).expect("a good URL");
        client.get_connection().expect("a connection")
    }
}

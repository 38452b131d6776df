//! Every store in the suite.

use std::sync::Arc;

use fdv2_client::store::PersistentStore;
use fdv2_redis::RedisStore;
use fdv2_sqlite::SqliteStore;
use fdv2_tests::redis_server::RedisServer;
use fdv2_tests::scratch::Scratch;
use fdv2_tests::store_conformance::Database;

struct Redis(RedisServer);

impl Database for Redis {
    fn open(&self) -> Arc<dyn PersistentStore> {
        Arc::new(RedisStore::new(&self.0.url()).expect("a good URL").prefix("conformance"))
    }
}

struct Sqlite(Scratch);

impl Database for Sqlite {
    fn open(&self) -> Arc<dyn PersistentStore> {
        Arc::new(SqliteStore::new(self.0.file("flags.sqlite")))
    }
}

mod in_memory {
    use fdv2_tests::store_conformance::{MemoryStore, Shared};

    fdv2_tests::store_conformance!(Shared::new(MemoryStore::default()));
    fdv2_tests::atomic_store_conformance!(Shared::new(MemoryStore::default()));
}

mod in_redis {
    use super::{Redis, RedisServer};

    fdv2_tests::store_conformance!(Redis(RedisServer::start()));
    fdv2_tests::atomic_store_conformance!(Redis(RedisServer::start()));
}

mod in_sqlite {
    use super::{Scratch, Sqlite};

    fdv2_tests::store_conformance!(Sqlite(Scratch::new()));
    fdv2_tests::atomic_store_conformance!(Sqlite(Scratch::new()));
}

//! The store.

use std::fmt;
use std::sync::LazyLock;

use fdv2_client::store::{Kind, PersistentStore, Record, StoreError, Upserted, read_version};
use redis::{Cmd, Connection, ErrorKind, RedisResult, Script, Value, cmd};

use crate::database::{Database, made_of_a_database};

/// How much goes into one command, in bytes: enough to keep the network busy, and little enough to
/// need no more memory than that.
const CHUNK: usize = 1 << 20;

/// How often to look again when other writers are faster.
const ATTEMPTS: usize = 1000;

/// Writes a field if it still is what was read. The version is compared here, not there: Lua
/// counts in floating point.
static REPLACE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
        if redis.call('HGET', KEYS[1], ARGV[1]) ~= (ARGV[3] or false) then return 0 end
        redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
        return 1",
    )
});

/// Flags and segments in Redis (B 9): the hashes `PREFIX:features` and `PREFIX:segments` of JSON
/// texts by key, and the marker `PREFIX:$inited`.
///
/// A full write is one transaction. Needs Redis 4 or later; a cluster whose slots part the three is
/// not supported.
pub struct RedisStore {
    database: Database,
}

impl RedisStore {
    made_of_a_database!();

    /// Removes all records and the marker.
    ///
    /// # Errors
    /// The database cannot be written.
    pub fn clear(&self) -> Result<(), StoreError> {
        let names = [self.marker(), self.collection(Kind::Flag), self.collection(Kind::Segment)];
        self.database.connections.with(|connection| cmd("UNLINK").arg(&names).exec(connection))
    }

    fn collection(&self, kind: Kind) -> String {
        let name = match kind {
            Kind::Flag => "features",
            Kind::Segment => "segments",
        };
        self.database.name(name)
    }

    fn marker(&self) -> String {
        self.database.name("$inited")
    }

    fn has_marker(&self, connection: &mut Connection) -> RedisResult<bool> {
        cmd("EXISTS").arg(self.marker()).query(connection)
    }

    fn write_all(&self, connection: &mut Connection, records: &[Record]) -> RedisResult<()> {
        let collections = [Kind::Flag, Kind::Segment].map(|kind| (kind, self.collection(kind)));
        cmd("MULTI").exec(connection)?;
        for (kind, collection) in &collections {
            cmd("UNLINK").arg(collection).exec(connection)?;
            let mut chunk = Chunk::new(collection);
            for record in records.iter().filter(|record| record.kind() == *kind) {
                chunk.add(record);
                if chunk.is_full() {
                    chunk.send(connection)?;
                    chunk = Chunk::new(collection);
                }
            }
            chunk.send(connection)?;
        }
        cmd("SET").arg(self.marker()).arg("1").exec(connection)?;
        cmd("EXEC").exec(connection)
    }

    fn write_one(&self, connection: &mut Connection, record: &Record) -> RedisResult<Upserted> {
        let collection = self.collection(record.kind());
        for _ in 0..ATTEMPTS {
            let held = field(connection, &collection, record.key())?;
            let version = held.as_deref().and_then(read_version);
            if version.is_some_and(|version| version >= record.version()) {
                let is_initialized = self.has_marker(connection)?;
                return Ok(if is_initialized {
                    Upserted::NotNewer
                } else {
                    Upserted::NotInitialized
                });
            }
            let mut replace = REPLACE.key(&collection);
            replace.key(self.marker()).arg(&**record.key()).arg(&**record.text()).arg(&held);
            match replace.invoke::<i64>(connection)? {
                -1 => return Ok(Upserted::NotInitialized),
                0 => {}
                _ => return Ok(Upserted::Written),
            }
        }
        Err((ErrorKind::Client, "too many others write the same record").into())
    }
}

impl PersistentStore for RedisStore {
    fn all(&self, kind: Kind, found: &mut dyn FnMut(&[u8], &[u8])) -> Result<(), StoreError> {
        let collection = self.collection(kind);
        let reply = self
            .database
            .connections
            .with(|connection| cmd("HGETALL").arg(&collection).query::<Value>(connection))?;
        let pairs = reply.as_map_iter().ok_or_else(|| {
            StoreError::new(format!("Redis at {} gave no hash", self.database.connections.name))
        })?;
        for pair in pairs {
            if let (Value::BulkString(key), Value::BulkString(value)) = pair {
                found(key, value);
            }
        }
        Ok(())
    }

    fn one(&self, kind: Kind, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let collection = self.collection(kind);
        self.database.connections.with(|connection| field(connection, &collection, key))
    }

    fn is_initialized(&self) -> Result<bool, StoreError> {
        self.database.connections.with(|connection| self.has_marker(connection))
    }

    fn replace_all(&self, records: &[Record]) -> Result<(), StoreError> {
        self.database.connections.with(|connection| self.write_all(connection, records))
    }

    fn upsert(&self, record: &Record) -> Result<Upserted, StoreError> {
        self.database.connections.with(|connection| self.write_one(connection, record))
    }

    fn close(&self) {
        self.database.connections.close();
    }
}

impl fmt::Debug for RedisStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.database.describe("RedisStore", f)
    }
}

fn field(connection: &mut Connection, collection: &str, key: &str) -> RedisResult<Option<Vec<u8>>> {
    cmd("HGET").arg(collection).arg(key).query(connection)
}

/// Some fields of a hash, to be written with one command.
struct Chunk {
    command: Cmd,
    bytes: usize,
}

impl Chunk {
    fn new(collection: &str) -> Self {
        let mut command = cmd("HSET");
        command.arg(collection);
        Self { command, bytes: 0 }
    }

    fn add(&mut self, record: &Record) {
        self.command.arg(&**record.key()).arg(&**record.text());
        self.bytes += record.key().len() + record.text().len();
    }

    fn is_full(&self) -> bool {
        self.bytes >= CHUNK
    }

    fn send(&self, connection: &mut Connection) -> RedisResult<()> {
        if self.bytes == 0 {
            return Ok(());
        }
        self.command.exec(connection)
    }
}

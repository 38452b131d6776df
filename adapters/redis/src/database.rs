//! What both stores are made of: a database and how the names of our keys begin in it.

use std::fmt;

use crate::connections::Connections;
use crate::url::{Address, RedisUrlError};

const DEFAULT_PREFIX: &str = "launchdarkly";

pub(crate) struct Database {
    pub(crate) connections: Connections,
    prefix: String,
}

impl Database {
    pub(crate) fn new(url: &str) -> Result<Self, RedisUrlError> {
        let connections = Connections::new(Address::parse(url)?)?;
        Ok(Self { connections, prefix: DEFAULT_PREFIX.into() })
    }

    pub(crate) fn set_prefix(&mut self, prefix: &str) {
        self.prefix = if prefix.is_empty() { DEFAULT_PREFIX } else { prefix }.into();
    }

    /// The name of one of our keys.
    pub(crate) fn name(&self, what: &str) -> String {
        format!("{}:{what}", self.prefix)
    }

    pub(crate) fn describe(&self, store: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(store)
            .field("address", &self.connections.name)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// How a store is made from its `database`: the same for both.
macro_rules! made_of_a_database {
    () => {
        /// The store in the database that `url` names, as `redis://user:password@host:6379/0`.
        ///
        /// # Errors
        /// The URL cannot be used.
        pub fn new(url: &str) -> Result<Self, $crate::RedisUrlError> {
            Ok(Self { database: $crate::database::Database::new(url)? })
        }

        /// Sets what the names of all keys begin with; an empty one means `launchdarkly`, the
        /// default.
        pub fn prefix(mut self, prefix: &str) -> Self {
            self.database.set_prefix(prefix);
            self
        }

        /// Sets how long connecting to one of the host's addresses may take: 5 s by default.
        pub fn connect_timeout(mut self, timeout: std::time::Duration) -> Self {
            self.database.connections.set_connect_timeout(timeout);
            self
        }

        /// Sets how long a command may go without a byte: 5 s by default.
        pub fn command_timeout(mut self, timeout: std::time::Duration) -> Self {
            self.database.connections.set_command_timeout(timeout);
            self
        }
    };
}

pub(crate) use made_of_a_database;

//! Connections to one database.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fdv2_client::store::StoreError;
use redis::{Client, Connection, RedisResult};

use crate::fault;
use crate::url::{Address, RedisUrlError};

/// The shortest timeout that a socket takes.
const SHORTEST: Duration = Duration::from_millis(1);

/// One for reads, one for writes.
const IDLE: usize = 2;

pub(crate) struct Connections {
    client: Client,
    /// Host and port.
    pub(crate) name: String,
    connect_timeout: Duration,
    command_timeout: Duration,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    pub(crate) fn new(address: Address) -> Result<Self, RedisUrlError> {
        Ok(Self {
            client: Client::open(address.info).map_err(|_| RedisUrlError::Parts)?,
            name: address.name,
            connect_timeout: Duration::from_secs(5),
            command_timeout: Duration::from_secs(5),
            idle: Mutex::new(Vec::new()),
        })
    }

    pub(crate) fn set_connect_timeout(&mut self, timeout: Duration) {
        self.connect_timeout = timeout.max(SHORTEST);
    }

    pub(crate) fn set_command_timeout(&mut self, timeout: Duration) {
        self.command_timeout = timeout.max(SHORTEST);
    }

    /// Gives `work` a connection. One that failed in any way is never used again, so that an answer
    /// that comes late is not taken for that to another question.
    ///
    /// The server may have closed a connection that was idle: then `work` is done once more on a
    /// new one, so it must do no harm to do it twice.
    pub(crate) fn with<R>(
        &self,
        work: impl Fn(&mut Connection) -> RedisResult<R>,
    ) -> Result<R, StoreError> {
        let used = self.idle().pop();
        if let Some(mut connection) = used {
            match work(&mut connection) {
                Err(error) if error.is_connection_dropped() => self.close(),
                result => return self.finish(connection, result),
            }
        }
        let mut connection = self.connect()?;
        let result = work(&mut connection);
        self.finish(connection, result)
    }

    /// Closes what is idle.
    pub(crate) fn close(&self) {
        let idle = std::mem::take(&mut *self.idle());
        drop(idle);
    }

    fn finish<R>(&self, connection: Connection, result: RedisResult<R>) -> Result<R, StoreError> {
        let result = result.map_err(|error| fault::of_command(&self.name, &error))?;
        let mut idle = self.idle();
        if idle.len() < IDLE {
            idle.push(connection);
        }
        Ok(result)
    }

    fn connect(&self) -> Result<Connection, StoreError> {
        #[cfg(feature = "tls")]
        crate::tls::choose_provider();
        let connect = || {
            let connection = self.client.get_connection_with_timeout(self.connect_timeout)?;
            connection.set_read_timeout(Some(self.command_timeout))?;
            connection.set_write_timeout(Some(self.command_timeout))?;
            Ok(connection)
        };
        connect().map_err(|error| fault::of_connect(&self.name, &error))
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

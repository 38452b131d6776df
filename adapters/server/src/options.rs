//! What a server is told at its start.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Zero would be a hot loop.
const LEAST: Duration = Duration::from_millis(1);

/// Settings of a [`Server`](crate::Server). Shows no key in `Debug`.
#[derive(Clone)]
pub struct Options {
    pub(crate) file: PathBuf,
    pub(crate) address: SocketAddr,
    pub(crate) sdk_key: Option<String>,
    pub(crate) heartbeat: Duration,
    pub(crate) check_interval: Duration,
    pub(crate) stall_limit: Duration,
}

impl Options {
    /// Serves `file` on a free port of the loopback address, and accepts any SDK key.
    pub fn new(file: impl Into<PathBuf>) -> Self {
        Self {
            file: file.into(),
            address: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            sdk_key: None,
            heartbeat: Duration::from_secs(15),
            check_interval: Duration::from_millis(100),
            stall_limit: Duration::from_secs(60),
        }
    }

    /// Listens here. Port 0 is any free port.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// Accepts this SDK key only; every other gets 401.
    pub fn sdk_key(mut self, key: impl Into<String>) -> Self {
        self.sdk_key = Some(key.into());
        self
    }

    /// How often a silent stream carries a heartbeat: 15 s. At least 1 ms.
    pub fn heartbeat(mut self, interval: Duration) -> Self {
        self.heartbeat = interval.max(LEAST);
        self
    }

    /// How often the file is looked at: 100 ms. At least 1 ms.
    pub fn check_interval(mut self, interval: Duration) -> Self {
        self.check_interval = interval.max(LEAST);
        self
    }

    /// A connection on which no byte moves for this long is closed: 60 s. Keep it longer than the
    /// heartbeat.
    pub fn stall_limit(mut self, limit: Duration) -> Self {
        self.stall_limit = limit;
        self
    }
}

impl std::fmt::Debug for Options {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Options")
            .field("file", &self.file)
            .field("address", &self.address)
            .field("has_sdk_key", &self.sdk_key.is_some())
            .field("heartbeat", &self.heartbeat)
            .field("check_interval", &self.check_interval)
            .field("stall_limit", &self.stall_limit)
            .finish()
    }
}

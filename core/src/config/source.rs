//! The sources of data, as configured.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::endpoints::Shown;

/// What is done with a persistent store (B 9.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreMode {
    /// It is read until the first data arrives, and never written.
    ReadOnly,
    /// The same, and it is kept like memory.
    ReadWrite,
}

/// A configured source of data.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The FDv2 stream, `/sdk/stream`. Synchronizers only.
    Streaming(Streaming),
    /// FDv2 polling, `/sdk/poll`.
    Polling(Polling),
    /// A source of the application's own (B 3.12).
    Custom(Custom),
}

impl Source {
    /// What kind of source, for people.
    pub fn label(&self) -> &str {
        match self {
            Self::Streaming(_) => "streaming",
            Self::Polling(_) => "polling",
            Self::Custom(custom) => &custom.name,
        }
    }
}

impl From<Streaming> for Source {
    fn from(streaming: Streaming) -> Self {
        Self::Streaming(streaming)
    }
}

impl From<Polling> for Source {
    fn from(polling: Polling) -> Self {
        Self::Polling(polling)
    }
}

impl From<Custom> for Source {
    fn from(custom: Custom) -> Self {
        Self::Custom(custom)
    }
}

/// A streaming source.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Streaming {
    /// A base URL of its own.
    pub base_url: Option<String>,
    /// The first delay before a reconnect.
    pub initial_retry_delay: Duration,
}

impl fmt::Debug for Streaming {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streaming")
            .field("base_url", &self.base_url.as_deref().map(Shown))
            .field("initial_retry_delay", &self.initial_retry_delay)
            .finish()
    }
}

impl Default for Streaming {
    fn default() -> Self {
        Self { base_url: None, initial_retry_delay: Duration::from_secs(1) }
    }
}

impl Streaming {
    /// A stream from the configured endpoint, with an initial retry delay of 1 s.
    pub fn new() -> Self {
        Self::default()
    }

    /// Connects to this base URL and not to [`Endpoints::streaming`](super::Endpoints::streaming).
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The first delay before a reconnect; later ones double up to 30 s (B 8.1). 1 s by default.
    pub fn initial_retry_delay(mut self, delay: Duration) -> Self {
        self.initial_retry_delay = delay;
        self
    }
}

/// A polling source, FDv2 or FDv1.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Polling {
    /// A base URL of its own.
    pub base_url: Option<String>,
    /// The time between the starts of two polls.
    pub interval: Duration,
}

impl fmt::Debug for Polling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Polling")
            .field("base_url", &self.base_url.as_deref().map(Shown))
            .field("interval", &self.interval)
            .finish()
    }
}

impl Default for Polling {
    fn default() -> Self {
        Self { base_url: None, interval: Duration::from_secs(30) }
    }
}

impl Polling {
    /// Polls the configured endpoint every 30 s.
    pub fn new() -> Self {
        Self::default()
    }

    /// Polls this base URL and not [`Endpoints::polling`](super::Endpoints::polling).
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The time from the start of one poll to the start of the next. A value under
    /// [`Timing::min_poll_interval`](super::Timing::min_poll_interval) is raised to it (B 4.1).
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }
}

/// A source of the application's own, named so that the driver finds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Custom {
    /// By which the driver finds it.
    pub name: Arc<str>,
    /// It reads files.
    pub is_file: bool,
    /// A persistent store is given what it brings.
    pub persist: bool,
}

impl Custom {
    /// A custom source of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), is_file: false, persist: true }
    }

    /// The name.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// It reads files: its data counts only as cached, and is not persisted (B 6.5, 9.4). After a
    /// failure it is opened again within 1 s, however often it has failed, as it has to read its
    /// files again when they change (B 4.6).
    pub fn file(mut self) -> Self {
        self.is_file = true;
        self.persist = false;
        self
    }

    /// Whether a persistent store is given what it brings. Yes by default (B 9.4).
    pub fn persist(mut self, persist: bool) -> Self {
        self.persist = persist;
        self
    }
}

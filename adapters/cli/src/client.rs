//! One client, on either runtime.

use std::fmt;

use fdv2_client::{Client, Config, StartError};

use crate::args::Runtime;

impl Runtime {
    /// Starts a client. Both are driven the same way from then on, from whatever thread.
    pub(crate) fn start(self, config: Config) -> Result<Client, StartError> {
        match self {
            Self::Tokio => fdv2_tokio::start(config),
            Self::Smol => fdv2_smol::start(config),
        }
    }
}

impl fmt::Display for Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tokio => "tokio",
            Self::Smol => "smol",
        })
    }
}

//! Calling whoever drives the service, from the threads on which the client calls back.

use std::time::Duration;

use serde_json::Value;
use ureq::Agent;

/// How long one call may take.
const LIMIT: Duration = Duration::from_secs(30);

/// An HTTP client that goes through no proxy. Clones share its connections.
#[derive(Clone)]
pub(crate) struct Caller(Agent);

impl Caller {
    pub(crate) fn new() -> Self {
        Self(Agent::config_builder().proxy(None).timeout_global(Some(LIMIT)).build().into())
    }

    /// Tells `uri` something. That it does not get there is for the log: whoever waits for it will
    /// see.
    pub(crate) fn tell(&self, uri: &str, what: &Value) {
        if let Err(error) = self.0.post(uri).send_json(what) {
            eprintln!("{uri} cannot be called: {error}");
        }
    }

    /// Asks `uri` something.
    pub(crate) fn ask(&self, uri: &str, what: &Value) -> Result<Value, ureq::Error> {
        self.0.post(uri).send_json(what)?.body_mut().read_json()
    }
}

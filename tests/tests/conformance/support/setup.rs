//! Configurations as the contract's suite sends them (C 2.0, 3.4).

use serde_json::{Value, json};

use super::{Endpoint, Mocks, Payload, Sdk, Service, Stream, poll};

/// The configuration of a client: with null for everything that is not set.
#[derive(Clone)]
pub(crate) struct Setup(Value);

impl Setup {
    /// Without a source.
    pub(crate) fn new() -> Self {
        Self(json!({
            "credential": "test-sdk-key", "startWaitTimeMs": null, "tls": null, "proxy": null,
            "events": null, "bigSegments": null, "tags": null, "clientSide": null, "hooks": null,
            "wrapper": null, "persistentDataStore": null, "serviceEndpoints": null,
            "dataSystem": {
                "useDefaultDataSystem": null, "store": null, "storeMode": 0, "initializers": null,
                "synchronizers": null, "fdv1Fallback": null, "connectionModeConfig": null,
            },
        }))
    }

    pub(crate) fn request(&self, tag: &str) -> Value {
        json!({ "configuration": self.0, "tag": tag })
    }

    /// Sets a member of the configuration.
    pub(crate) fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0[name] = value.into();
        self
    }

    /// Sets a member of the data system.
    pub(crate) fn set_system(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0["dataSystem"][name] = value.into();
        self
    }

    /// An initializer more.
    pub(crate) fn initializer(self, endpoint: &Endpoint) -> Self {
        self.push("initializers", polling(endpoint.url(), None))
    }

    /// A stream more.
    pub(crate) fn stream(self, endpoint: &Endpoint) -> Self {
        self.stream_at(endpoint.url(), None)
    }

    /// A stream more, with an initial delay for its retries in milliseconds.
    pub(crate) fn stream_retried(self, endpoint: &Endpoint, delay: u64) -> Self {
        self.stream_at(endpoint.url(), Some(delay))
    }

    pub(crate) fn stream_at(self, url: &str, delay: Option<u64>) -> Self {
        let streaming = json!({ "baseUri": url, "initialRetryDelayMs": delay });
        self.push("synchronizers", json!({ "streaming": streaming, "polling": null }))
    }

    /// A polling synchronizer more.
    pub(crate) fn poll(self, endpoint: &Endpoint) -> Self {
        self.poll_at(endpoint.url(), None)
    }

    /// The same, with an interval in milliseconds.
    pub(crate) fn poll_at(self, url: &str, interval: Option<u64>) -> Self {
        self.push("synchronizers", polling(url, interval))
    }

    pub(crate) fn fdv1(self, endpoint: &Endpoint) -> Self {
        let polling = json!({ "baseUri": endpoint.url(), "pollIntervalMs": null });
        self.set_system("fdv1Fallback", polling)
    }

    /// The start may fail, and is waited for so many milliseconds.
    pub(crate) fn can_fail(self, wait: u64) -> Self {
        self.set("initCanFail", true).set("startWaitTimeMs", wait)
    }

    fn push(mut self, list: &str, source: Value) -> Self {
        let list = &mut self.0["dataSystem"][list];
        if list.is_null() {
            *list = json!([]);
        }
        list.as_array_mut().expect("a list").push(source);
        self
    }
}

fn polling(url: &str, interval: Option<u64>) -> Value {
    json!({ "streaming": null, "polling": { "baseUri": url, "pollIntervalMs": interval } })
}

/// The data system of most suites: a polling initializer and a stream, which serve the same.
pub(crate) struct DefaultSystem {
    pub(crate) mocks: Mocks,
    pub(crate) initializer: Endpoint,
    pub(crate) stream: Stream,
    pub(crate) streaming: Endpoint,
}

impl DefaultSystem {
    pub(crate) fn new(payload: Payload) -> Self {
        let mocks = Mocks::new();
        let stream = Stream::new(payload.clone());
        let (initializer, streaming) = (mocks.mount(poll(payload)), mocks.mount(stream.handler()));
        Self { mocks, initializer, stream, streaming }
    }

    pub(crate) fn setup(&self) -> Setup {
        Setup::new().initializer(&self.initializer).stream(&self.streaming)
    }
}

/// Starts a client on one stream, which it has asked for once.
#[track_caller]
pub(crate) fn start_streaming<'a>(
    service: &'a Service,
    payload: Payload,
) -> (Mocks, Stream, Endpoint, Sdk<'a>) {
    let mocks = Mocks::new();
    let stream = Stream::new(payload);
    let endpoint = mocks.mount(stream.handler());
    let sdk = service.create(&Setup::new().stream_retried(&endpoint, 1));
    endpoint.request(std::time::Duration::from_secs(2));
    (mocks, stream, endpoint, sdk)
}

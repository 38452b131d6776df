//! The runtimes under test, and requests on them.

use std::future::Future;

use fdv2_client::http::HttpOptions;
use fdv2_client::tls::tls_config;
use fdv2_client::{Client, Config, CustomSource, Hook, NamedSource, StartError, Transport};
use fdv2_core::{Limits, Outcome, Request, ResponseHead, TransportError};
use fdv2_smol::SurfTransport;
use fdv2_tests::runtimes::within_patience;
use fdv2_tokio::ReqwestTransport;
use futures::stream::{BoxStream, StreamExt};
use tokio::runtime::{Builder, Runtime};

pub(crate) use fdv2_tests::runtimes::{PATIENCE, eventually};

/// A client on a runtime, with one thing more.
macro_rules! started {
    ($host:expr, $config:expr, $with:ident($($part:expr),+)) => {
        match $host {
            Host::Tokio(runtime) => {
                let builder = fdv2_tokio::ClientBuilder::new($config);
                builder.runtime(runtime.handle().clone()).$with($($part),+).start().unwrap()
            }
            Host::Smol => fdv2_smol::ClientBuilder::new($config).$with($($part),+).start().unwrap(),
        }
    };
}

/// A runtime.
pub(crate) enum Host {
    Tokio(Runtime),
    Smol,
}

impl Host {
    pub(crate) fn tokio_multi_thread() -> Self {
        let mut builder = Builder::new_multi_thread();
        Self::Tokio(builder.worker_threads(2).enable_all().build().unwrap())
    }

    pub(crate) fn tokio_current_thread() -> Self {
        Self::Tokio(Builder::new_current_thread().enable_all().build().unwrap())
    }

    pub(crate) fn smol() -> Self {
        Self::Smol
    }

    /// Runs `future` on this runtime, for a bounded time.
    pub(crate) fn run<T>(&self, future: impl Future<Output = T>) -> T {
        let future = within_patience(future);
        match self {
            Self::Tokio(runtime) => runtime.block_on(future),
            Self::Smol => smol::block_on(future),
        }
    }

    /// This runtime's HTTP client as a user gets it.
    pub(crate) fn transport(&self) -> Box<dyn Transport> {
        self.transport_with(tls_config([]).unwrap(), Limits::default().head_bytes)
    }

    pub(crate) fn transport_with(
        &self,
        options: impl Into<HttpOptions>,
        head_bytes: usize,
    ) -> Box<dyn Transport> {
        self.try_transport(options, head_bytes).unwrap()
    }

    pub(crate) fn try_transport(
        &self,
        options: impl Into<HttpOptions>,
        head_bytes: usize,
    ) -> Result<Box<dyn Transport>, StartError> {
        Ok(match self {
            Self::Tokio(_) => Box::new(ReqwestTransport::new(options, head_bytes)?),
            Self::Smol => Box::new(SurfTransport::new(options, head_bytes)?),
        })
    }

    /// A client on this runtime as a user starts it.
    pub(crate) fn start(&self, config: Config) -> Client {
        match self {
            Self::Tokio(runtime) => {
                let _inside = runtime.enter();
                fdv2_tokio::start(config).unwrap()
            }
            Self::Smol => fdv2_smol::start(config).unwrap(),
        }
    }

    /// A client on this runtime whose HTTP client has these settings.
    pub(crate) fn start_over(&self, config: Config, options: HttpOptions) -> Client {
        started!(self, config, http(options))
    }

    /// A client on this runtime with a custom source, which makes no request.
    pub(crate) fn start_with(
        &self,
        config: Config,
        name: &str,
        source: impl CustomSource,
    ) -> Client {
        started!(self, config, custom_source(name, source))
    }

    /// A client on this runtime with this hook.
    pub(crate) fn start_hooked(&self, config: Config, hook: impl Hook) -> Client {
        started!(self, config, hook(hook))
    }

    /// A client on this runtime with a source that knows its own name.
    pub(crate) fn start_named(&self, config: Config, source: impl NamedSource) -> Client {
        started!(self, config, source(source))
    }

    /// Fetches `url` to the end.
    pub(crate) fn fetch(&self, url: &str) -> Fetched {
        let transport = self.transport();
        self.run(fetch(&*transport, get(url)))
    }

    /// As [`fetch`](Self::fetch), with these settings of the HTTP client.
    pub(crate) fn fetch_over(&self, options: HttpOptions, url: &str) -> Fetched {
        let transport = self.transport_with(options, Limits::default().head_bytes);
        self.run(fetch(&*transport, get(url)))
    }
}

/// A request as the core makes one.
pub(crate) fn get(url: &str) -> Request {
    get_with(url, &[])
}

pub(crate) fn get_with(url: &str, headers: &[(&str, &[u8])]) -> Request {
    let mut request = http::Request::get(url);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Request(request.body(()).unwrap())
}

/// All that came of a request.
#[derive(Debug)]
pub(crate) struct Fetched {
    pub(crate) head: Option<ResponseHead>,
    pub(crate) body: Vec<u8>,
    pub(crate) end: Result<(), TransportError>,
}

impl Fetched {
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn status(&self) -> Option<u16> {
        self.head.as_ref().map(|head| head.status)
    }

    pub(crate) fn header(&self, name: &str) -> Option<&[u8]> {
        Some(self.head.as_ref()?.headers.get(name)?.as_bytes())
    }
}

/// Sends `request` and reads everything, in the order that a transport owes.
pub(crate) async fn fetch(transport: &dyn Transport, request: Request) -> Fetched {
    let mut outcomes = transport.send(request);
    let mut head = None;
    let mut body = Vec::new();
    let end = loop {
        match outcomes.next().await.expect("an end comes before the stream ends") {
            Outcome::ResponseHead(came) => {
                assert!(head.is_none() && body.is_empty(), "a second head, or a late one");
                head = Some(came);
            }
            Outcome::ResponseChunk(bytes) => {
                assert!(head.is_some(), "a chunk before the head");
                body.extend_from_slice(&bytes);
            }
            Outcome::ResponseEnd(end) => break end,
            other => panic!("not an outcome of a request: {other:?}"),
        }
    };
    assert_eq!(outcomes.next().await, None, "something came after the end");
    Fetched { head, body, end }
}

/// Reads chunks until the body so far ends with `text`.
pub(crate) async fn read_until(outcomes: &mut BoxStream<'static, Outcome>, text: &str) -> String {
    let mut body = Vec::new();
    while !body.ends_with(text.as_bytes()) {
        match outcomes.next().await {
            Some(Outcome::ResponseHead(_)) => {}
            Some(Outcome::ResponseChunk(bytes)) => body.extend_from_slice(&bytes),
            other => panic!("{other:?} instead of {text:?}"),
        }
    }
    String::from_utf8(body).unwrap()
}

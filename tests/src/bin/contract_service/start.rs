//! From the configuration that was sent to a client.

use std::time::Duration;

use fdv2_client::big_segments::BigSegments;
use fdv2_client::config::{self, Endpoints};
use fdv2_client::http::{HttpOptions, Proxy};
use fdv2_client::store::Store;
use fdv2_client::{CacheMode, Client, Config, ConfigBuilder, ErrorKind, WaitError};

use crate::big_segments;
use crate::callback::Caller;
use crate::configuration::{
    Configuration, DataSystem, Polling, ServiceEndpoints, Source, Streaming,
};
use crate::hooks::Reporting;
use crate::refusal::Refusal;
use crate::runtime::Runtime;
use crate::store;

/// How long to wait for a client that does not say (C 3.3).
const DEFAULT_WAIT: Duration = Duration::from_secs(5);

/// The longest wait. One test asks for 347 days, and means that it does not care.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What a client is started with, beside its `Config`.
pub(crate) struct Extras {
    pub(crate) store: Option<(Store, CacheMode)>,
    pub(crate) http: Option<HttpOptions>,
    pub(crate) hooks: Vec<Reporting>,
    pub(crate) big_segments: Option<BigSegments>,
}

/// Starts a client, and waits for it as long as it is to be waited for (C 3.3).
pub(crate) async fn start(
    configuration: &Configuration,
    runtime: &Runtime,
    caller: &Caller,
) -> Result<Client, Refusal> {
    let (config, extras) = build(configuration, caller)?;
    let client = runtime.start(config, extras).map_err(Refusal::failed)?;
    let outcome = client.wait_for_initialization(wait(configuration)).await;
    match outcome {
        Err(error) if !configuration.init_can_fail.unwrap_or(false) && !is_tolerated(&error) => {
            Err(Refusal::failed(error))
        }
        _ => Ok(client),
    }
}

fn wait(configuration: &Configuration) -> Duration {
    match configuration.start_wait_time_ms {
        None | Some(0) => DEFAULT_WAIT,
        Some(millis) => Duration::from_millis(millis).min(LONGEST_WAIT),
    }
}

/// A certificate that is not trusted is no reason to refuse the client, whatever `initCanFail` says:
/// the tests of such certificates leave it out, and want a client that makes no request (C 2.1). It
/// has not failed, either: the certificate may be replaced, so it goes on trying.
fn is_tolerated(error: &WaitError) -> bool {
    matches!(error, WaitError::TimedOut(Some(error))
        if error.kind == ErrorKind::Network && error.message.contains("certificate"))
}

fn build(configuration: &Configuration, caller: &Caller) -> Result<(Config, Extras), Refusal> {
    let mut builder = with_sources(configuration)?;
    if let Some(endpoints) = &configuration.service_endpoints {
        builder = builder.endpoints(service_endpoints(endpoints));
    }
    if let Some(tags) = &configuration.tags {
        builder = builder
            .application_id(tags.application_id.clone().unwrap_or_default())
            .application_version(tags.application_version.clone().unwrap_or_default());
    }
    if let Some(wrapper) = &configuration.wrapper {
        let (name, version) = (wrapper.name.clone(), wrapper.version.clone());
        builder = builder.wrapper(name.unwrap_or_default(), version.unwrap_or_default());
    }
    let hooks = configuration.hooks.iter().flat_map(|hooks| hooks.hooks.iter().flatten());
    let mut extras = Extras {
        store: None,
        http: http(configuration)?,
        hooks: hooks.map(|hook| Reporting::new(caller, hook)).collect(),
        big_segments: None,
    };
    if let Some((mode, store, cache)) = store::open(configuration)? {
        builder = builder.store(mode);
        extras.store = Some((store, cache));
    }
    let big_segments = configuration.big_segments.as_ref();
    extras.big_segments = big_segments.map(|wanted| big_segments::open(caller, wanted));
    Ok((builder.build().map_err(Refusal::malformed)?, extras))
}

/// Without a data system of its own, a client has the default one.
fn with_sources(configuration: &Configuration) -> Result<ConfigBuilder, Refusal> {
    let key = configuration.credential.as_deref().unwrap_or_default();
    let Some(system) = &configuration.data_system else { return Ok(Config::builder(key)) };
    let DataSystem { initializers, synchronizers, fdv1_fallback, .. } = system;
    let mut builder = Config::custom(key);
    for initializer in initializers.iter().flatten() {
        builder = builder.initializer(source(initializer)?);
    }
    for synchronizer in synchronizers.iter().flatten() {
        builder = builder.synchronizer(source(synchronizer)?);
    }
    if let Some(fdv1) = fdv1_fallback {
        builder = builder.fdv1(polling(fdv1));
    }
    Ok(builder)
}

fn source(source: &Source) -> Result<config::Source, Refusal> {
    match (&source.streaming, &source.polling) {
        (Some(one), None) => Ok(streaming(one).into()),
        (None, Some(one)) => Ok(polling(one).into()),
        _ => Err(Refusal::malformed("a source is either streaming or polling")),
    }
}

fn streaming(wanted: &Streaming) -> config::Streaming {
    let mut streaming = config::Streaming::new();
    if let Some(url) = &wanted.base_uri {
        streaming = streaming.base_url(url);
    }
    if let Some(delay) = wanted.initial_retry_delay_ms {
        streaming = streaming.initial_retry_delay(Duration::from_millis(delay));
    }
    streaming
}

fn polling(wanted: &Polling) -> config::Polling {
    let mut polling = config::Polling::new();
    if let Some(url) = &wanted.base_uri {
        polling = polling.base_url(url);
    }
    if let Some(interval) = wanted.poll_interval_ms {
        polling = polling.interval(Duration::from_millis(interval));
    }
    polling
}

fn service_endpoints(wanted: &ServiceEndpoints) -> Endpoints {
    let default = Endpoints::default();
    Endpoints {
        streaming: wanted.streaming.clone().unwrap_or(default.streaming),
        polling: wanted.polling.clone().unwrap_or(default.polling),
    }
}

/// Proxies and certificates, where something is said of them.
fn http(configuration: &Configuration) -> Result<Option<HttpOptions>, Refusal> {
    let tls = configuration.tls.as_ref();
    let proxy = configuration.proxy.as_ref().and_then(|proxy| proxy.http_proxy.as_ref());
    if tls.is_none() && proxy.is_none() {
        return Ok(None);
    }
    let mut options = HttpOptions::builder();
    let ca_file = tls.and_then(|tls| tls.custom_ca_file.as_ref());
    if tls.and_then(|tls| tls.skip_verify_peer).unwrap_or(false) {
        // Whoever is not checked needs no CA either.
        options = options.dangerously_trust_any_server();
    } else if let Some(file) = ca_file {
        options = options.root_certificate_file(file);
    }
    if let Some(url) = proxy {
        options = options.proxy(Proxy::new(url));
    }
    options.build().map(Some).map_err(Refusal::malformed)
}

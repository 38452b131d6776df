//! B 8.1: a thousand clients that lose one server at once, in virtual time, each with the seed that
//! a client has.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use fdv2_core::{Config, Instant, Outcome, Request};
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use futures::stream::{self, BoxStream};

use super::scripted::{event_stream, full_transfer};
use super::sim::Sim;
use super::start_with;
use crate::{CustomSources, Runtime, Transport};

const CLIENTS: usize = 1_000;

/// The one server: when requests came, and the streams that are open.
#[derive(Clone)]
struct Server {
    sim: Sim,
    requests: Arc<Mutex<Vec<Instant>>>,
    streams: Arc<Mutex<Vec<UnboundedSender<Outcome>>>>,
}

impl Transport for Server {
    fn send(&self, _: Request) -> BoxStream<'static, Outcome> {
        let server = self.clone();
        let begin = async move {
            let (stream, outcomes) = unbounded();
            server.requests.lock().unwrap().push(server.sim.now());
            let transfer = Bytes::from(full_transfer("f1", 1));
            stream.unbounded_send(event_stream()).unwrap();
            stream.unbounded_send(Outcome::ResponseChunk(transfer)).unwrap();
            server.streams.lock().unwrap().push(stream);
            outcomes
        };
        stream::once(begin).flatten().boxed()
    }
}

impl Server {
    /// When they come again, counted from now, when all streams are lost at once.
    fn loses_all(&self) -> Vec<Duration> {
        let lost = self.sim.now();
        self.requests.lock().unwrap().clear();
        self.streams.lock().unwrap().clear();
        self.sim.advance(Duration::from_secs(10));
        let requests = self.requests.lock().unwrap();
        requests.iter().map(|at| at.saturating_since(lost)).collect()
    }
}

#[test]
fn a_thousand_clients_that_lose_one_server_spread_their_return() {
    let sim = Sim::default();
    let server = Server { sim: sim.clone(), requests: Arc::default(), streams: Arc::default() };
    let config = || Config::streaming("sdk-key").build().unwrap();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|_| start_with(&sim, config(), server.clone(), CustomSources::new()))
        .collect();
    // Long enough to be healthy: the delay is the initial one, 1 s less up to a half.
    sim.advance(Duration::from_secs(100));
    assert!(clients.iter().all(crate::Client::initialized));
    let returns = server.loses_all();
    assert_eq!(returns.len(), CLIENTS);
    let millis: Vec<_> = returns.iter().map(Duration::as_millis).collect();
    assert!(millis.iter().all(|at| (500..=1_000).contains(at)), "{millis:?}");
    // Even returns give each tenth of a second a fifth of them.
    for from in (500..1_000).step_by(20) {
        let within = millis.iter().filter(|at| (from..from + 100).contains(*at)).count();
        assert!(within <= CLIENTS * 3 / 10, "{within} within 100 ms from {from} ms");
    }
}

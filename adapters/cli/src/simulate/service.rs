//! The service that all simulated clients ask: what it answers, and when.

use std::time::Duration;

use bytes::Bytes;
use fdv2_client::core::effect::{ResponseHead, TransportError, TransportErrorKind};
use fdv2_client::core::model::Kind;
use fdv2_client::core::protocol::encode::{self, Message};
use fdv2_client::core::protocol::event::IntentCode;
use fdv2_client::core::{Instant, Outcome, Request};
use http::{HeaderMap, HeaderValue, header};

use super::chance::Chance;
use super::script::{Phase, Script, Service};

/// A client hears from its stream this often, at least.
const HEARTBEAT: Duration = Duration::from_secs(100);

/// The key of the flag whose version tells how new the data of a client is.
pub(crate) const NEWEST: &str = "flag-0";

/// What the service has, ready to be sent. Bodies are shared by all clients.
pub(crate) struct Model {
    script: Script,
    until: Instant,
    /// By version, from 1.
    data: Vec<Data>,
}

/// The bodies of one version.
struct Data {
    stream: Bodies,
    poll: Bodies,
    fdv1: Bytes,
}

/// For a client without data, with older data, and with this data.
struct Bodies {
    full: Bytes,
    changes: Bytes,
    none: Bytes,
}

/// What a client will hear, and when.
pub(crate) type Reply = Vec<(Instant, Outcome)>;

impl Model {
    pub(crate) fn new(script: Script, flags: u32, until: Duration) -> Self {
        let newest = script.phases().last().map_or(1, |phase| phase.version);
        let data = (1..=newest).map(|version| Data::new(version, flags)).collect();
        Self { script, until: Instant::from_epoch(until), data }
    }

    /// Answers a request. `is_overloaded` says that the service has too much to do for this one.
    pub(crate) fn answer(
        &self,
        now: Instant,
        request: &Request,
        chance: &mut Chance,
        is_overloaded: bool,
    ) -> Reply {
        let at = now + chance.between(Duration::from_millis(20), Duration::from_millis(80));
        let phase = self.script.at(now.since_epoch());
        let is_fdv1 = request.0.uri().path() == "/sdk/latest-all";
        match phase.service {
            Service::Hang => Vec::new(),
            Service::Down => {
                let message = "connection refused".to_owned();
                let error = TransportError { kind: TransportErrorKind::Connect, message };
                vec![(at, Outcome::ResponseEnd(Err(error)))]
            }
            Service::Status(status) => refusal(at, status, None),
            Service::Brownout(share) if chance.percent() < u32::from(share) => {
                refusal(at, 503, None)
            }
            _ if is_overloaded => refusal(at, 503, None),
            Service::Directive(seconds) if !is_fdv1 => refusal(at, 503, Some(seconds)),
            Service::Up | Service::Brownout(_) | Service::Directive(_) => {
                self.serve(at, request, phase, chance)
            }
        }
    }

    fn serve(&self, at: Instant, request: &Request, phase: Phase, chance: &mut Chance) -> Reply {
        let Some(data) = self.data(phase.version) else { return Vec::new() };
        let basis = basis(request);
        let ended = |body: &Bytes| {
            let chunk = Outcome::ResponseChunk(body.clone());
            vec![(at, head("application/json")), (at, chunk), (at, Outcome::ResponseEnd(Ok(())))]
        };
        match request.0.uri().path() {
            "/sdk/latest-all" => ended(&data.fdv1),
            "/sdk/poll" => ended(data.poll.since(basis, phase.version)),
            _ => {
                let first = data.stream.since(basis, phase.version).clone();
                let mut reply =
                    vec![(at, head("text/event-stream")), (at, Outcome::ResponseChunk(first))];
                self.go_on(at, &mut reply, chance);
                reply
            }
        }
    }

    /// What an open stream hears from `at` on: heartbeats, changes, and its break.
    fn go_on(&self, at: Instant, reply: &mut Reply, chance: &mut Chance) {
        let place = self.script.place(at.since_epoch());
        let mut heard = at;
        for phase in self.script.phases().iter().skip(place + 1) {
            let begins = Instant::from_epoch(phase.from);
            let moment = begins + chance.between(Duration::ZERO, Duration::from_millis(200));
            beat(&mut heard, moment, reply);
            let changes = self.data(phase.version).map(|data| data.stream.changes.clone());
            match (phase.service, changes) {
                (Service::Up, Some(changes)) => {
                    reply.push((moment, Outcome::ResponseChunk(changes)));
                    heard = moment;
                }
                (Service::Brownout(_), _) => {}
                _ => {
                    let message = "connection reset".to_owned();
                    let error = TransportError { kind: TransportErrorKind::Broken, message };
                    reply.push((moment, Outcome::ResponseEnd(Err(error))));
                    return;
                }
            }
        }
        beat(&mut heard, self.until, reply);
    }

    fn data(&self, version: u64) -> Option<&Data> {
        self.data.get(usize::try_from(version.checked_sub(1)?).ok()?)
    }
}

/// Heartbeats up to a moment.
fn beat(heard: &mut Instant, moment: Instant, reply: &mut Reply) {
    while *heard + HEARTBEAT < moment {
        *heard = *heard + HEARTBEAT;
        reply.push((*heard, Outcome::ResponseChunk(Bytes::from_static(b": beat\n\n"))));
    }
}

impl Data {
    fn new(version: u64, flags: u32) -> Self {
        let keys: Vec<String> = (0..flags.max(1)).map(|index| format!("flag-{index}")).collect();
        let objects: Vec<String> = keys.iter().map(|key| object(key, version)).collect();
        let items = || keys.iter().map(String::as_str).zip(objects.iter().map(String::as_str));
        let transfer = |code: IntentCode, count: usize| {
            let state = format!("v{version}");
            let write = |is_stream: bool| {
                let intent =
                    Message::ServerIntent { payload: "p", target: version, code, reason: "r" };
                let puts = items().take(count).map(|(key, object)| Message::PutObject {
                    kind: Kind::Flag,
                    key,
                    version,
                    object,
                });
                let end = Message::PayloadTransferred { state: &state, version };
                let end = (code != IntentCode::None).then_some(end);
                let messages = std::iter::once(intent).chain(puts).chain(end);
                if !is_stream {
                    return Bytes::from(encode::poll_body(messages));
                }
                let mut out = Vec::new();
                messages.for_each(|message| message.write_frame(&mut out));
                Bytes::from(out)
            };
            (write(true), write(false))
        };
        let (full, changes, none) = (
            transfer(IntentCode::Full, keys.len()),
            transfer(IntentCode::Changes, 1),
            transfer(IntentCode::None, 0),
        );
        Self {
            stream: Bodies { full: full.0, changes: changes.0, none: none.0 },
            poll: Bodies { full: full.1, changes: changes.1, none: none.1 },
            fdv1: encode::fdv1_body(items(), []).into(),
        }
    }
}

impl Bodies {
    fn since(&self, basis: Option<u64>, version: u64) -> &Bytes {
        match basis {
            Some(basis) if basis == version => &self.none,
            Some(_) => &self.changes,
            None => &self.full,
        }
    }
}

/// A flag as a service sends it.
fn object(key: &str, version: u64) -> String {
    format!(
        r#"{{"key":"{key}","version":{version},"on":true,"variations":[false,true],"fallthrough":{{"variation":1}},"offVariation":0,"salt":"salt","targets":[],"rules":[],"prerequisites":[]}}"#
    )
}

/// The version that a client says it has.
fn basis(request: &Request) -> Option<u64> {
    let query = request.0.uri().query()?;
    query.split('&').find_map(|part| part.strip_prefix("basis=v"))?.parse().ok()
}

fn head(kind: &'static str) -> Outcome {
    let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
    Outcome::ResponseHead(ResponseHead { status: 200, headers })
}

fn refusal(at: Instant, status: u16, directive: Option<u64>) -> Reply {
    let mut headers = HeaderMap::new();
    if let Some(seconds) = directive {
        headers.insert("x-ld-fd-fallback", HeaderValue::from_static("true"));
        headers.insert("x-ld-fd-fallback-ttl", HeaderValue::from(seconds));
    }
    let head = Outcome::ResponseHead(ResponseHead { status, headers });
    vec![(at, head), (at, Outcome::ResponseEnd(Ok(())))]
}

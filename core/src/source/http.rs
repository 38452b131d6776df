//! An attempt over HTTP: the head, its redirects and timeouts; the body is another's matter.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, header};

use super::classify::{head_bytes, is_event_stream, is_final, is_redirect};
use super::directive::Directive;
use super::fdv1::Fdv1Response;
use super::polling::PollResponse;
use super::request::{RedirectError, Target};
use super::streaming::StreamResponse;
use super::{End, Failure, Look, Report};
use crate::config::Timing;
use crate::effect::{Outcome, ResponseHead, TransportError};
use crate::snapshot::Garbage;
use crate::time::Instant;
use crate::timer::{Earliest, Timer};

/// What is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Stream,
    Poll,
    Fdv1,
}

/// One HTTP request with its response, redirects included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct HttpAttempt {
    protocol: Protocol,
    target: Target,
    started: Instant,
    head: Option<Head>,
    body: Option<Body>,
    end: Option<Result<(), TransportError>>,
    reports: VecDeque<Report>,
}

/// What is kept of a response head that was accepted.
#[derive(Clone, Debug, PartialEq)]
struct Head {
    at: Instant,
    last_byte: Instant,
    environment_id: Option<Arc<str>>,
    tag: Option<HeaderValue>,
}

#[derive(Clone, Debug, PartialEq)]
enum Body {
    Stream(Box<StreamResponse>),
    Poll(Box<PollResponse>),
    Fdv1(Box<Fdv1Response>),
}

impl HttpAttempt {
    pub(crate) fn new(protocol: Protocol, target: Target, now: Instant) -> Self {
        Self {
            protocol,
            target,
            started: now,
            head: None,
            body: None,
            end: None,
            reports: VecDeque::new(),
        }
    }

    pub(crate) fn accept(&mut self, look: Look<'_>, outcome: Outcome) {
        match outcome {
            Outcome::ResponseHead(head) if self.head.is_none() => self.accept_head(look, &head),
            Outcome::ResponseChunk(bytes) => self.accept_chunk(look.now, bytes),
            Outcome::ResponseEnd(end) => self.end = Some(end),
            Outcome::ResponseHead(_)
            | Outcome::SourceUpdate(_)
            | Outcome::StoreWritten(_)
            | Outcome::StoreProbed(_) => {}
        }
    }

    pub(crate) fn next_report(&mut self, look: Look<'_>) -> Option<Report> {
        if let Some(report) = self.reports.pop_front() {
            return Some(report);
        }
        let from_body = match &mut self.body {
            Some(Body::Stream(stream)) => stream.next_report(look),
            Some(Body::Poll(poll)) => poll.next_report(look),
            Some(Body::Fdv1(fdv1)) => fdv1.next_report(),
            None => None,
        };
        if from_body.is_some() {
            return from_body;
        }
        let end = self.end.take()?;
        self.finish(end);
        self.reports.pop_front()
    }

    /// A chunk without a head is a transport that breaks its contract; its end tells the rest.
    fn accept_chunk(&mut self, now: Instant, bytes: Bytes) {
        if let Some(head) = &mut self.head {
            head.last_byte = now;
        }
        match &mut self.body {
            Some(Body::Stream(stream)) => stream.push(bytes),
            Some(Body::Poll(poll)) => poll.push(bytes),
            Some(Body::Fdv1(fdv1)) => fdv1.push(bytes),
            None => {}
        }
    }

    fn accept_head(&mut self, look: Look<'_>, head: &ResponseHead) {
        let directive = self.directive(&head.headers);
        self.reports.extend(directive.map(Report::Directed));
        let next = if head_bytes(&head.headers) > look.limits.head_bytes {
            Err(Failure::invalid_data("the response head is over its limit"))
        } else if is_redirect(head.status) && directive.is_none() {
            self.redirect(&head.headers).map(Some)
        } else {
            self.accept_final_head(look, head).map(|()| None)
        };
        match next {
            Ok(redirected) => self.reports.extend(redirected),
            Err(failure) => self.reports.push_back(failure.into()),
        }
    }

    /// One on an FDv1 response is ignored (B 5.6).
    fn directive(&self, headers: &HeaderMap) -> Option<Directive> {
        match self.protocol {
            Protocol::Stream | Protocol::Poll => Directive::from_headers(headers),
            Protocol::Fdv1 => None,
        }
    }

    fn redirect(&mut self, headers: &HeaderMap) -> Result<Report, Failure> {
        self.target.follow(headers).map(Report::Redirected).map_err(|error| {
            Failure::network(match error {
                RedirectError::TooMany => "the server redirected too often",
                RedirectError::NoUsableLocation => "the server redirected to no usable location",
            })
        })
    }

    fn accept_final_head(&mut self, look: Look<'_>, head: &ResponseHead) -> Result<(), Failure> {
        let is_unchanged =
            head.status == 304 && self.protocol != Protocol::Stream && self.target.carries_tag();
        if head.status != 200 && !is_unchanged {
            return Err(Failure::response(head.status, is_final(head.status)));
        }
        if self.protocol == Protocol::Stream && !is_event_stream(&head.headers) {
            return Err(Failure::invalid_data("the response is not of type text/event-stream"));
        }
        self.head = Some(Head {
            at: look.now,
            last_byte: look.now,
            environment_id: environment_id(&head.headers),
            tag: tag(&head.headers),
        });
        if is_unchanged {
            self.reports.extend([Report::Unchanged, Report::Ended(End::Completed)]);
        } else {
            self.body = Some(self.new_body(look));
        }
        Ok(())
    }

    fn new_body(&self, look: Look<'_>) -> Body {
        let carries_basis = self.target.carries_basis();
        match self.protocol {
            Protocol::Stream => Body::Stream(Box::new(StreamResponse::new(carries_basis, look))),
            Protocol::Poll => Body::Poll(Box::new(PollResponse::new(carries_basis, look))),
            Protocol::Fdv1 => Body::Fdv1(Box::new(Fdv1Response::new(look))),
        }
    }

    fn finish(&mut self, end: Result<(), TransportError>) {
        let reports = match (end, &mut self.body) {
            (Err(error), _) => Err(error.into()),
            (Ok(()), None) => Err(Failure::network("the connection ended without a response")),
            (Ok(()), Some(Body::Stream(_))) => Ok(vec![Report::Ended(End::StreamEnded)]),
            (Ok(()), Some(Body::Poll(poll))) => poll.finish(),
            (Ok(()), Some(Body::Fdv1(fdv1))) => fdv1.finish(),
        };
        self.reports.extend(reports.unwrap_or_else(|failure| vec![failure.into()]));
    }

    pub(crate) fn is_mid_event(&self) -> bool {
        let is_ending = matches!(&self.body, Some(Body::Stream(stream)) if stream.is_ending());
        is_ending || !self.reports.is_empty()
    }

    pub(crate) fn started(&self) -> Instant {
        self.started
    }

    pub(crate) fn is_lasting(&self) -> bool {
        self.protocol == Protocol::Stream
    }

    pub(crate) fn environment_id(&self) -> Option<&Arc<str>> {
        self.head.as_ref().and_then(|head| head.environment_id.as_ref())
    }

    pub(crate) fn tag(&self) -> Option<&HeaderValue> {
        self.head.as_ref().and_then(|head| head.tag.as_ref())
    }

    /// In a poll each byte of the body is progress (see "Progress" in the rules).
    pub(crate) fn open_progress(&self) -> Option<Instant> {
        match &self.body {
            Some(Body::Stream(stream)) => stream.open_progress(),
            Some(Body::Poll(_) | Body::Fdv1(_)) => self.head.as_ref().map(|head| head.last_byte),
            None => None,
        }
    }

    pub(crate) fn directive_limit(&self, timing: &Timing) -> Option<Instant> {
        let head = self.head.as_ref().filter(|_| self.protocol == Protocol::Stream)?;
        Some(head.at + timing.directive_grace)
    }

    pub(crate) fn offer_deadlines(&self, timing: &Timing, earliest: &mut Earliest) {
        let Some(head) = &self.head else {
            return earliest.offer(Timer::Head, Some(self.started + timing.head));
        };
        match &self.body {
            Some(Body::Stream(stream)) => {
                earliest.offer(Timer::Silence, Some(head.last_byte + timing.stream_silence));
                let stalled = stream.open_progress().map(|at| at + timing.transfer_stall);
                earliest.offer(Timer::Stall, stalled);
            }
            Some(Body::Poll(_) | Body::Fdv1(_)) => {
                earliest.offer(Timer::Silence, Some(head.last_byte + timing.poll_silence));
                earliest.offer(Timer::PollLimit, Some(head.at + timing.poll_limit));
            }
            None => {}
        }
    }

    pub(crate) fn into_garbage(self) -> Garbage {
        match self.body {
            Some(Body::Stream(stream)) => stream.into_garbage(),
            Some(Body::Poll(poll)) => poll.into_garbage(),
            Some(Body::Fdv1(fdv1)) => fdv1.into_garbage(),
            None => Garbage::default(),
        }
    }
}

/// The environment's id; an empty one changes nothing (B 6.6).
fn environment_id(headers: &HeaderMap) -> Option<Arc<str>> {
    let id = headers.get("x-ld-envid")?.to_str().ok()?.trim();
    (!id.is_empty()).then(|| id.into())
}

/// The ETag; an empty one is none (B 4.2).
fn tag(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(header::ETAG).filter(|tag| !tag.as_bytes().trim_ascii().is_empty()).cloned()
}

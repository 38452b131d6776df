//! What a peer does with one request.

use std::time::Duration;

use bytes::Bytes;
use fdv2_core::effect::{SourceUpdate, TransportErrorKind};
use fdv2_core::{Outcome, ResponseHead, TransportError};
use http::{HeaderMap, HeaderName, HeaderValue};

use super::wire::{self, Item, Wire};

/// The outcomes of one request, each so long after the one before. What comes last stays: a reply
/// without an end is a connection that is open and silent.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub(super) steps: Vec<(Duration, Outcome)>,
}

impl Reply {
    /// Nothing, ever.
    pub fn hang() -> Self {
        Self::default()
    }

    /// The connection is refused.
    pub fn refuse() -> Self {
        Self::default().fail(TransportErrorKind::Connect)
    }

    /// A head, and nothing behind it.
    pub fn head(status: u16) -> Self {
        let head = ResponseHead { status, headers: HeaderMap::new() };
        Self::default().step(Outcome::ResponseHead(head))
    }

    /// A head and an empty body.
    pub fn status(status: u16) -> Self {
        Self::head(status).end()
    }

    /// A stream that sends these events and falls silent.
    pub fn stream(events: impl IntoIterator<Item = Wire>) -> Self {
        Self::head(200).header("content-type", "text/event-stream").then(events)
    }

    /// A whole poll of these events.
    pub fn poll(events: impl IntoIterator<Item = Wire>) -> Self {
        let events: Vec<Wire> = events.into_iter().collect();
        Self::body(wire::poll_body(&events))
    }

    /// A whole FDv1 poll of these items.
    pub fn fdv1(items: impl IntoIterator<Item = Item>) -> Self {
        Self::body(wire::fdv1_body(items))
    }

    /// A 200 with this body, whole.
    pub fn body(body: impl Into<Bytes>) -> Self {
        Self::head(200).header("content-type", "application/json").bytes(body).end()
    }

    /// Sets a header of the head.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.head_mut().headers.append(
            HeaderName::from_bytes(name.as_bytes()).expect("a header name"),
            HeaderValue::from_bytes(value.as_bytes()).expect("a header value"),
        );
        self
    }

    /// Another status in the head.
    pub fn with_status(mut self, status: u16) -> Self {
        self.head_mut().status = status;
        self
    }

    /// The directive to fall back to FDv1 (B 5.1).
    pub fn directive(self) -> Self {
        self.header("X-LD-FD-Fallback", "true")
    }

    /// The directive with this time to live in seconds (B 5.4).
    pub fn directive_for(self, seconds: u64) -> Self {
        self.directive().header("X-LD-FD-Fallback-TTL", &seconds.to_string())
    }

    /// Everything so much later.
    pub fn late(mut self, delay: Duration) -> Self {
        if let Some((first, _)) = self.steps.first_mut() {
            *first += delay;
        }
        self
    }

    /// More bytes.
    pub fn bytes(self, bytes: impl Into<Bytes>) -> Self {
        self.bytes_after(Duration::ZERO, bytes)
    }

    /// More bytes, so much later.
    pub fn bytes_after(self, delay: Duration, bytes: impl Into<Bytes>) -> Self {
        self.step_after(delay, Outcome::ResponseChunk(bytes.into()))
    }

    /// More events on the stream.
    pub fn then(self, events: impl IntoIterator<Item = Wire>) -> Self {
        self.then_after(Duration::ZERO, events)
    }

    /// More events on the stream, so much later.
    pub fn then_after(self, delay: Duration, events: impl IntoIterator<Item = Wire>) -> Self {
        let events: Vec<Wire> = events.into_iter().collect();
        if events.is_empty() { self } else { self.bytes_after(delay, wire::sse(&events)) }
    }

    /// The same bytes again and again.
    pub fn repeat(mut self, every: Duration, times: usize, bytes: &str) -> Self {
        for _ in 0..times {
            self = self.bytes_after(every, bytes.to_owned());
        }
        self
    }

    /// The body ends whole.
    pub fn end(self) -> Self {
        self.end_after(Duration::ZERO)
    }

    /// The body ends whole, so much later.
    pub fn end_after(self, delay: Duration) -> Self {
        self.step_after(delay, Outcome::ResponseEnd(Ok(())))
    }

    /// The connection breaks.
    pub fn break_off(self) -> Self {
        self.fail(TransportErrorKind::Broken)
    }

    /// The transport fails.
    pub fn fail(self, kind: TransportErrorKind) -> Self {
        let message = format!("{kind:?}");
        self.step(Outcome::ResponseEnd(Err(TransportError { kind, message })))
    }

    /// What a custom source tells.
    pub fn custom(updates: impl IntoIterator<Item = SourceUpdate>) -> Self {
        updates.into_iter().fold(Self::default(), Self::tell)
    }

    /// More from a custom source.
    pub fn tell(self, update: SourceUpdate) -> Self {
        self.step(Outcome::SourceUpdate(update))
    }

    /// More from a custom source, so much later.
    pub fn tell_after(self, delay: Duration, update: SourceUpdate) -> Self {
        self.step_after(delay, Outcome::SourceUpdate(update))
    }

    fn step(self, outcome: Outcome) -> Self {
        self.step_after(Duration::ZERO, outcome)
    }

    fn step_after(mut self, delay: Duration, outcome: Outcome) -> Self {
        self.steps.push((delay, outcome));
        self
    }

    fn head_mut(&mut self) -> &mut ResponseHead {
        match self.steps.first_mut() {
            Some((_, Outcome::ResponseHead(head))) => head,
            _ => panic!("this reply has no head"),
        }
    }
}

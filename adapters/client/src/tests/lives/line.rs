//! The network of a simulated life: a transport of which the test holds the other end.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use fdv2_core::{Instant, Outcome, Request, ResponseHead, TransportError, TransportErrorKind};
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use http::HeaderMap;

use super::served::Told;
use crate::tests::sim::Sim;
use crate::{Runtime, Transport};

/// The most that the driver may take before others have their turn.
const TURN_OUTCOMES: usize = 64;

/// All requests of one client. At most one is open.
#[derive(Clone)]
pub(super) struct Line {
    inner: Arc<Mutex<Inner>>,
    sim: Sim,
}

struct Inner {
    open: Option<Open>,
    requests: u64,
    /// Since when nothing is open.
    idle_since: Instant,
    /// The state whose transfer the driver has read last.
    applied: Option<usize>,
    /// What must not happen, and did.
    faults: Vec<String>,
    /// Taken without a pause.
    taken: usize,
    wakes: Wakes,
}

/// Whether the one who waits is told of what comes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wakes {
    Always,
    /// As a faulty transport does it.
    Never,
}

/// An open request.
struct Open {
    number: u64,
    is_stream: bool,
    basis: Option<String>,
    since: Instant,
    has_head: bool,
    /// The state that the client will have once it has read everything.
    told: Option<usize>,
    /// What the server has still to write.
    unwritten: VecDeque<u8>,
    /// The ends of transfers, counted from the first byte, with the states that they bring.
    ends: VecDeque<(usize, usize)>,
    written: usize,
    is_closed: bool,
    queue: VecDeque<Piece>,
    has_comments: bool,
    reader: Option<Waker>,
}

/// Something that the driver reads.
enum Piece {
    /// An outcome, with the state that it brings.
    Outcome(Outcome, Option<usize>),
    /// Nothing for once, though there is more behind it.
    Pause,
}

/// How an answer begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Head {
    Fine,
    Status(u16),
}

impl Line {
    pub(super) fn new(sim: &Sim, wakes: Wakes) -> Self {
        let inner = Inner {
            open: None,
            requests: 0,
            idle_since: Instant::EPOCH,
            applied: None,
            faults: Vec::new(),
            taken: 0,
            wakes,
        };
        Self { inner: Arc::new(Mutex::new(inner)), sim: sim.clone() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap()
    }

    pub(super) fn applied(&self) -> Option<usize> {
        self.inner().applied
    }

    pub(super) fn faults(&self) -> Vec<String> {
        self.inner().faults.clone()
    }

    /// Since when no request is open.
    pub(super) fn idle_since(&self) -> Option<Instant> {
        let inner = self.inner();
        inner.open.is_none().then_some(inner.idle_since)
    }

    /// Since when a request waits for its head.
    pub(super) fn headless_since(&self) -> Option<Instant> {
        self.inner().open.as_ref().filter(|open| !open.has_head).map(|open| open.since)
    }

    /// Whether something is there that the driver has not read.
    pub(super) fn is_unread(&self) -> bool {
        self.inner().open.as_ref().is_some_and(|open| !open.queue.is_empty())
    }

    /// Whether the open request is a stream that has been read up to the end of a transfer.
    pub(super) fn is_streaming(&self) -> bool {
        self.inner().open.as_ref().is_some_and(|open| {
            open.is_stream && open.has_head && open.told.is_some() && open.unwritten.is_empty()
        })
    }

    /// What waits for an answer: whether it is a stream, and its basis.
    pub(super) fn asked(&self) -> Option<(bool, Option<String>)> {
        let inner = self.inner();
        let open = inner.open.as_ref().filter(|open| !open.has_head)?;
        Some((open.is_stream, open.basis.clone()))
    }

    /// The state up to which a stream that is answered was told.
    pub(super) fn told(&self) -> Option<usize> {
        let inner = self.inner();
        inner.open.as_ref().filter(|open| open.is_stream && !open.is_closed)?.told
    }

    /// The server answers. A bad status has no body.
    pub(super) fn answer(&self, head: Head) {
        self.change(|open| {
            open.has_head = true;
            let (status, is_fine) = match head {
                Head::Fine => (200, true),
                Head::Status(status) => (status, false),
            };
            let media = if open.is_stream { "text/event-stream" } else { "application/json" };
            let mut headers = HeaderMap::new();
            headers.insert("content-type", media.parse().unwrap());
            let head = Outcome::ResponseHead(ResponseHead { status, headers });
            open.queue.push_back(Piece::Outcome(head, None));
            if !is_fine {
                open.end(Ok(()), None);
            }
        });
    }

    /// The server has more to write: up to `state`.
    pub(super) fn say(&self, told: Told, state: usize) {
        self.change(|open| {
            let before = open.written + open.unwritten.len();
            open.unwritten.extend(told.bytes);
            open.ends.extend(told.ends.into_iter().map(|(at, state)| (before + at, state)));
            open.told = Some(state);
        });
    }

    /// The server writes some of what it has, in chunks of at most `size` bytes.
    pub(super) fn write(&self, bytes: usize, size: usize, has_pauses: bool) {
        self.change(|open| open.write(bytes, size, has_pauses));
    }

    /// The server writes something that makes no sense, and no more.
    pub(super) fn write_nonsense(&self) {
        self.change(|open| {
            let nonsense = Bytes::from_static(b"\n\nevent: put-object\ndata: {\n\n");
            open.queue.push_back(Piece::Outcome(Outcome::ResponseChunk(nonsense), None));
            open.unwritten.clear();
            open.is_closed = true;
        });
    }

    /// The connection ends.
    pub(super) fn end(&self, is_clean: bool) {
        self.change(|open| {
            let kind = TransportErrorKind::Broken;
            let error = TransportError { kind, message: "cut".into() };
            open.end(if is_clean { Ok(()) } else { Err(error) }, None);
        });
    }

    /// Comments without end, from now on or no more.
    pub(super) fn set_comments(&self, has_comments: bool) {
        self.change(|open| {
            // Not in the middle of an event, where they would be a part of it.
            let is_between_events = open.written == 0 || open.unwritten.is_empty();
            let can_comment = open.is_stream && open.has_head && is_between_events;
            open.has_comments = has_comments && can_comment;
        });
    }

    /// The driver's turn is over: it waits, or others run.
    pub(super) fn turn_ends(&self) {
        self.inner().taken = 0;
    }

    fn change(&self, change: impl FnOnce(&mut Open)) {
        let mut inner = self.inner();
        let wakes = inner.wakes;
        let Some(open) = inner.open.as_mut().filter(|open| !open.is_closed) else { return };
        change(open);
        let reader = if wakes == Wakes::Always { open.reader.take() } else { None };
        drop(inner);
        if let Some(reader) = reader {
            reader.wake();
        }
    }
}

impl Open {
    fn write(&mut self, bytes: usize, size: usize, has_pauses: bool) {
        let mut left = bytes.min(self.unwritten.len());
        while left > 0 {
            let count = left.min(size);
            left -= count;
            let chunk: Bytes = self.unwritten.drain(..count).collect();
            self.written += count;
            let mut brings = None;
            while self.ends.front().is_some_and(|(at, _)| *at <= self.written) {
                brings = self.ends.pop_front().map(|(_, state)| state);
            }
            if has_pauses {
                self.queue.push_back(Piece::Pause);
            }
            self.queue.push_back(Piece::Outcome(Outcome::ResponseChunk(chunk), brings));
        }
        if !self.is_stream && self.told.is_some() && self.unwritten.is_empty() {
            self.end(Ok(()), self.told);
        }
    }

    fn end(&mut self, end: Result<(), TransportError>, brings: Option<usize>) {
        self.queue.push_back(Piece::Outcome(Outcome::ResponseEnd(end), brings));
        self.unwritten.clear();
        self.is_closed = true;
    }
}

impl Transport for Line {
    fn send(&self, request: Request) -> BoxStream<'static, Outcome> {
        let uri = request.0.uri();
        let is_stream = uri.path().ends_with("/stream");
        let query = uri.query().unwrap_or_default();
        let basis = query.split('&').find_map(|pair| pair.strip_prefix("basis="));
        let basis = basis.map(str::to_owned);
        Response { line: self.clone(), is_stream, basis, number: None, is_over: false }.boxed()
    }
}

/// The driver's end of a request.
struct Response {
    line: Line,
    is_stream: bool,
    basis: Option<String>,
    /// Once it has been sent.
    number: Option<u64>,
    is_over: bool,
}

impl Response {
    fn open(&mut self) {
        if self.number.is_some() {
            return;
        }
        let now = self.line.sim.now();
        let mut inner = self.line.inner();
        inner.requests += 1;
        let number = inner.requests;
        if inner.open.is_some() {
            inner.faults.push(format!("request {number} was sent while another was open"));
        }
        inner.open = Some(Open {
            number,
            is_stream: self.is_stream,
            basis: self.basis.take(),
            since: now,
            has_head: false,
            told: None,
            unwritten: VecDeque::new(),
            ends: VecDeque::new(),
            written: 0,
            is_closed: false,
            queue: VecDeque::new(),
            has_comments: false,
            reader: None,
        });
        drop(inner);
        self.number = Some(number);
    }
}

impl Stream for Response {
    type Item = Outcome;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Outcome>> {
        self.open();
        let line = self.line.clone();
        let mut inner = line.inner();
        if self.is_over {
            inner.faults.push("polled after the last outcome".to_owned());
            return Poll::Pending;
        }
        let Some(open) = &mut inner.open else { return Poll::Pending };
        match open.queue.pop_front() {
            Some(Piece::Outcome(outcome, brings)) => {
                self.is_over = matches!(outcome, Outcome::ResponseEnd(_));
                inner.took(brings);
                Poll::Ready(Some(outcome))
            }
            Some(Piece::Pause) => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            None if open.has_comments => {
                inner.took(None);
                Poll::Ready(Some(Outcome::ResponseChunk(Bytes::from_static(b":\n"))))
            }
            None => {
                let replaced = open.reader.replace(cx.waker().clone());
                drop(inner);
                drop(replaced);
                Poll::Pending
            }
        }
    }
}

impl Inner {
    fn took(&mut self, brings: Option<usize>) {
        self.taken += 1;
        if self.taken > TURN_OUTCOMES {
            self.faults.push(format!("more than {TURN_OUTCOMES} outcomes in one turn"));
        }
        self.applied = brings.or(self.applied);
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        let Some(number) = self.number else { return };
        let now = self.line.sim.now();
        let mut inner = self.line.inner();
        let open = inner.open.take_if(|open| open.number == number);
        inner.idle_since = now;
        drop(inner);
        drop(open);
    }
}

//! Bytes in, events out: the event stream beside the `sse-stream` crate, one large event beside
//! smaller ones, and bodies beside `serde_json` (issue 2).

#![allow(clippy::unwrap_used, reason = "a bench may panic")]

use std::convert::Infallible;
use std::hint::black_box;
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use fdv2_core::model::Kind;
use fdv2_core::protocol::encode::{Message, fdv1_body, poll_body};
use fdv2_core::protocol::{Fdv1Body, PollBody};
use fdv2_core::sse::{Frame, Parser};
use fdv2_tests::measure::Table;
use fdv2_tests::typical::{self, End};
use futures::{Stream, stream};
use sse_stream::SseByteStream;

const MIB: usize = 1 << 20;

/// What the driver cuts chunks to.
const SLICE: usize = 16 << 10;

/// What one segment of TCP brings.
const SEGMENT: usize = 1460;

/// 50 MB of events on a stream.
const EVENTS: usize = 25_000;

/// 2 MB of items in a body.
const ITEMS: usize = 1000;

const EVENT_LIMIT: usize = 16 * MIB;

fn cut(bytes: &[u8], size: usize) -> Vec<Bytes> {
    bytes.chunks(size).map(Bytes::copy_from_slice).collect()
}

/// How many bytes of data our parser finds.
fn parse(chunks: &[Bytes]) -> usize {
    let mut parser = Parser::new(EVENT_LIMIT);
    let mut found = 0;
    for chunk in chunks {
        parser.push(chunk.clone());
        while let Some(frame) = parser.next().unwrap() {
            if let Frame::Event { data, .. } = frame {
                found += black_box(data).len();
            }
        }
    }
    found
}

/// How many bytes of data `sse-stream` finds.
fn parse_with_sse_stream(chunks: &[Bytes]) -> usize {
    let chunks = stream::iter(chunks.iter().cloned().map(Ok::<_, Infallible>));
    let mut events = pin!(SseByteStream::new(chunks));
    let mut context = Context::from_waker(Waker::noop());
    let mut found = 0;
    while let Poll::Ready(Some(event)) = events.as_mut().poll_next(&mut context) {
        found += black_box(event.unwrap()).data.map_or(0, |data| data.len());
    }
    found
}

fn read(chunks: &[Bytes]) {
    black_box(parse(chunks));
}

fn read_with_sse_stream(chunks: &[Bytes]) {
    black_box(parse_with_sse_stream(chunks));
}

fn read_poll_body(chunks: &[Bytes]) {
    let mut body = PollBody::new(EVENT_LIMIT);
    for chunk in chunks {
        body.push(chunk.clone());
        while let Some(event) = body.next().unwrap() {
            black_box(event);
        }
    }
    body.finish().unwrap();
}

fn read_fdv1_body(chunks: &[Bytes]) {
    let mut body = Fdv1Body::new(EVENT_LIMIT);
    for chunk in chunks {
        body.push(chunk.clone());
        while let Some(item) = body.next().unwrap() {
            black_box(item);
        }
    }
    body.finish().unwrap();
}

fn read_with_serde_json(body: &[u8]) {
    black_box(serde_json::from_slice::<serde_json::Value>(body).unwrap());
}

fn streams(table: &mut Table) {
    let chunks = cut(&typical::full_transfer(EVENTS, 1, End::Transferred), SLICE);
    assert_eq!(parse(&chunks), parse_with_sse_stream(&chunks), "both find the same");
    table.compare(
        "stream of 50 MB, beside sse-stream",
        1.0,
        || read(&chunks),
        || read_with_sse_stream(&chunks),
    );
}

fn large_events(table: &mut Table) {
    keep_memory();
    let event = |size: usize| cut(format!("data: {}\n\n", "x".repeat(size)).as_bytes(), SEGMENT);
    let large = event(8 * MIB);
    let small: Vec<_> = (0..5).map(|_| event(2 * MIB)).collect();
    table.compare(
        "an event of 8 MiB, beside five of 2 MiB",
        1.0,
        || drop(black_box(receive(&large))),
        || drop(black_box(small.iter().map(|small| receive(small)).collect::<Vec<_>>())),
    );
}

/// R02: what is left of a read is not copied for each event in it.
fn many_events(table: &mut Table) {
    let large = [typical::small_puts(40_000)];
    let small = [typical::small_puts(10_000)];
    table.compare(
        "40,000 events in one read, beside 6 of 10,000",
        1.0,
        || read(&large),
        || (0..6).for_each(|_| read(&small)),
    );
}

/// A parser that has found an event and still holds it: so five small ones take as much memory as
/// a large one, and none gains from the processor's caches.
fn receive(chunks: &[Bytes]) -> Parser {
    let mut parser = Parser::new(EVENT_LIMIT);
    for chunk in chunks {
        parser.push(chunk.clone());
        if parser.next().unwrap().is_some() {
            break;
        }
    }
    parser
}

/// Lets the allocator of glibc keep what is given back from now on, as it does once something
/// larger has been: else the large event alone would pay the kernel for fresh pages each time.
fn keep_memory() {
    drop(black_box(vec![1_u8; 31 * MIB]));
}

fn bodies(table: &mut Table) {
    let flags: Vec<_> =
        (0..ITEMS).map(|number| (typical::key(number), typical::flag(number, 1))).collect();
    let poll = poll_body(flags.iter().map(|(key, object)| Message::PutObject {
        kind: Kind::Flag,
        key,
        version: 1,
        object,
    }));
    let chunks = cut(&poll, SLICE);
    table.compare(
        "poll body of 2 MB, beside serde_json",
        1.0,
        || read_poll_body(&chunks),
        || read_with_serde_json(&poll),
    );
    let fdv1 = fdv1_body(flags.iter().map(|(key, object)| (&**key, &**object)), []);
    let chunks = cut(&fdv1, SLICE);
    table.compare(
        "FDv1 body of 2 MB, beside serde_json",
        1.0,
        || read_fdv1_body(&chunks),
        || read_with_serde_json(&fdv1),
    );
}

fn main() -> ExitCode {
    let mut table = Table::new("Bytes in, events out");
    streams(&mut table);
    large_events(&mut table);
    many_events(&mut table);
    bodies(&mut table);
    table.finish()
}
